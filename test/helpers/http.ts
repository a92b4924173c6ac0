import { openEventModel } from '../../src/events/model.js';
import { EVENTS, KUBERNETES_EVENTS } from '../../src/events/names.js';
import { EventRecorder } from '../../src/events/recorder.js';
import { SYSTEM_CLOCK } from '../../src/lib/time/clock.js';
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import { openAccessModels } from '../../src/access/models.js';
import type { ConsoleBrand } from '../../src/http/console/brand.js';
import { Admission, type AdmissionOptions } from '../../src/http/admission/admission.js';
import type { BodyParsers } from '../../src/http/answer/media.js';
import { createExpressApp } from '../../src/http/express-app.js';
import type { ServiceLog } from '../../src/http/metrics/service-log.js';
import type { PluginAssets } from '../../src/http/plugins/plugin-assets.js';
import { listen } from '../../src/http/server.js';
import type { Service } from '../../src/service/service.js';
import type { Engine } from '../../src/store/engine.js';
import { SILENT, type Logger } from '../../src/lib/log/logger.js';
import { discoverPlugins } from '../../src/plugin/discover.js';
import { PluginManager } from '../../src/plugin/manager.js';
import { PluginClients } from '../../src/daemon/plugin-clients.js';
import { createPluginHost } from '../../src/daemon/plugin-host.js';
import { openViewModel } from '../../src/views/model.js';
import { openWebhookModel } from '../../src/webhooks/model.js';
import { openTestService, type TestService } from './store.js';

export const PERSONS = '/apis/demo.example.com/v1alpha1/persons';
export const PERSON_REF = {
  group: 'demo.example.com',
  version: 'v1alpha1',
  kind: 'Person',
  plural: 'persons',
} as const;
const PERSON_PLUGIN = new URL('../../plugins/person', import.meta.url).pathname;

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON. @throws when it is none */
  json(): Json;
}

/** JSON as tests look at it: any member may be asked for. */
export interface Json {
  readonly [key: string]: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: unknown;
  readonly details: {
    readonly name?: string;
    readonly causes: readonly { readonly field: string; readonly reason: string; readonly message: string }[];
  };
  readonly items: readonly Json[];
  readonly message: string;
}

export interface HttpRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** Strings and bytes go out as they are, anything else as JSON. */
  readonly body?: unknown;
  /** Send the body in chunks, without a length. */
  readonly chunked?: boolean;
}

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: object | undefined;
}

export interface TestServer extends TestService {
  readonly url: string;
  readonly port: number;
  readonly logs: LogLine[];
  readonly admission: Admission;
  send(method: string, target: string, request?: HttpRequest): Promise<HttpAnswer>;
  get(target: string, headers?: Readonly<Record<string, string>>): Promise<HttpAnswer>;
  /** Everything that one connection answers to the bytes, until it closes or, after the first of it, stays silent. */
  raw(bytes: string | Uint8Array, silenceMs?: number): Promise<string>;
  /** Removes every person, so that the next test starts with none. */
  clear(): Promise<void>;
}

export interface TestServerOptions {
  /** Default: one in the directory. */
  readonly engine?: Engine;
  readonly bodyBytesMax?: number;
  /** Default: none. */
  readonly bodyParsers?: BodyParsers;
  readonly unready?: () => string | undefined;
  readonly directory?: string;
  /** Milliseconds since 1970. Default: by the machine's clock. */
  readonly now?: () => number;
  /** Default true. */
  readonly loopbackOnly?: boolean;
  readonly allowedOrigins?: ReadonlySet<string>;
  readonly bodyTimeoutMs?: number;
  readonly maxConnections?: number;
  readonly admission?: AdmissionOptions;
  /** Default: no console. */
  readonly consoleDirectory?: string;
  readonly consoleBrand?: ConsoleBrand;
  /** True when the kinds of Kubernetes will be opened, which have events. */
  readonly hasKinds?: boolean;
  /** Default: none. */
  readonly assets?: PluginAssets;
  /** Default: a separate one. */
  readonly serviceLog?: ServiceLog;
}

