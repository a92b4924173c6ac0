import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AccessControl } from './access/control.js';
import { ADMIN, makeFirstUser } from './access/issue.js';
import { openAccessModels } from './access/models.js';
import { sweepTokens } from './access/sweep.js';
import type { Config } from './config.js';
import { ControllerManager } from './controller/manager.js';
import type { ServedRoute } from './endpoint/route.js';
import { openEventModel } from './events/model.js';
import { EventRecorder } from './events/recorder.js';
import { sweepEvents } from './events/sweep.js';
import { messageOf, type ServiceError } from './errors.js';
import type { AccessLogEntry } from './http/access-log.js';
import { Converter } from './http/converter.js';
import { createExpressApp } from './http/express-app.js';
import type { HealthCheck } from './http/health.js';
import { EndpointRegistry } from './http/endpoint/endpoints.js';
import { PluginAssets } from './http/plugin-assets.js';
import { listen, type TlsFiles } from './http/server.js';
import { Startup } from './http/startup.js';
import { WatchStreams } from './http/watch.js';
import type { Logger } from './lib/logger.js';
import { CacheBudget } from './lib/cache-budget.js';
import { earliestNow, SYSTEM_CLOCK } from './lib/clock.js';
import { isLoopback } from './lib/loopback.js';
import { userName } from './lib/process-identity.js';
import { SchemeRegistry } from './model/registry.js';
import type { Resource } from './model/resource.js';
import type { Scheme } from './model/scheme.js';
import { discoverPlugins, type Discovery, type PluginSource } from './plugin/discover.js';
import type { PluginHost } from './plugin/plugin-host.js';
import { PluginManager } from './plugin/manager.js';
import { backupSource, sweepBackups } from './wiring/backup-source.js';
import { controllerReports } from './wiring/controller-reports.js';
import { controllerSource } from './wiring/controller-source.js';
import { warnIfShared } from './wiring/data-directory.js';
import { LiveComponents } from './wiring/live-components.js';
import { createPluginHost, tagged, type PluginHostOptions } from './wiring/plugin-host.js';
import { PluginLife } from './wiring/plugin-life.js';
import { storeSizeReader } from './wiring/store-size.js';
import { troubleEvents } from './wiring/trouble-events.js';
import { followTls } from './wiring/tls.js';
import { openStore, type StoreAccess } from './reader.js';
import { Models } from './service/models.js';
import { Service } from './service/service.js';
import { check, type Disagreement } from './store/check.js';
import { lmdbExists } from './store/lmdb/files.js';
import type { Store } from './store/store.js';
import { ownVersion } from './version.js';

/** How long requests under way may take when the daemon stops. */
const DRAIN_MS = 10_000;
/** How often old index entries and old log entries are looked for. */
const UPKEEP_INTERVAL_MS = 30_000;

export interface Daemon {
  readonly url: string;
  readonly service: Service;
  readonly registry: SchemeRegistry;
  readonly controllers: ControllerManager;
  /** Plugins that failed to start, each with why. */
  readonly failures: readonly string[];
  /** Takes no new requests, ends those under way, stops the plugins, closes the store. */
  close(): Promise<void>;
}

interface Core {
  readonly store: Store;
  readonly service: Service;
  readonly registry: SchemeRegistry;
  readonly events: EventRecorder;
}

async function openCore(
  { dataDir, durability, diskReserveBytes, cacheBytes, maxObjectBytes: objectBytesMax }: Config,
  logger: Logger,
  { user, ...forDaemon }: Pick<StoreAccess, 'readAhead' | 'onBroken'> & { readonly user?: string } = {},
): Promise<Core> {
  const relaxed = durability === 'relaxed';
  const store = await openStore({ dataDir, relaxed, diskReserveBytes, objectBytesMax, ...forDaemon }, false);
  const models = new Models(store);
  const registry = new SchemeRegistry();
  const cacheBudget = new CacheBudget(cacheBytes);
  const service = new Service({ store, models, cacheBudget, ...(user !== undefined && { user }) });
  const events = new EventRecorder({ service, clock: SYSTEM_CLOCK, logger });
  service.beforeClose(() => events.close());
  try {
    await openAccessModels(models, registry);
    await openEventModel(models, registry);
    return { store, registry, service, events };
  } catch (error) {
    await service.close();
    throw error;
  }
}

