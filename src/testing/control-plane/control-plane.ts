import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startDaemon, type Daemon, type DaemonOptions } from '../../daemon/app.js';
import { readConfig } from '../../config.js';
import { getMessage, hasCode, ServiceError } from '../../errors.js';
import { isTrue, statusOf } from '../../kubernetes/crd/definition-check.js';
import { formatKubeconfig } from '../../kubernetes/kubeconfig.js';
import type { Logger } from '../../lib/log/logger.js';
import type { Service } from '../../service/service.js';
import { MemoryEngine, MemoryStore } from '../memory-engine.js';
import { ERRORS } from '../stderr-loggers.js';
import { readDefinitions, type DefinitionSource, type GivenDefinition } from './definition-files.js';
import { InitialState } from './initial-state.js';
import { temporaryDirectory, type TemporaryDirectory } from './temporary-directory.js';

/** The kinds of Kubernetes that a control plane for tests serves. */
const KINDS = 'full';

/** The parts of a control plane for tests. */
export interface ControlPlaneOptions {
  /** Definitions (CustomResourceDefinitions) that exist from the start: files, directories, or the objects themselves. */
  readonly crds?: readonly DefinitionSource[];
  /** Default: a free one. */
  readonly port?: number;
  /**
   * Where services are reached whose webhooks are called, by `NAMESPACE/NAME`: `{ 'shop/hooks': 'https://127.0.0.1:9443' }`. Default:
   * none; webhooks with a URL need no entry.
   */
  readonly serviceUrls?: Readonly<Record<string, string>>;
  /**
   * False: objects stay when their owners are deleted, as with the kube-apiserver of envtest, which has no controllers. Default:
   * true.
   */
  readonly garbageCollection?: boolean;
}

/** How a control plane listens, for callers that do not use its kubeconfig. */
export interface PlaneListening extends Pick<DaemonOptions, 'tls'> {
  readonly host?: string;
  /** Settings by their keys in `xsvc.yaml`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Default: errors go to stderr. A reset makes warnings. */
  readonly logger?: Logger;
}

/** A running control plane. Stop it when the tests have ended. */
export interface ControlPlane extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** A kubeconfig as text. Its user may do everything. */
  readonly kubeconfig: string;
  /** A file with the kubeconfig, until the control plane stops. */
  readonly kubeconfigPath: string;
  /**
   * Deletes all objects, and definitions that were added, and brings those of the start back as they were. Nothing waits
   * for finalizers. Watches end, so that clients list again; resource versions continue.
   */
  reset(): Promise<void>;
  /** Stops it and removes its files. May be called again. */
  stop(): Promise<void>;
}

/**
 * Starts a control plane of Kubernetes in this process: it keeps all objects in memory and runs no pods. It is ready when the
 * promise resolves, and all given definitions are served. Several may run at the same time.
 *
 * ```ts
 * const plane = await startControlPlane({ crds: ['config/crd'] });
 * process.env.KUBECONFIG = plane.kubeconfigPath;
 * // ...
 * await plane.reset(); // between two tests
 * await plane.stop();
 * ```
 *
 * @throws Error when a definition cannot be read or is refused, with its file and the reason; it leaves nothing behind
 */
export function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  return serveControlPlane(options);
}

/** {@link startControlPlane}, for commands. */
export async function serveControlPlane(
  { crds = [], port = 0, serviceUrls = {}, garbageCollection = true }: ControlPlaneOptions,
  listening: PlaneListening = {},
): Promise<ControlPlane> {
  const serviceUrl = Object.entries(serviceUrls).map(([service, url]) => `${service}=${url}`);
  const definitions = await readDefinitions(crds);
  const directory = temporaryDirectory('xsvc-envtest-');
  try {
    const settings = { serviceUrl, ...listening.settings };
    return await start(definitions, { port, garbageCollection }, { ...listening, settings }, directory);
  } catch (error) {
    directory.remove();
    throw error;
  }
}

async function start(
  definitions: readonly GivenDefinition[],
  { port, garbageCollection }: Required<Pick<ControlPlaneOptions, 'port' | 'garbageCollection'>>,
  { tls, host = '127.0.0.1', settings = {}, logger = ERRORS }: PlaneListening,
  directory: TemporaryDirectory,
): Promise<ControlPlane> {
  const config = readConfig({
    flags: { dataDir: path.join(directory.path, 'data'), host, port, plugins: [], kubernetes: KINDS },
    file: { path: path.join(directory.path, 'settings'), text: JSON.stringify(settings) },
    env: {},
    cwd: directory.path,
  });
  const store = new MemoryStore();
  const daemon = await startDaemon(config, logger, {
    engine: new MemoryEngine(store),
    tls,
    garbageCollection,
  });
  try {
    await createAll(daemon.service, definitions);
    const kubeconfig = formatKubeconfig({ server: { url: daemon.url } });
    const kubeconfigPath = path.join(directory.path, 'kubeconfig');
    await writeFile(kubeconfigPath, kubeconfig, { mode: 0o600 });
    return controlPlane(daemon, { kubeconfig, kubeconfigPath, store, directory });
  } catch (error) {
    await daemon.close();
    throw error;
  }
}

interface Parts extends Pick<ControlPlane, 'kubeconfig' | 'kubeconfigPath'> {
  readonly store: MemoryStore;
  readonly directory: TemporaryDirectory;
}

function controlPlane(daemon: Daemon, { store, directory, ...parts }: Parts): ControlPlane {
  const initial = new InitialState(store);
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= daemon.close().finally(() => directory.remove()));
  return {
    url: daemon.url,
    ...parts,
    async reset() {
      initial.restore();
      await forgetOtherKinds(daemon.service);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

const DEFINITION = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' };

/** Creates the definitions, whose kinds are served afterwards. */
async function createAll(service: Service, definitions: readonly GivenDefinition[]): Promise<void> {
  // One after another: each is checked against the names of those before it.
  for (const one of definitions) await createOne(service, one);
}

async function createOne(service: Service, { value, place }: GivenDefinition): Promise<void> {
  const resource = service.models.findByKind(DEFINITION);
  if (resource === undefined) throw new Error('definitions are not served');
  try {
    const { object } = await service.create(resource, value);
    const { conditions = [] } = statusOf(object);
    if (isTrue(statusOf(object), 'Established')) return;
    const names = conditions.find(({ type }) => type === 'NamesAccepted');
    throw new ServiceError('Conflict', names?.message ?? 'it is not established');
  } catch (error) {
    const message = `${place}: ${getMessage(error)}`;
    throw error instanceof ServiceError ? new ServiceError(error.code, message, error.details) : error;
  }
}

/** Removes the models of definitions that no longer exist. */
async function forgetOtherKinds({ models, store }: Service): Promise<void> {
  await models.catchUp();
  for (const table of store.allTables()) {
    const { resource } = table;
    if (resource.origin !== 'definition' || models.findByKind(resource) !== undefined) continue;
    await models.lifecycle.forget(table).catch((error: unknown) => {
      // A client writes objects of it now.
      if (!hasCode(error, 'Conflict')) throw error;
    });
  }
}