/** The app as the daemon builds it, with the example plugin for persons, on a free port of this machine. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const test = await openTestService(
    options.directory,
    {},
    {
      now: options.now,
      ...(options.engine && { engine: options.engine }),
    },
  );
  const logs: LogLine[] = [];
  const logger = collector(logs);
  const manager = await startPersons(test, logger, options.hasKinds);
  const {
    allowedOrigins,
    bodyParsers,
    bodyTimeoutMs,
    maxConnections,
    consoleDirectory,
    consoleBrand,
    assets,
    serviceLog,
  } = options;
  const admission = new Admission(options.admission);
  const app = createExpressApp({
    admission,
    service: test.service,
    models: test.service.models,
    logger,
    bodyBytesMax: options.bodyBytesMax ?? 1024 * 1024,
    loopbackOnly: options.loopbackOnly ?? true,
    version: '0.1.0',
    readiness: [{ name: 'plugins', problem: options.unready ?? (() => undefined) }],
    ...(allowedOrigins && { allowedOrigins }),
    ...(bodyParsers && { bodyParsers }),
    ...(bodyTimeoutMs && { bodyTimeoutMs }),
    consoleDirectory,
    consoleBrand,
    ...(assets && { assets }),
    ...(serviceLog && { serviceLog }),
  });
  const limits = maxConnections === undefined ? {} : { maxConnections };
  const server = await listen(app, { host: '127.0.0.1', port: 0, logger, ...limits });
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  const port = Number(new URL(server.url).port);
  const send: TestServer['send'] = (method, target, request = {}) =>
    sendHttp(agent, port, method, target, request);
  return {
    ...test,
    url: server.url,
    port,
    logs,
    admission,
    send,
    get: (target, headers = {}) => send('GET', target, { headers }),
    raw: (bytes, silenceMs) => sendRaw(port, bytes, silenceMs),
    clear: () => clearPersons(test),
    async close() {
      agent.destroy();
      await server.close(1000);
      await admission.close();
      await manager.stopAll();
      await test.close();
    },
  };
}

export interface BareServer {
  get(target: string): Promise<HttpAnswer>;
  /** Closes the server, and not the service. */
  close(): Promise<void>;
}

/** The app for a service without plugins and rights, on a free port of this machine. */
export async function serveBare(service: Service): Promise<BareServer> {
  const app = createExpressApp({
    service,
    models: service.models,
    logger: SILENT,
    bodyBytesMax: 1024 * 1024,
    loopbackOnly: true,
    version: '0.1.0',
  });
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  const port = Number(new URL(server.url).port);
  const agent = new Agent({ keepAlive: true });
  return {
    get: (target) => sendHttp(agent, port, 'GET', target, {}),
    async close() {
      agent.destroy();
      await server.close(0);
    },
  };
}

async function startPersons(test: TestService, logger: Logger, hasKinds = false): Promise<PluginManager> {
  await openAccessModels(test.service.models, test.registry);
  await openWebhookModel(test.service.models, test.registry, test.store);
  await openViewModel(test.service.models, test.registry);
  if (!hasKinds) await openEventModel(test.service.models, test.registry);
  const host = await createPluginHost({
    service: test.service,
    registry: test.registry,
    events: new EventRecorder({
      service: test.service,
      model: hasKinds ? KUBERNETES_EVENTS : EVENTS,
      clock: SYSTEM_CLOCK,
      logger,
    }),
    logger,
    clients: new PluginClients({ service: test.service, schemes: test.registry }),
    platformPlugins: [],
    pluginConfig: {},
  });
  const manager = new PluginManager(host, {
    hostModules: new Map<string, object>([['xsvc', await import('../../src/index.js')]]),
    cacheDirectory: path.join(test.directory, 'plugin-cache'),
  });
  const failed = await manager.startAll(await discoverPlugins([PERSON_PLUGIN], { xsvcVersion: '0.1.0' }));
  if (failed.length > 0) throw new Error(failed.map(({ status }) => status.message).join('; '));
  await clearPersons(test);
  return manager;
}

async function clearPersons({ service }: TestService): Promise<void> {
  const names = await service.listNames(PERSON_REF);
  if (names.length === 0) return;
  const { items } = await service.batch(
    names.map((name) => ({ verb: 'delete' as const, resource: PERSON_REF, name })),
  );
  for (const { object } of items) {
    if ((object.metadata.finalizers ?? []).length === 0) continue;
    await service.patch(PERSON_REF, object.metadata.name, { metadata: { finalizers: null } }, 'merge');
  }
}