interface Plugins {
  readonly host: PluginHost;
  readonly manager: PluginManager;
}

async function createPlugins(
  core: Core,
  config: Config,
  logger: Logger,
  given: { registerOnly: boolean } & Pick<PluginHostOptions, 'alsoEnabled' | 'components'>,
): Promise<Plugins> {
  const { registerOnly, ...forHost } = given;
  const { service, registry, events } = core;
  const { platformPlugins, pluginConfig } = config;
  const host = await createPluginHost({
    service,
    registry,
    events,
    logger,
    platformPlugins,
    pluginConfig,
    ...forHost,
  });
  const hostModules = new Map<string, object>([
    ['xsvc', await import('./index.js')],
    ['express', await import('express')],
  ]);
  const cacheDirectory = path.join(config.dataDir, 'plugin-cache');
  return { host, manager: new PluginManager(host, { hostModules, cacheDirectory, registerOnly }) };
}

function createEndpoints(
  { registry }: Core,
  { maxBodyBytes }: Config,
  converter: Converter,
): EndpointRegistry {
  return new EndpointRegistry({
    schemes: () => registry.schemes(),
    bodyBytesMax: maxBodyBytes,
    converter,
  });
}

function modelsIn({ registry }: Core): () => readonly Resource[] {
  return () => registry.schemes().map(({ resource }) => resource);
}

/** Whose a model is: a plugin's, or the platform's. */
function ownersIn({ registry }: Core): (model: Resource) => string | undefined {
  return ({ group, version, plural }) => registry.find(group, version, plural)?.owner;
}

function createControllers({ service, registry, events }: Core, logger: Logger): ControllerManager {
  return new ControllerManager({
    source: controllerSource(service, registry),
    loggerFor: (plugin) => tagged(logger, plugin),
    onTrouble: troubleEvents(service, events),
  });
}

/** The plugins of the configured directories, their code not loaded, and those that are given. */
export function discover(config: Config, given: readonly PluginSource[] = []): Promise<Discovery> {
  const version = ownVersion();
  const [first] = config.plugins;
  const byDefault = !config.pluginsGiven && first !== undefined ? { defaultDirectory: first } : {};
  return discoverPlugins(config.plugins, { xsvcVersion: version, given, ...byDefault });
}

/** What a daemon is given besides its configuration. */
export interface DaemonOptions {
  /** Speak TLS only. */
  readonly tls?: TlsFiles | undefined;
  /** Plugins besides those of the configured directories. */
  readonly plugins?: readonly PluginSource[];
  /** Told of each request when it was answered. */
  readonly accessLog?: ((entry: AccessLogEntry) => void) | undefined;
  /** Told of the token of the first user, who was just made. It is stored nowhere. */
  readonly onFirstToken?: (user: string, token: string) => void;
  /** Told once when the medium of the store failed: the daemon refuses writes from then on and should be closed. */
  readonly onBroken?: (error: ServiceError) => void;
}

/**
 * Serves the store over HTTP and starts the plugins. Resolves when all of them have started or failed;
 * requests are answered before that.
 * @throws ServiceError when the store or the address cannot be opened, or a plugin directory is missing
 */
