import path from 'node:path';
import { kubeconfigOf } from '../../../kubernetes/kubeconfig.js';
import { EXIT } from '../../exit.js';
import { command } from '../../command.js';
import { toggle, type CommandFlags } from '../../flags.js';
import type { CliIo } from '../../io.js';
import { findScope } from '../../remote/namespaces.js';
import { printValue } from '../../output/objects.js';
import { findRemote, findServer, type Remote } from '../../remote/remote.js';
import { anyStore, loadConfig } from '../../session.js';

const FLAGS = {
  oidc: toggle('let kubectl ask for the token of xsvc login, instead of writing a token'),
};
type Flags = CommandFlags<typeof FLAGS>;

export const define = command({
  flags: FLAGS,
  notes: [
    'The text has the server, the token and the namespace that commands here use. Without a server it is for a daemon on',
    'this machine, at the configured port. kubectl sends tokens over TLS only; with https:// and a certificate of your',
    'own, NODE_EXTRA_CA_CERTS names the file of its issuer.',
  ],
  examples: [
    'xsvc kubeconfig > kubeconfig && KUBECONFIG=kubeconfig kubectl get persons',
    'xsvc kubeconfig --server https://xsvc.example.com:8090 --token "$TOKEN" -n team-a',
    'xsvc kubeconfig --oidc --server https://xsvc.example.com:8090 > kubeconfig',
  ],
  run: kubeconfig,
});

const NOT_SENT =
  'warning: kubectl sends tokens over TLS only, so this server will refuse it; start the service with --tls-cert and --tls-key';

async function kubeconfig({ oidc, ...flags }: Flags, io: CliIo): Promise<number> {
  const { namespace } = await findScope(flags, io);
  const remote = oidc === true ? await findServer(flags, io) : await findRemote(flags, io);
  const url = remote?.url ?? `http://127.0.0.1:${(await loadConfig(flags, io, anyStore)).port}`;
  const { NODE_EXTRA_CA_CERTS: issuer = '' } = io.env;
  const issuerFile = issuer !== '' && url.startsWith('https:') ? path.resolve(io.cwd, issuer) : undefined;
  const user = oidc === true ? { exec: execFor(url) } : userOf(remote);
  const value = kubeconfigOf({ server: { url, issuerFile }, user, namespace });
  await printValue(io, value, 'yaml');
  if (url.startsWith('http:') && Object.keys(user).length > 0) io.stderr.line(NOT_SENT);
  return EXIT.done;
}

function userOf(remote: Remote | undefined): object {
  return remote?.token === undefined ? {} : { token: remote.token };
}

/** kubectl runs the program for each command, and keeps the token until it expires. */
function execFor(server: string): object {
  return {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: 'xsvc',
    args: ['token', 'print', '--server', server],
    installHint: 'install xsvc, and sign in with: xsvc login',
    interactiveMode: 'Never',
    provideClusterInfo: false,
  };
}
