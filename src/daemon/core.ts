import path from 'node:path';
import { checkLimits } from '../access/limits/role-check.js';
import { openAccessModels, ROLES } from '../access/models.js';
import type { AuditLog } from '../audit/audit-log.js';
import type { Config } from '../config.js';
import { ControllerManager } from '../controller/manager.js';
import { openEventModel } from '../events/model.js';
import { EVENTS, KUBERNETES_EVENTS } from '../events/names.js';
import { EventRecorder } from '../events/recorder.js';
import type { BodyBudget } from '../http/admission/body-budget.js';
import type { Converter } from '../http/answer/converter.js';
import { EndpointRegistry } from '../http/endpoint/endpoints.js';
import { CacheBudget } from '../lib/cache-budget.js';
import { SYSTEM_CLOCK } from '../lib/time/clock.js';
import type { Logger } from '../lib/log/logger.js';
import { SchemeRegistry } from '../model/declare/registry.js';
import type { Resource } from '../model/resource.js';
import { discoverPlugins, type Discovery, type PluginSource } from '../plugin/discover.js';
import type { UpgradeProgress } from '../lifecycle/upgrade/upgrade.js';
import { PluginManager, type PluginManagerOptions } from '../plugin/manager.js';
import type { PluginHost } from '../plugin/plugin-host.js';
import { openStore, type StoreAccess } from '../admin/reader.js';
import { KeptManagers } from '../kubernetes/apply/kept-managers.js';
import { openKubernetes, type Kubernetes } from '../kubernetes/open.js';
import { Models } from '../service/models.js';
import { Service } from '../service/service.js';
import type { Store } from '../store/store.js';
import { ownVersion } from '../version.js';
import { openViewModel } from '../views/model.js';
import { openWebhookModel } from '../webhooks/model.js';
import { controllerSource } from './controller-source.js';
import { PluginClients } from './plugin-clients.js';
import { createPluginHost, tagged, type PluginHostOptions } from './plugin-host.js';
import { troubleEvents } from './trouble-events.js';

/** The store and the layers on it, without plugins. */
export interface Core {
  readonly store: Store;
  readonly service: Service;
  readonly registry: SchemeRegistry;
  readonly events: EventRecorder;
}

export interface CoreOptions extends Pick<StoreAccess, 'engine' | 'readAhead' | 'onBroken' | 'holdsModels'> {
  /** The author of writes. */
  readonly user?: string;
  /** Records writes. Default: they are not recorded. */
  readonly audit?: AuditLog | undefined;
  /** True to only register the models of the platform, and not to change the store. Default false. */
  readonly leavesStore?: boolean;
  /** Default false. */
  readonly readOnly?: boolean;
}

/** Opens the store, with the models of the platform. @throws ServiceError when it cannot be opened */
export async function openCore(
  { durability, cacheBytes, leaseMs, maxObjectBytes: objectBytesMax, ...config }: Config,
  logger: Logger,
  { user, audit, leavesStore = false, readOnly = false, ...forDaemon }: CoreOptions = {},
): Promise<Core> {
  const relaxed = durability === 'relaxed';
  const lifecycle = await openStore(
    {
      ...getPlace(config),
      relaxed,
      objectBytesMax,
      leaseMs,
      warn: (message) => logger.warn(message),
      upgrade: config.upgrade,
      takeover: config.takeover,
      onUpgrade: reportUpgrade(logger),
      ...forDaemon,
    },
    readOnly,
  );
  const { store } = lifecycle;
  const models = new Models(lifecycle);
  const registry = new SchemeRegistry();
  const cacheBudget = new CacheBudget(cacheBytes);
  const service = new Service({
    store,
    models,
    cacheBudget,
    audit: audit?.writes,
    fieldManagers: new KeptManagers(cacheBudget),
    ...(user !== undefined && { user }),
  });
  const hasKinds = config.kubernetes !== 'off';
  const model = hasKinds ? KUBERNETES_EVENTS : EVENTS;
  const events = new EventRecorder({ service, model, clock: SYSTEM_CLOCK, logger });
  service.beforeClose(() => events.close());
  const opening: Pick<Models, 'open'> = leavesStore ? { open: () => Promise.resolve() } : models;
  try {
    // In parallel, so that their commits become one commit.
    await Promise.all([
      openAccessModels(opening, registry),
      openWebhookModel(opening, registry, store),
      openViewModel(opening, registry),
      // The kinds of Kubernetes have their own.
      hasKinds || openEventModel(opening, registry),
    ]);
    service.beforeWrites(ROLES, (role) => checkLimits(models, role));
    return { store, registry, service, events };
  } catch (error) {
    await service.close();
    throw error;
  }
}