export async function startDaemon(
  config: Config,
  logger: Logger,
  { tls, plugins: given, accessLog, onFirstToken, onBroken }: DaemonOptions = {},
): Promise<Daemon> {
  const discovery = await discover(config, given);
  const core = await openCore(config, logger, { readAhead: true, ...(onBroken && { onBroken }) });
  const { service, store } = core;
  await warnIfShared(config.dataDir, logger);
  await sweepBackups(config.dataDir).catch((error: unknown) =>
    logger.warn(`what is left of backups cannot be taken away: ${messageOf(error)}`),
  );
  const startup = new Startup();
  const state = { isStopping: false };
  const watches = new WatchStreams();
  const controllers = createControllers(core, logger);
  const converter = new Converter();
  const endpoints = createEndpoints(core, config, converter);
  const assets = new PluginAssets();
  const access = config.auth === 'token' ? new AccessControl(service) : undefined;
  const closeAndThrow = async (error: unknown): Promise<never> => {
    await service.close();
    throw error;
  };
  if (access !== undefined) {
    const token = await makeFirstUser(service).catch(closeAndThrow);
    if (token !== undefined) onFirstToken?.(ADMIN, token);
  }
  const storeSize = storeSizeReader(config.dataDir);
  service.beforeClose(() => storeSize.close());
  const app = createExpressApp({
    service,
    ...(access && { access }),
    accessLog,
    makeBackup: backupSource(config.dataDir),
    watches,
    storeSize: () => storeSize.read(),
    controllers: controllerReports(controllers, service),
    endpoints,
    assets,
    converter,
    described: { ownerOf: ownersIn(core) },
    models: service.models,
    logger,
    bodyBytesMax: config.maxBodyBytes,
    bodyTimeoutMs: config.bodyTimeoutMs,
    slowListMs: config.slowListMs,
    allowedOrigins: new Set(config.corsOrigins),
    loopbackOnly: access === undefined && isLoopback(config.host) && !config.insecure,
    version: ownVersion(),
    readiness: readinessOf(startup, state, store),
    startup,
  });
  const server = await listen(app, { ...config, tls, logger }).catch(closeAndThrow);
  const forgetTls = followTls(config, tls, logger, (files) => server.renewTls(files));
  try {
    const { platformPlugins } = config;
    const components = new LiveComponents({
      endpoints,
      assets,
      controllers,
      platformPlugins,
      models: modelsIn(core),
    });
    const plugins = await createPlugins(core, config, logger, { registerOnly: false, components });
    const life = new PluginLife({
      ...plugins,
      controllers,
      logger,
      discover: () => discover(config, given),
      watched: config.watch ? config.plugins : undefined,
    });
    const failed = await life.start(discovery);
    startup.end();
    const retention = {
      count: config.logRetentionCount,
      ageMs: config.logRetentionAgeMs,
      bytesMax: config.logRetentionBytes,
    };
    const upkeep = everySoOften(UPKEEP_INTERVAL_MS, logger, async () => {
      store.clearDeadReaders();
      await store.sweep();
      await store.trimLog(retention, earliestNow());
      if (access !== undefined) await sweepTokens(service);
      await sweepEvents(service);
    });
    store.limitLog({ bytesMax: retention.bytesMax, onPassed: upkeep.run });
    return {
      url: server.url,
      service,
      registry: core.registry,
      controllers,
      failures: failed.map(({ name, status }) => `plugin "${name}": ${status.message ?? 'failed'}`),
      async close() {
        state.isStopping = true;
        forgetTls();
        watches.close();
        await server.close(DRAIN_MS);
        await upkeep.stop();
        await life.close();
        await service.close();
      },
    };
  } catch (error) {
    forgetTls();
    await server.close(0);
    await service.close();
    throw error;
  }
}

interface DaemonState {
  readonly isStopping: boolean;
}

function readinessOf(
  startup: Pick<Startup, 'isOver'>,
  state: DaemonState,
  store: Pick<Store, 'writeProblem'>,
): readonly HealthCheck[] {
  return [
    { name: 'plugins', problem: () => (startup.isOver ? undefined : 'plugins are starting') },
    { name: 'shutdown', problem: () => (state.isStopping ? 'the service is stopping' : undefined) },
    { name: 'store', problem: () => store.writeProblem() },
  ];
}

interface Upkeep {
  /** Runs the task now, unless it runs. */
  readonly run: () => void;
  /** Waits for a run under way. */
  readonly stop: () => Promise<void>;
}

/** Runs a task now and again and again, never twice at once. */
function everySoOften(intervalMs: number, logger: Logger, task: () => Promise<void>): Upkeep {
  let running: Promise<void> | undefined;
  const run = (): void => {
    running ??= task()
      .catch((error: unknown) => logger.warn(`upkeep of the store failed: ${messageOf(error)}`))
      .finally(() => (running = undefined));
  };
  const timer = setInterval(run, intervalMs);
  timer.unref();
  run();
  const stop = async (): Promise<void> => {
    clearInterval(timer);
    await running;
  };
  return { run, stop };
}

