import { openClient } from '../../oidc/client.js';
import type { SavedSignIn } from './credentials.js';

/** Asks the issuer to revoke the refresh token, where it offers that. @throws Error when it does not confirm it */
export async function revoke(credential: SavedSignIn): Promise<void> {
  const { refreshToken } = credential;
  if (refreshToken === undefined) return;
  const config = await openClient(credential);
  if (config.serverMetadata().revocation_endpoint === undefined) return;
  const { tokenRevocation } = await import('openid-client');
  await tokenRevocation(config, refreshToken);
}
