import type { SavedSignIn } from './credentials.js';
import { changeCredential, findCredential } from './credentials.js';
import type { CliIo } from '../io.js';
import { endOfClaims, openClient } from '../../oidc/client.js';
import { readRefusal } from '../../oidc/issuer-error.js';

type RenewIo = Pick<CliIo, 'env' | 'stderr'>;

/** A token that ends in this time, in milliseconds, is renewed: a command takes time. */
const EARLY_MS = 30_000;

/**
 * The ID token of the sign-in at a server, renewed when it has expired; undefined without a sign-in. A sign-in that
 * cannot be renewed is reported, and the command goes on without a token.
 * @throws UsageError for a file of credentials that cannot be used
 */
export async function signedInToken(io: RenewIo, server: string): Promise<string | undefined> {
  const credential = await findCredential(io, server);
  if (credential === undefined || isFresh(credential)) return credential?.idToken;
  try {
    // Another command may have renewed it while this one waited.
    const { newSignIn } = await changeCredential(io, server, async (present) =>
      present === undefined || isFresh(present) ? present : renew(present),
    );
    return newSignIn?.idToken;
  } catch (error) {
    io.stderr.line(
      `warning: the sign-in at ${server} has expired and cannot be renewed (${readRefusal(error).reason}); run: xsvc login --server ${server}`,
    );
    return undefined;
  }
}

function isFresh({ expiresAt }: SavedSignIn): boolean {
  return Date.now() < expiresAt - EARLY_MS;
}

async function renew(credential: SavedSignIn): Promise<SavedSignIn> {
  const { refreshToken } = credential;
  if (refreshToken === undefined) throw new Error('the issuer has given no refresh token');
  const config = await openClient(credential);
  const { refreshTokenGrant } = await import('openid-client');
  const answer = await refreshTokenGrant(config, refreshToken);
  const claims = answer.claims();
  if (answer.id_token === undefined || claims === undefined)
    throw new Error('the issuer has sent no ID token');
  return {
    ...credential,
    idToken: answer.id_token,
    expiresAt: endOfClaims(claims),
    refreshToken: answer.refresh_token ?? refreshToken,
  };
}
