import { command } from '../../command.js';
import { EXIT, UsageError } from '../../exit.js';
import type { GlobalFlags } from '../../flags.js';
import type { CliIo } from '../../io.js';
import { findServer } from '../../remote/remote.js';

export const define = command({
  notes: [
    'Removes the tokens of xsvc login for the server, and asks the issuer to revoke the refresh token.',
  ],
  examples: ['xsvc logout --server https://xsvc.example.com:8090'],
  run: logout,
});

async function logout(flags: GlobalFlags, io: CliIo): Promise<number> {
  const found = await findServer(flags, io);
  if (found === undefined) throw new UsageError('logout needs a server; name one with --server');
  const { changeCredential, findCredential } = await import('../../login/credentials.js');
  const credential = await findCredential(io, found.url);
  if (credential === undefined) {
    io.stderr.line(`you were not signed in at ${found.url}`);
    return EXIT.done;
  }
  // A command that renews it at this moment has the last refresh token, which must be revoked.
  const { oldSignIn = credential } = await changeCredential(io, found.url, () => undefined);
  io.stderr.line(`signed out of ${found.url}`);
  const { revoke } = await import('../../login/revoke.js');
  await revoke(oldSignIn).catch(() =>
    io.stderr.line(`warning: the issuer ${oldSignIn.issuer} did not confirm it; the sign-in there may go on`),
  );
  return EXIT.done;
}
