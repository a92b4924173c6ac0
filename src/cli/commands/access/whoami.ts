import { findRemote, type Remote } from '../../remote/remote.js';
import { loadConfig } from '../../session.js';
import { command } from '../../command.js';
import { EXIT } from '../../exit.js';
import { format, type CommandFlags } from '../../flags.js';
import type { CliIo } from '../../io.js';
import { printValue } from '../../output/objects.js';

const FLAGS = { output: format(['json', 'yaml'], "print Kubernetes' SelfSubjectReview") };
type Flags = CommandFlags<typeof FLAGS>;

export const define = command({
  flags: FLAGS,
  notes: [
    'Prints the name of the user to whom a service assigns the token. A service without --auth token assigns none:',
    'everybody is system:anonymous, who may do everything. A store has no users; the name is then missing.',
  ],
  examples: [
    'xsvc whoami --server https://xsvc.example.com:8090',
    'xsvc whoami -o json --server https://xsvc.example.com:8090',
  ],
  run: whoami,
});

async function whoami(flags: Flags, io: CliIo): Promise<number> {
  const remote = await findRemote(flags, io);
  if (remote === undefined) await printOfStore(flags, io);
  else await printOfServer(remote, flags, io);
  return EXIT.done;
}

async function printOfServer(remote: Remote, { output }: Flags, io: CliIo): Promise<void> {
  const { whoAmI } = await import('../../../client/reviews.js');
  const { ANONYMOUS } = await import('../../../model/system-users.js');
  const { username, review } = await whoAmI(remote.url, remote);
  if (output === undefined) io.stdout.line(username);
  else await printValue(io, review, output);
  // With tokens, the service answers no request without a user.
  if (username !== ANONYMOUS) return;
  const ignored = remote.token === undefined ? '' : '; it ignores the given token';
  io.stderr.line(`the service asks for no token (--auth none): everybody may do everything${ignored}`);
}

async function printOfStore(flags: Flags, io: CliIo): Promise<void> {
  const { dataDir } = await loadConfig(flags, io);
  const { output } = flags;
  if (output !== undefined) {
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} };
    await printValue(io, { ...review, status: { userInfo: {} } }, output);
  }
  io.stderr.line(
    `no user: commands on the store in ${dataDir} are limited only by the permissions of its files; ` +
      'use --server to ask a service',
  );
}
