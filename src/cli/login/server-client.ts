import { hasCode, ServiceError } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import type { SignInClient } from '../../oidc/client.js';
import { issuerUrl } from '../../oidc/oidc-config.js';
import { RemoteTransport } from '../../client/remote-transport.js';

/**
 * The issuer of a service, and the client there.
 * @throws ServiceError `NotFound` for a service without an issuer; the server's error, or `ServiceUnavailable`
 */
export async function readSignIn(url: string): Promise<SignInClient> {
  const transport = new RemoteTransport(url);
  const { body } = await transport
    .request('/apis/api.platform.run/v1alpha1/signin')
    .catch((error: unknown) => {
      if (!hasCode(error, 'NotFound') && !hasCode(error, 'Unauthorized')) throw error;
      throw new ServiceError(
        'NotFound',
        `people cannot sign in at ${url}: it has no issuer (--oidc-issuer); use a token instead`,
      );
    });
  if (!isRecord(body) || typeof body.clientId !== 'string') throw transport.malformed('not a sign-in');
  try {
    return { issuer: issuerUrl(body.issuer), clientId: body.clientId };
  } catch {
    throw transport.malformed('not the address of an issuer');
  }
}
