import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startDaemon } from '../daemon/app.js';
import { readConfig } from '../config.js';
import type { Logger } from '../lib/log/logger.js';
import type { ExtensionClient } from '../service/extension-client.js';
import { eventually, type WaitOptions } from './eventually.js';
import { givenPlugins, type TestModel, type TestPlugin } from './given-plugins.js';
import { WARNINGS } from './stderr-loggers.js';

/** The parts of a service for a test. */
export interface TestServiceOptions {
  /** Directories, main modules or main classes of plugins. */
  readonly plugins?: readonly TestPlugin[];
  /** Models that belong to none of the plugins. */
  readonly models?: readonly TestModel[];
  /**
   * Settings by their keys in `xsvc.yaml`, such as `{ pluginConfig: { note: { color: 'yellow' } } }`. With
   * `{ auth: 'token' }` the service's `fetch` sends the token of the first user, `admin`.
   */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Receives the log of the service and its plugins. By default warnings and errors go to stderr. */
  readonly logger?: Logger;
  /** The directory of the store, to start another service on it later; by default a directory that `close` removes. */
  readonly dataDir?: string;
}

/** A request, with an optional body as a JSON value. */
export interface TestRequest extends RequestInit {
  /** Sent as JSON, with the matching `Content-Type`. */
  readonly json?: unknown;
}

/** A running service. Close it when the test has ended. */
export interface TestService extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`, with a free port. */
  readonly url: string;
  /** Reads and writes objects, like the client of a plugin. */
  readonly client: ExtensionClient;
  /** Sends a request over HTTP. @param target path and query, such as `/apis/note.example.com/v1alpha1/notes` */
  fetch(target: string, request?: TestRequest): Promise<Response>;
  /**
   * Waits until the controllers have processed every change, including their own, and have no work left. Does not wait for names
   * that a reconciler wants again at a later time.
   * @throws Error when the time is over; it states the remaining work and the failures of each controller
   */
  controllersSettled(options?: WaitOptions): Promise<void>;
  /** Stops plugins and controllers, and removes the store, unless a `dataDir` was given. May be called again. */
  close(): Promise<void>;
}

/**
 * Starts a service in this process, with its own store. It is ready when the promise resolves: plugins have started and their
 * declared objects exist. Several services may run at the same time.
 *
 * ```ts
 * const service = await startTestService({ plugins: [new URL('..', import.meta.url)] });
 * await service.client.create(Note, { metadata: { name: 'first' }, spec: { title: 'First' } });
 * await service.controllersSettled();
 * const answer = await service.fetch('/apis/note.example.com/v1alpha1/notes/first');
 * await service.close();
 * ```
 *
 * @throws Error when a plugin does not start, with the reason; it leaves nothing behind
 */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const temporary = await mkdtemp(path.join(tmpdir(), 'xsvc-test-'));
  const removeTemporary = (): Promise<void> => rm(temporary, { recursive: true, force: true });
  try {
    return await start(options, temporary, removeTemporary);
  } catch (error) {
    await removeTemporary();
    throw error;
  }
}

async function start(
  options: TestServiceOptions,
  temporary: string,
  removeTemporary: () => Promise<void>,
): Promise<TestService> {
  const { plugins = [], models = [], settings = {}, logger = WARNINGS } = options;
  const { directories, sources } = await givenPlugins(plugins, models, path.join(temporary, 'plugins'));
  const dataDir = options.dataDir ?? path.join(temporary, 'data');
  const config = readConfig({
    flags: { dataDir, port: 0, plugins: directories },
    file: { path: path.resolve('settings'), text: JSON.stringify({ durability: 'relaxed', ...settings }) },
    env: {},
    cwd: process.cwd(),
  });
  let token: string | undefined;
  const daemon = await startDaemon(config, logger, {
    plugins: sources,
    onFirstToken: (_user, first) => (token = first),
  });
  if (daemon.failures.length > 0) {
    await daemon.close();
    throw new Error(daemon.failures.join('\n'));
  }
  const { url, service, clients, controllers } = daemon;
  const { store } = service;
  const stop = new AbortController();
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    stop.abort();
    closed ??= daemon.close().finally(removeTemporary);
    return closed;
  };
  return {
    url,
    client: clients.clientOfTest(stop.signal),
    fetch: (target, request = {}) => fetch(new URL(target, url), getRequest(request, token)),
    controllersSettled: (wait) =>
      eventually(async () => {
        const revision = await store.revision();
        const left = controllers.leftToDo(revision);
        if (left.length > 0) throw new Error(left.join('; '));
        // A controller that worked when the revision was read may have written since.
        return (await store.revision()) === revision;
      }, wait).then(() => undefined),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function getRequest({ json, ...request }: TestRequest, token: string | undefined): RequestInit {
  const headers = new Headers(request.headers);
  if (token !== undefined && !headers.has('Authorization')) headers.set('Authorization', `Bearer ${token}`);
  if (json === undefined) return { ...request, headers };
  if (!headers.has('Content-Type')) headers.set('Content-Type', 'application/json');
  return { ...request, headers, body: JSON.stringify(json) };
}
