import path from 'node:path';
import type { StorePlace } from '../../../admin/store-copy.js';
import { EXIT } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { counted } from '../../output/counted.js';
import { anyStore, loadConfig } from '../../session.js';
import { command } from '../../command.js';
import { required, text, toggle, type CommandFlags } from '../../flags.js';

const FLAGS = {
  from: required(text('<store>', 'lmdb:DIR, postgres://USER@HOST/DATABASE or etcd://HOST,HOST/PREFIX')),
  to: required(text('<store>', 'target in the same form; it must be empty')),
  force: toggle('replace an existing store'),
};

export const storeCopy = command({
  description: 'Copy a whole store to another place, so that clients can continue there',
  flags: FLAGS,
  notes: [
    'The copy has the same objects, uids, revisions, log and tokens; it is read back and compared.',
    'Neither store may be open meanwhile: stop the daemons first.',
  ],
  examples: [
    'xsvc store copy --from lmdb:/var/lib/xsvc --to postgres://xsvc@db.example.com/xsvc?sslmode=verify-full',
    'xsvc store copy --from postgres://xsvc@db.example.com/xsvc?sslmode=verify-full --to lmdb:./copy',
    'xsvc store copy --from lmdb:/var/lib/xsvc --to etcd://node-1,node-2,node-3/xsvc',
  ],
  run: copy,
});

async function copy(
  { from, to, force = false, ...flags }: CommandFlags<typeof FLAGS>,
  io: CliIo,
): Promise<number> {
  const { storeTimeoutMs: timeoutMs } = await loadConfig(flags, io, anyStore);
  const [source, target] = [await getPlace(from, '--from', io), await getPlace(to, '--to', io)];
  const { copyStore } = await import('../../../admin/store-copy.js');
  const reported = new Set<string>();
  const warn = (message: string): void => {
    // Each store is opened more than once.
    if (!reported.has(message)) io.stderr.line(`warning: ${message}`);
    reported.add(message);
  };
  const { pairs, sha256 } = await copyStore(source, target, { force, timeoutMs, warn });
  io.stdout.line(`copied ${counted(pairs, 'key')}, the same on both sides (SHA-256 ${sha256})`);
  return EXIT.done;
}

async function getPlace(text: string, flag: string, io: CliIo): Promise<StorePlace> {
  const { parseStore } = await import('../../../config.js');
  const store = parseStore(text, flag);
  return typeof store === 'string' ? { directory: path.resolve(io.cwd, store) } : store;
}
