import path from 'node:path';
import type { Config } from './config.js';
import { messageOf } from './errors.js';
import { createExpressApp } from './http/express-app.js';
import { isLoopback } from './http/guard.js';
import { listen } from './http/server.js';
import type { Logger } from './lib/logger.js';
import { SchemeRegistry } from './model/registry.js';
import { discoverPlugins, type Discovery } from './plugin/discover.js';
import { PluginManager } from './plugin/manager.js';
import { createPluginHost } from './plugin-host.js';
import { openStore } from './reader.js';
import { Models } from './service/models.js';
import { Service } from './service/service.js';
import { check, type Disagreement } from './store/check.js';
import type { Store } from './store/store.js';
import { ownVersion } from './version.js';

/** How long requests under way may take when the daemon stops. */
const DRAIN_MS = 10_000;
/** How often old index entries and old log entries are looked for. */
const UPKEEP_INTERVAL_MS = 30_000;

export interface Daemon {
  readonly url: string;
  /** Plugins that failed to start, each with why. */
  readonly failures: readonly string[];
  /** Takes no new requests, ends those under way, stops the plugins, closes the store. */
  close(): Promise<void>;
}

interface Core {
  readonly store: Store;
  readonly service: Service;
  readonly registry: SchemeRegistry;
}

async function openCore(config: Config): Promise<Core> {
  const store = await openStore({ dataDir: config.dataDir, relaxed: config.durability === 'relaxed' }, false);
  const models = new Models(store);
  return { store, registry: new SchemeRegistry(), service: new Service({ store, models }) };
}

async function createManager(
  core: Core,
  config: Config,
  logger: Logger,
  { registerOnly, alsoEnabled }: { registerOnly: boolean; alsoEnabled?: string | undefined },
) {
  const { service, registry } = core;
  const { platformPlugins, pluginConfig } = config;
  const given = { service, registry, logger, platformPlugins, pluginConfig };
  const host = await createPluginHost(alsoEnabled === undefined ? given : { ...given, alsoEnabled });
  const hostModules = new Map<string, object>([
    ['xsvc', await import('./index.js')],
    ['express', await import('express')],
  ]);
  const cacheDirectory = path.join(config.dataDir, 'plugin-cache');
  return new PluginManager(host, { hostModules, cacheDirectory, registerOnly });
}

/** The plugins of the configured directories, their code not loaded. */
export function discover(config: Config): Promise<Discovery> {
  const version = ownVersion();
  const [first] = config.plugins;
  const byDefault = !config.pluginsGiven && first !== undefined ? { defaultDirectory: first } : {};
  return discoverPlugins(config.plugins, { xsvcVersion: version, ...byDefault });
}

/**
 * Serves the store over HTTP and starts the plugins. Resolves when all of them have started or failed;
 * requests are answered before that.
 * @throws ServiceError when the store or the address cannot be opened, or a plugin directory is missing
 */
export async function startDaemon(config: Config, logger: Logger): Promise<Daemon> {
  const discovery = await discover(config);
  const core = await openCore(config);
  const { service, store } = core;
  let unready: string | undefined = 'plugins are starting';
  const app = createExpressApp({
    service,
    models: service.context.models,
    logger,
    bodyBytesMax: config.maxBodyBytes,
    loopbackOnly: isLoopback(config.host) && !config.insecure,
    version: ownVersion(),
    unready: () => unready,
  });
  const server = await listen(app, config).catch(async (error: unknown) => {
    await service.close();
    throw error;
  });
  try {
    const manager = await createManager(core, config, logger, { registerOnly: false });
    const failed = await manager.startAll(discovery);
    unready = undefined;
    const retention = { count: config.logRetentionCount, ageMs: config.logRetentionAgeMs };
    const stopUpkeep = everySoOften(UPKEEP_INTERVAL_MS, logger, async () => {
      await store.sweep();
      await store.trimLog(retention);
    });
    return {
      url: server.url,
      failures: failed.map(({ name, status }) => `plugin "${name}": ${status.message ?? 'failed'}`),
      async close() {
        unready = 'the service is stopping';
        await server.close(DRAIN_MS);
        await stopUpkeep();
        await manager.stopAll();
        await service.close();
      },
    };
  } catch (error) {
    await server.close(0);
    await service.close();
    throw error;
  }
}

/** Runs a task now and again and again, never twice at once. The answer ends it and waits for a run under way. */
function everySoOften(intervalMs: number, logger: Logger, task: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  const run = (): void => {
    running ??= task()
      .catch((error: unknown) => logger.warn(`upkeep of the store failed: ${messageOf(error)}`))
      .finally(() => (running = undefined));
  };
  const timer = setInterval(run, intervalMs);
  timer.unref();
  run();
  return async () => {
    clearInterval(timer);
    await running;
  };
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
  const core = await openCore(config);
  const { service } = core;
  try {
    const manager = await createManager(core, config, logger, { registerOnly: true, alsoEnabled });
    for (const { name, status } of await manager.startAll(discovery)) {
      logger.warn(`plugin "${name}" failed: ${status.message ?? 'unknown reason'}`);
    }
    service.beforeClose(() => manager.stopAll());
    // What plugins that are gone left behind can still be read and removed.
    service.context.models.openStored();
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

/** Compares objects, indexes and log; with the plugins' code, so that index functions are compared too. */
export async function openCheck(
  config: Config,
  logger: Logger,
): Promise<{ readonly disagreements: AsyncIterable<Disagreement>; close(): Promise<void> }> {
  const service = await openWriter(config, logger);
  return { disagreements: check(service.context.store), close: () => service.close() };
}
