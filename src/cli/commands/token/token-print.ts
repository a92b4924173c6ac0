import { command } from '../../command.js';
import { EXIT, UsageError } from '../../exit.js';
import type { GlobalFlags } from '../../flags.js';
import type { CliIo } from '../../io.js';
import { printValue } from '../../output/objects.js';
import { findRemote } from '../../remote/remote.js';

export const tokenPrint = command({
  summary: 'Print the token for a server as an ExecCredential, for kubectl',
  description:
    'Prints the token that commands here send to a server, as an ExecCredential of client.authentication.k8s.io/v1. A token of xsvc login is renewed before. See xsvc kubeconfig --oidc.',
  examples: ['xsvc token print --server https://xsvc.example.com:8090'],
  run: printToken,
});

async function printToken(flags: GlobalFlags, io: CliIo): Promise<number> {
  const remote = await findRemote(flags, io);
  if (remote === undefined) throw new UsageError('token print needs a server; name one with --server');
  if (remote.token === undefined)
    throw new UsageError(`there is no token for ${remote.url}; run: xsvc login --server ${remote.url}`);
  const { findCredential } = await import('../../login/credentials.js');
  const credential = await findCredential(io, remote.url);
  const status = {
    token: remote.token,
    ...(credential?.idToken === remote.token && {
      expirationTimestamp: new Date(credential.expiresAt).toISOString().replace(/\.\d+Z$/, 'Z'),
    }),
  };
  await printValue(
    io,
    { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status },
    'json',
  );
  return EXIT.done;
}