/** Logs the begin of each upgrade, and its progress at intervals. */
function reportUpgrade(logger: Logger): (progress: UpgradeProgress) => void {
  let last = -Infinity;
  let step = 0;
  return ({ from, to, description, done, total }) => {
    const now = performance.now();
    if (to !== step) logger.warn(`upgrading the store from format ${from} to ${to}: ${description}`);
    else if (now - last < UPGRADE_INTERVAL_MS && done < total) return;
    logger.info(`upgrading the store: ${done} of ${total} objects`);
    step = to;
    last = now;
  };
}

/** Time between two lines about the progress of an upgrade. */
const UPGRADE_INTERVAL_MS = 5_000;

function getPlace(
  config: Pick<Config, 'dataDir' | 'shared' | 'storeTimeoutMs' | 'diskReserveBytes'>,
): Pick<StoreAccess, 'dataDir' | 'shared' | 'storeTimeoutMs' | 'diskReserveBytes'> {
  const { dataDir, shared, storeTimeoutMs, diskReserveBytes } = config;
  return { dataDir, shared, storeTimeoutMs, diskReserveBytes };
}

export interface Plugins {
  readonly host: PluginHost;
  readonly manager: PluginManager;
}

/** Creates the parts that start plugins. */
export async function createPlugins(
  core: Core,
  config: Config,
  logger: Logger,
  given: { registerOnly: boolean } & Pick<PluginManagerOptions, 'logsFailures'> &
    Pick<PluginHostOptions, 'alsoEnabled' | 'components' | 'leavesStore' | 'onProgress'> &
    Partial<Pick<PluginHostOptions, 'clients'>>,
): Promise<Plugins> {
  const { registerOnly, logsFailures = true, ...forHost } = given;
  // The command line works on stored objects; migrations are for the daemon, or on request.
  const migrate = registerOnly ? 'later' : config.migrate === 'auto' ? 'run' : 'refuse';
  const { service, registry, events } = core;
  const { platformPlugins, pluginConfig } = config;
  const host = await createPluginHost({
    service,
    registry,
    events,
    clients: new PluginClients({ service, schemes: registry }),
    logger,
    platformPlugins,
    pluginConfig,
    attach: { migrate, takeover: config.takeover },
    ...(!registerOnly && { unfit: config.unfit }),
    ...forHost,
  });
  const hostModules = new Map<string, object>([
    ['xsvc', await import('../index.js')],
    ['express', await import('express')],
  ]);
  const cacheDirectory = path.join(config.dataDir, 'plugin-cache');
  return {
    host,
    manager: new PluginManager(host, { hostModules, cacheDirectory, registerOnly, logsFailures }),
  };
}

export function createEndpoints(
  { registry }: Core,
  { maxBodyBytes }: Config,
  converter: Converter,
  bodyBudget?: BodyBudget,
): EndpointRegistry {
  return new EndpointRegistry({
    schemes: () => registry.schemes(),
    bodyBytesMax: maxBodyBytes,
    converter,
    ...(bodyBudget && { bodyBudget }),
  });
}

/** All models that are registered now. */
export function modelsIn({ registry }: Core): () => readonly Resource[] {
  return () => registry.schemes().map(({ resource }) => resource);
}

/** Finds the owner of a model: a plugin, or the platform. */
export function ownersIn({ registry }: Core): (model: Resource) => string | undefined {
  return ({ group, version, plural }) => registry.find(group, version, plural)?.owner;
}

export function createControllers({ service, registry, events }: Core, logger: Logger): ControllerManager {
  return new ControllerManager({
    waitsToLead: true,
    source: controllerSource(service, registry),
    loggerFor: (plugin) => tagged(logger, plugin),
    onTrouble: troubleEvents(service, events),
  });
}

/** The plugins of the configured directories, not loaded, and the given ones. */
export function discover(config: Config, given: readonly PluginSource[] = []): Promise<Discovery> {
  const version = ownVersion();
  const [first] = config.plugins;
  const byDefault = !config.pluginsGiven && first !== undefined ? { defaultDirectory: first } : {};
  return discoverPlugins(config.plugins, { xsvcVersion: version, given, ...byDefault });
}

/** Undefined when the kinds of Kubernetes are switched off. */
export async function openKinds(
  { service, registry }: Core,
  { kubernetes: kinds, serviceUrls }: Config,
  logger: Logger,
  asksWebhooks: boolean,
): Promise<Kubernetes | undefined> {
  if (kinds === 'off') return undefined;
  return openKubernetes({ service, registry, logger, kinds, serviceUrls, asksWebhooks });
}