/** The store with the models of all plugins, without a server: for writes, and to look after plugins. */
export interface PluginStore {
  readonly service: Service;
  readonly manager: PluginManager;
}

/**
 * Opens the store and registers the models of all plugins. A plugin that fails is reported to the logger; its
 * models are not there.
 * @param alsoEnabled a plugin that is registered even when it is switched off
 */
export async function openPluginStore(
  config: Config,
  logger: Logger,
  alsoEnabled?: string,
): Promise<PluginStore> {
  const discovery = await discover(config);
  const core = await openCore(config, logger, { user: userName() });
  const { service } = core;
  try {
    const enabled = alsoEnabled === undefined ? {} : { alsoEnabled };
    const { manager } = await createPlugins(core, config, logger, { registerOnly: true, ...enabled });
    for (const { name, status } of await manager.startAll(discovery)) {
      logger.warn(`plugin "${name}" failed: ${status.message ?? 'unknown reason'}`);
    }
    service.beforeClose(() => manager.stopAll());
    // What plugins that are gone left behind can still be read and removed.
    service.models.openStored();
    return { service, manager };
  } catch (error) {
    await service.close();
    throw error;
  }
}

/** Verbs on the store with the models of all plugins, see {@link openPluginStore}. */
export async function openWriter(config: Config, logger: Logger): Promise<Service> {
  return (await openPluginStore(config, logger)).service;
}

/** What can be described without a server. */
export interface OpenDescription {
  /** Those of the plugins that are switched on. */
  readonly models: readonly Resource[];
  readonly routes: readonly ServedRoute[];
  /** The plugin that a model is of, or `platform`. */
  readonly ownerOf: (model: Resource) => string | undefined;
  /** The models with their code: what can be checked without a store. */
  readonly schemes: readonly Scheme[];
  close(): Promise<void>;
}

/**
 * Registers the models of all plugins to describe them. Where there is no store, none is left behind.
 * @throws ServiceError when the store cannot be opened, or a plugin directory is missing
 */
export function openDescription(config: Config, logger: Logger): Promise<OpenDescription> {
  return describe(config, logger, !lmdbExists(config.dataDir));
}

/**
 * Registers the models of all plugins without looking at the configured store, and without leaving one behind.
 * @throws ServiceError when a plugin directory is missing
 */
export function openOffline(config: Config, logger: Logger): Promise<OpenDescription> {
  return describe(config, logger, true);
}

async function describe(config: Config, logger: Logger, isTemporary: boolean): Promise<OpenDescription> {
  const discovery = await discover(config);
  const temporary = isTemporary ? await mkdtemp(path.join(tmpdir(), 'xsvc-')) : undefined;
  const given = temporary === undefined ? config : { ...config, dataDir: temporary };
  const core = await openCore(given, logger);
  const close = async (): Promise<void> => {
    await core.service.close();
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
  };
  try {
    const endpoints = createEndpoints(core, given, new Converter());
    const { platformPlugins } = given;
    const components = new LiveComponents({
      endpoints,
      controllers: undefined,
      platformPlugins,
      models: modelsIn(core),
    });
    const { manager } = await createPlugins(core, given, logger, { registerOnly: true, components });
    for (const { name, status } of await manager.startAll(discovery)) {
      logger.warn(`plugin "${name}" failed: ${status.message ?? 'unknown reason'}`);
    }
    core.service.beforeClose(() => manager.stopAll());
    const schemes = core.registry.schemes();
    const owners = new Map(schemes.map(({ resource, owner }) => [resource, owner] as const));
    return {
      models: [...owners.keys()],
      routes: endpoints.list(),
      ownerOf: (model) => owners.get(model),
      schemes,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Compares objects, indexes and log; with the plugins' code, so that index functions are compared too. */
export async function openCheck(
  config: Config,
  logger: Logger,
): Promise<{ readonly disagreements: AsyncIterable<Disagreement>; close(): Promise<void> }> {
  const service = await openWriter(config, logger);
  return { disagreements: check(service.store), close: () => service.close() };
}
