import type { Configuration, TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client';
import { scopesOf } from '../../oidc/client.js';
import { formatExcerpt, ServiceError } from '../../errors.js';
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

const URL_LENGTH_MAX = 2_000;

/** The address of a page of the issuer, for a browser. @throws Error when it is not HTTP(S), or too long */
function pageOf(text: string): string {
  const url = text.length <= URL_LENGTH_MAX && URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url.href;
  throw new Error(
    `the issuer has sent ${JSON.stringify(formatExcerpt(text))}, which is no http(s) address of a page`,
  );
}

/** @throws Error for a code that nobody could type */
function codeOf(text: string): string {
  if (/^[!-~](?:[ -~]{0,30}[!-~])?$/.test(text)) return text;
  throw new Error(`the issuer has sent ${JSON.stringify(formatExcerpt(text))}, which is no code to type`);
}

/** Undefined when this client may not use codes for devices. */
async function withDevice(config: Configuration, { stderr, signal }: SignInIo): Promise<Tokens | undefined> {
  const { initiateDeviceAuthorization, pollDeviceAuthorizationGrant, ResponseBodyError } =
    await import('openid-client');
  try {
    const device = await initiateDeviceAuthorization(config, {
      scope: scopesOf(config, { isLasting: true }),
    });
    const { verification_uri: page, verification_uri_complete: pageWithCode, user_code: code } = device;
    const lines = [`open ${pageOf(page)} and enter the code ${codeOf(code)}`];
    if (pageWithCode !== undefined) lines.push(`or open ${pageOf(pageWithCode)}`);
    for (const line of lines) stderr.line(line);
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
    stderr.line(`open ${url.href}`);
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
