import { ownVersion } from '../../version.js';
import type { CliIo } from '../io.js';
import { findRemote } from '../remote/remote.js';
import { command } from '../command.js';
import { EXIT } from '../exit.js';
import type { GlobalFlags } from '../flags.js';

export const define = command({
  examples: ['xsvc version', 'xsvc version --server http://127.0.0.1:8090'],
  run: version,
});

async function version(flags: GlobalFlags, io: CliIo): Promise<number> {
  io.stdout.line(`xsvc ${ownVersion()}`);
  const remote = await findRemote(flags, io);
  if (remote === undefined) return EXIT.done;
  const { remoteVersion } = await import('../../client/whole-store.js');
  const theirs = await remoteVersion(remote.url, remote);
  io.stdout.line(`server ${theirs ?? 'unknown'} (${remote.url})`);
  return EXIT.done;
}
