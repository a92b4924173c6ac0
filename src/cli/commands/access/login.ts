import { hasCode, ServiceError } from '../../../errors.js';
import { readRefusal } from '../../../oidc/issuer-error.js';
import { command } from '../../command.js';
import { EXIT, UsageError } from '../../exit.js';
import type { GlobalFlags } from '../../flags.js';
import type { CliIo } from '../../io.js';
import type { SavedSignIn } from '../../login/credentials.js';
import { findServer } from '../../remote/remote.js';

/** Time for a sign-in, in milliseconds. */
const WAIT_MS = 600_000;

export const define = command({
  notes: [
    'Signs you in at the issuer of a service with OpenID Connect, with a code for a browser on any device, or with a browser',
    'on this machine. The tokens are kept in ~/.config/xsvc/credentials.json, sent to that server only, and renewed.',
    'Use only servers that you trust: they receive your ID token.',
  ],
  examples: ['xsvc login --server https://xsvc.example.com:8090', 'xsvc login'],
  run: login,
});

async function login(flags: GlobalFlags, io: CliIo): Promise<number> {
  const found = await findServer(flags, io);
  if (found === undefined) throw new UsageError('login needs a server; name one with --server');
  const { url: server } = found;
  const { isSafeUrl } = await import('../../../oidc/oidc-config.js');
  if (!isSafeUrl(server))
    throw new UsageError(`${server} has no TLS, so others could read your tokens; use an https:// address`);
  const { readSignIn } = await import('../../login/server-client.js');
  const { openClient, endOfClaims } = await import('../../../oidc/client.js');
  const { changeCredential } = await import('../../login/credentials.js');
  const { signIn } = await import('../../login/sign-in.js');
  const client = await readSignIn(server);
  io.stderr.line(`signing in at ${client.issuer} for ${server}`);
  const signal = AbortSignal.any([io.stopSignal(), AbortSignal.timeout(WAIT_MS)]);
  const tokens = await signIn(await openClient(client), { stderr: io.stderr, signal }).catch(
    (error: unknown) => {
      throw asSignInError(error, client.clientId);
    },
  );
  const { id_token: idToken, refresh_token: refreshToken } = tokens;
  const claims = tokens.claims();
  if (idToken === undefined || claims === undefined)
    throw new ServiceError('Unauthorized', 'the sign-in failed: the issuer has sent no ID token');
  const { whoAmI } = await import('../../../client/reviews.js');
  const { username } = await whoAmI(server, { token: idToken });
  const credential: SavedSignIn = {
    server,
    issuer: client.issuer,
    clientId: client.clientId,
    idToken,
    expiresAt: endOfClaims(claims),
    ...(refreshToken !== undefined && { refreshToken }),
  };
  await changeCredential(io, server, () => Promise.resolve(credential));
  io.stderr.line(`signed in at ${server} as ${username}`);
  return EXIT.done;
}

function asSignInError(error: unknown, clientId: string): unknown {
  if (error instanceof UsageError || hasCode(error, 'Timeout')) return error;
  const { code, reason } = readRefusal(error);
  const text =
    code === 'invalid_client'
      ? `the issuer does not accept the client "${clientId}" without a secret, and commands have none; ` +
        'it must be a public client, which the console can use too; or use a token of the service'
      : reason;
  return new ServiceError('Unauthorized', `the sign-in failed: ${text}`);
}
