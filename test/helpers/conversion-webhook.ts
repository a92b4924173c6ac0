import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { CacheBudget } from '../../src/lib/cache-budget.js';
import type { ConversionMeans } from '../../src/kubernetes/crd/conversion.js';
import type { Authority } from './certificates.js';

/** For definitions that no webhook converts. */
export const NO_WEBHOOKS: ConversionMeans = {
  webhooks: { post: () => Promise.reject(new Error('the test has no webhook')) },
  cacheBudget: new CacheBudget(),
};

export interface Listener {
  apiVersion: string;
  kind: string;
  metadata: Record<string, unknown> & { annotations?: Record<string, string> };
  spec?: { host?: string; port?: number; hostPort?: string };
  [field: string]: unknown;
}

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: readonly Listener[];
  };
}

/** Returns the answer; undefined for none. */
export type Answering = (review: Review) => unknown;

/** A webhook that converts listeners: `host` and `port` in v1 are `hostPort` in v2. */
export class ConversionWebhook {
  /** The reviews that it got. */
  readonly calls: Review[] = [];
  /** Default: {@link converted}. */
  answer: Answering = converted;
  #server: Server | undefined;
  #port = 0;

  constructor(private readonly authority: Authority) {}

  /** The `clientConfig` of a definition. */
  get client() {
    const caBundle = readFileSync(this.authority.caFile).toString('base64');
    return { url: `https://127.0.0.1:${this.#port}/convert`, caBundle };
  }

  get origin(): string {
    return `https://127.0.0.1:${this.#port}`;
  }

  /** Starts it, again at the same address. */
  async start(): Promise<void> {
    const { certFile, keyFile } = this.authority.sign(`webhook${this.#port}`);
    const [cert, key] = [readFileSync(certFile), readFileSync(keyFile)];
    const server = createServer({ cert, key }, (req, res) => void this.#serve(req, res));
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of req as AsyncIterable<Buffer>) parts.push(part);
    const review = JSON.parse(Buffer.concat(parts).toString()) as Review;
    this.calls.push(review);
    const answer = await this.answer(review);
    if (answer !== undefined) res.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  }
}

/** The answer of a webhook that works. */
export function converted({ apiVersion, kind, request }: Review) {
  return {
    apiVersion,
    kind,
    response: {
      uid: request.uid,
      result: { status: 'Success' },
      convertedObjects: request.objects.map((object) => convert(object, request.desiredAPIVersion)),
    },
  };
}

function convert(object: Listener, apiVersion: string): Listener {
  const { host, port, hostPort, ...rest } = object.spec ?? {};
  const joined = hostPort ?? `${host ?? ''}:${port ?? 0}`;
  const [first = '', last = '0'] = joined.split(':');
  const spec = apiVersion.endsWith('/v2') ? { hostPort: joined } : { host: first, port: Number(last) };
  return { ...object, apiVersion, spec: { ...rest, ...spec } };
}

const LISTENER_FIELDS = {
  v1: { host: { type: 'string' }, port: { type: 'integer' } },
  v2: { hostPort: { type: 'string' } },
} as const;

export type ListenerVersion = keyof typeof LISTENER_FIELDS;

/** The definition of listeners. */
export function listeners(
  clientConfig: object,
  {
    storage = 'v2',
    selectable = false,
    reviews = ['v1'],
  }: { readonly storage?: ListenerVersion; readonly selectable?: boolean; readonly reviews?: string[] } = {},
) {
  const version = (name: ListenerVersion, field: string) => ({
    name,
    served: true,
    storage: name === storage,
    subresources: { status: {} },
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            properties: { ...LISTENER_FIELDS[name], weight: { type: 'integer', default: 1 } },
          },
          status: { type: 'object', properties: { ready: { type: 'boolean' } } },
        },
      },
    },
    ...(selectable && { selectableFields: [{ jsonPath: field }] }),
  });
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'listeners.net.example.com' },
    spec: {
      group: 'net.example.com',
      scope: 'Namespaced',
      names: { plural: 'listeners', kind: 'Listener' },
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig, conversionReviewVersions: reviews },
      },
      versions: [version('v1', '.spec.host'), version('v2', '.spec.hostPort')],
    },
  };
}

export const listenersIn = (version: ListenerVersion, name = ''): string =>
  `/apis/net.example.com/${version}/namespaces/default/listeners${name === '' ? '' : `/${name}`}`;

export function listener(version: ListenerVersion, name: string, spec: object, metadata: object = {}) {
  return {
    apiVersion: `net.example.com/${version}`,
    kind: 'Listener',
    metadata: { name, ...metadata },
    spec,
  };
}
