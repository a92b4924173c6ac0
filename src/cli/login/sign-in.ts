import type { Configuration, TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client';
import { scopesOf } from '../../oidc/client.js';
import { ServiceError } from '../../errors.js';
import type { CliIo } from '../io.js';
import { awaitRedirect } from './redirect.js';

type SignInIo = Pick<CliIo, 'stderr'> & { readonly signal: AbortSignal };
type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers;

/** Signs a person in: with a code on any device, or with a browser on this machine where the issuer has no such codes. */
export async function signIn(config: Configuration, io: SignInIo): Promise<Tokens> {
  const { device_authorization_endpoint: endpoint } = config.serverMetadata();
  const tokens = endpoint === undefined ? undefined : await withDevice(config, io);
  return tokens ?? withRedirect(config, io);
}

/** Undefined when this client may not use codes for devices. */
async function withDevice(config: Configuration, { stderr, signal }: SignInIo): Promise<Tokens | undefined> {
  const { initiateDeviceAuthorization, pollDeviceAuthorizationGrant, ResponseBodyError } =
    await import('openid-client');
  try {
    const device = await initiateDeviceAuthorization(config, {
      scope: scopesOf(config, { isLasting: true }),
    });
    const whole = device.verification_uri_complete;
    stderr.write(`open ${device.verification_uri} and enter the code ${device.user_code}\n`);
    if (whole !== undefined) stderr.write(`or open ${whole}\n`);
    return await pollDeviceAuthorizationGrant(config, device, undefined, { signal });
  } catch (error) {
    if (error instanceof ResponseBodyError && error.error === 'unauthorized_client') return undefined;
    throw error;
  }
}

async function withRedirect(config: Configuration, { stderr, signal }: SignInIo): Promise<Tokens> {
  const client = await import('openid-client');
  const verifier = client.randomPKCECodeVerifier();
  const [state, nonce] = [client.randomState(), client.randomNonce()];
  const redirect = await awaitRedirect(state, signal);
  try {
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: redirect.url,
      scope: scopesOf(config, { isLasting: true }),
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    });
    stderr.write(`open ${url.href}\n`);
    return await client.authorizationCodeGrant(config, await redirect.received, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
  } catch (error) {
    if (signal.aborted) throw new ServiceError('Timeout', 'nobody has signed in');
    throw error;
  } finally {
    await redirect.close();
  }
}
