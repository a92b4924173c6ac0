import { Agent } from 'node:https';
import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { getMessage } from '../../errors.js';
import { exchange, type ReceivedAnswer } from '../../lib/exchange.js';
import { isRecord, parseJson } from '../../lib/json/json.js';
import type { JsonObject } from '../../model/object.js';
import type { ServiceUrls } from './service-urls.js';

/** The address of a webhook, as Kubernetes' `clientConfig`: either `url` or `service`. */
export interface WebhookClientConfig {
  readonly url?: string;
  readonly service?: ServiceReference;
  /** Certificates of issuers in PEM, as base64. Default: those that the system trusts. */
  readonly caBundle?: string;
}

export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  /** Default: `/`. */
  readonly path?: string;
  readonly port?: number;
}

/** A webhook gave no answer that can be used. The message says why. */
export class WebhookCallError extends Error {
  override readonly name = 'WebhookCallError';
}

/** Longest answer, with its heads: conversions return many objects. */
const ANSWER_BYTES_MAX = 32 * 1024 * 1024;
const HEADERS = ['content-type', 'application/json', 'accept', 'application/json', 'user-agent', 'xsvc'];

interface Target {
  readonly url: URL;
  readonly ca: string | undefined;
  /** Names that the certificate may have. */
  readonly names: readonly string[];
}

/** POSTs reviews to webhooks by HTTPS, on connections that are kept. Follows no redirects. */
export class WebhookClient {
  readonly #agent = new Agent({ keepAlive: true });

  constructor(private readonly options: { readonly serviceUrls: ServiceUrls }) {}

  /**
   * @param timeoutMs for the whole call
   * @param signal ends the call
   * @throws WebhookCallError without an answer of status 200 with a JSON object
   */
  async post(
    config: WebhookClientConfig,
    review: JsonObject,
    limits: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
  ): Promise<Record<string, unknown>> {
    const { url, ca, names } = this.#targetOf(config);
    try {
      const answer = await exchange({
        ...limits,
        url,
        method: 'POST',
        headers: HEADERS,
        body: Buffer.from(JSON.stringify(review)),
        connection: {
          agent: this.#agent,
          ...(ca !== undefined && { ca }),
          // The bundle may hold the certificate of the webhook instead of its issuer, as envtest's does.
          allowPartialTrustChain: true,
          // The name of the service identifies connections too, so that services never share one.
          servername: getServerName(names),
          checkServerIdentity: (_host, certificate) => checkNames(names, certificate),
        },
        bytesMax: ANSWER_BYTES_MAX,
      });
      if (answer.fault !== undefined) throw answer.fault;
      return readAnswer(answer);
    } catch (error) {
      if (error instanceof WebhookCallError) throw error;
      throw new WebhookCallError(`Post "${url.href}": ${getMessage(error)}`, { cause: error });
    }
  }

  /** Ends all calls. */
  close(): void {
    this.#agent.destroy();
  }

  #targetOf({ url, service, caBundle }: WebhookClientConfig): Target {
    const ca = caBundle === undefined ? undefined : Buffer.from(caBundle, 'base64').toString();
    if (service === undefined) {
      if (url === undefined || !URL.canParse(url)) throw new WebhookCallError(`"${url ?? ''}" is no URL`);
      const parsed = withPlainPath(new URL(url));
      return { url: parsed, ca, names: [hostOf(parsed)] };
    }
    const { namespace, name, path = '/' } = service;
    const origin = this.options.serviceUrls.get(`${namespace}/${name}`);
    if (origin === undefined)
      throw new WebhookCallError(
        `the service ${namespace}/${name} has no address here; ` +
          `start with --service-url ${namespace}/${name}=https://HOST:PORT`,
      );
    const parsed = withPlainPath(new URL(`${new URL(origin).origin}/${path}`));
    return { url: parsed, ca, names: [`${name}.${namespace}.svc`, hostOf(parsed)] };
  }
}

/** As Kubernetes does, without repeated slashes and a last one: envtest writes `//path`, which servers in Go redirect. */
function withPlainPath(url: URL): URL {
  url.pathname = url.pathname.replaceAll(/\/{2,}/gu, '/').replace(/\/$/u, '');
  return url;
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/u, '$1');
}

/** An address is no name of a server (RFC 6066, section 3). */
function getServerName([name = '']: readonly string[]): string {
  return isIP(name) === 0 ? name : '';
}

function checkNames(names: readonly string[], certificate: PeerCertificate): Error | undefined {
  const faults = names.map((name) => checkServerIdentity(name, certificate));
  return faults.includes(undefined) ? undefined : faults[0];
}

function readAnswer({ status, body }: Pick<ReceivedAnswer, 'status' | 'body'>): Record<string, unknown> {
  if (status !== 200) throw new WebhookCallError(`it answered with the status ${status}`);
  let value: unknown;
  try {
    value = parseJson(body);
  } catch (error) {
    throw new WebhookCallError(`its answer is no JSON object: ${getMessage(error)}`);
  }
  if (isRecord(value)) return value;
  throw new WebhookCallError('its answer is no JSON object');
}