function collector(logs: LogLine[]): Logger {
  const at =
    (level: string) =>
    (message: string, fields?: object): void =>
      void logs.push({ level, message, fields });
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

export function sendHttp(
  agent: Agent,
  port: number,
  method: string,
  target: string,
  { headers = {}, body, chunked = false }: HttpRequest,
): Promise<HttpAnswer> {
  const bytes = body === undefined ? undefined : bytesOf(body);
  const type = body === undefined || headers['content-type'] !== undefined ? {} : JSON_TYPE;
  const length = bytes === undefined || chunked ? {} : { 'content-length': String(bytes.length) };
  return new Promise((resolve, reject) => {
    const req = httpRequest(
      { agent, host: '127.0.0.1', port, method, path: target, headers: { ...type, ...length, ...headers } },
      (res) => {
        const parts: Buffer[] = [];
        res.on('data', (part: Buffer) => parts.push(part));
        res.on('error', reject);
        res.on('end', () => {
          const text = Buffer.concat(parts).toString();
          resolve({
            status: res.statusCode ?? 0,
            headers: res.headers,
            text,
            json: () => JSON.parse(text) as Json,
          });
        });
      },
    );
    req.on('error', reject);
    if (chunked && bytes !== undefined) for (const part of halves(bytes)) req.write(part);
    req.end(chunked ? undefined : bytes);
  });
}

const JSON_TYPE = { 'content-type': 'application/json' };

function bytesOf(body: unknown): Buffer {
  if (typeof body === 'string') return Buffer.from(body);
  return body instanceof Uint8Array ? Buffer.from(body) : Buffer.from(JSON.stringify(body));
}

function halves(bytes: Buffer): Buffer[] {
  const middle = bytes.length >> 1;
  return [bytes.subarray(0, middle), bytes.subarray(middle)].filter((part) => part.length > 0);
}

/** The time limit for the first byte of an answer. */
const ANSWER_MS = 10_000;
const TICK_MS = 50;

function sendRaw(port: number, bytes: string | Uint8Array, silenceMs = 500): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    let silentTicks = 0;
    // The server is in this process: what is counted is how often it had its turn, whatever time passed between.
    const tick = setInterval(() => {
      silentTicks++;
      if (silentTicks * TICK_MS >= (text === '' ? ANSWER_MS : silenceMs)) finish();
    }, TICK_MS);
    const finish = (): void => {
      clearInterval(tick);
      socket.destroy();
      resolve(text);
    };
    socket.on('data', (part) => {
      silentTicks = 0;
      text += part.toString('latin1');
    });
    socket.on('error', finish);
    socket.on('close', finish);
    socket.write(bytes);
  });
}

/** Sends requests with a token. @param place called at each request, because each test has a new server */
export function senderAs(place: () => { readonly agent: Agent; readonly server: { readonly url: string } }) {
  return (
    token: string,
    method: string,
    target: string,
    body?: unknown,
    type?: string,
    more?: Readonly<Record<string, string>>,
  ): Promise<HttpAnswer> => {
    const { agent, server } = place();
    const headers = { authorization: `Bearer ${token}`, ...(type && { 'content-type': type }), ...more };
    return sendHttp(agent, Number(new URL(server.url).port), method, target, {
      headers,
      ...(body === undefined ? {} : { body }),
    });
  };
}

/** A request as bytes, exactly as given. */
export function rawRequest(line: string, headers: readonly string[] = [], body = ''): string {
  return [line, 'Host: 127.0.0.1', 'Connection: close', ...headers, '', body].join('\r\n');
}

/** The status and the body of the first answer in what a connection sent. */
export function rawAnswer(text: string): { status: number; body: string } {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0), body: rest.join('\r\n\r\n') };
}

/** A valid person; the spec may be added to. */
export function person(name: string, spec: object = {}, metadata: object = {}): Record<string, unknown> {
  return { metadata: { name, ...metadata }, spec: { name: `Name of ${name}`, ...spec } };
}
