import { fileURLToPath } from 'node:url';
import { AccessControl } from '../access/control.js';
import { WatchTickets } from '../access/watch-tickets.js';
import { ADMIN, makeFirstUser } from '../access/issue.js';
import type { AuditLog } from '../audit/audit-log.js';
import { storeDirectory, type Config } from '../config.js';
import { ControllerManager } from '../controller/manager.js';
import { getMessage, type ServiceError } from '../errors.js';
import type { AccessLogEntry } from '../http/metrics/access-log.js';
import { Admission } from '../http/admission/admission.js';
import { Converter } from '../http/answer/converter.js';
import { PageFiles } from '../http/console/page-files.js';
import { createExpressApp } from '../http/express-app.js';
import type { Kubernetes } from '../kubernetes/open.js';
import { PROTOBUF_TYPE, readKubernetesBody } from '../kubernetes/protobuf/body.js';
import { ServiceLog } from '../http/metrics/service-log.js';
import type { Peers } from '../http/platform/peers.js';
import { PluginAssets } from '../http/plugins/plugin-assets.js';
import { createPluginPages } from '../http/plugins/plugin-pages.js';
import type { TlsFiles } from '../http/server.js';
import { Startup } from '../http/guards/startup.js';
import { WatchStreams } from '../http/routes/watch.js';
import type { Logger } from '../lib/log/logger.js';
import { BrowserSignIn } from '../oidc/browser-sign-in.js';
import { IdTokens } from '../oidc/id-tokens.js';
import { addressOf } from '../lib/origin.js';
import { isLoopback } from '../lib/process/loopback.js';
import { SchemeRegistry } from '../model/declare/registry.js';
import type { Discovery, PluginSource } from '../plugin/discover.js';
import { PluginLogs } from '../plugin/log/plugin-logs.js';
import type { PluginPhase } from '../plugin/plugin-model.js';
import { backupSource, sweepBackups } from '../admin/backup-source.js';
import { controllerReports } from './controller-reports.js';
import {
  createControllers,
  createEndpoints,
  createPlugins,
  discover,
  modelsIn,
  openCore,
  openKinds,
  ownersIn,
  type Core,
} from './core.js';
import { warnIfShared } from './data-directory.js';
import { Leadership } from './leadership.js';
import { Listeners, type Listening } from './listeners.js';
import { LiveComponents } from './live-components.js';
import { PlanSource } from './plan-source.js';
import { planOfModel } from './start-plan.js';
import { PluginClients } from './plugin-clients.js';
import { PluginConfigs } from './plugin-configs.js';
import { PluginLife } from './plugin-life.js';
import { auditCheck, getReadiness } from './readiness.js';
import { storeSizeReader, type StoreSizeReader } from '../admin/store-size.js';
import { countInvalidObjects, warnUnknownTargets } from './invalid-objects.js';
import { expiryEvents, ownerEvents } from './trouble-events.js';
import { startUpkeep, type LeaderWork } from './upkeep.js';
import { Service } from '../service/service.js';
import type { Engine } from '../store/engine.js';
import { ownVersion } from '../version.js';
import { WebhookDeliveries } from '../webhooks/deliveries.js';

/** The directory in which the build writes the files of the console. */
const CONSOLE_DIRECTORY = fileURLToPath(new URL('../console', import.meta.url));

/** The time limit for running requests when the daemon stops. */
const DRAIN_MS = 10_000;
/** The remaining part of that time when expensive requests are ended. */
const LAST_MS = 1_000;

export interface Daemon extends Listening {
  readonly service: Service;
  readonly registry: SchemeRegistry;
  readonly clients: PluginClients;
  readonly controllers: ControllerManager;
  /** Plugins that failed to start, or started without some of their models, each with a reason. */
  readonly failures: readonly string[];
  /** Takes no new requests, ends the running ones, stops the plugins, closes the store. */
  close(): Promise<void>;
}

/** The options of a daemon in addition to its configuration. */
export interface DaemonOptions {
  /** Accepts only TLS. */
  readonly tls?: TlsFiles | undefined;
  /** Plugins in addition to those of the configured directories. */
  readonly plugins?: readonly PluginSource[];
  /** Other processes that serve the same address. */
  readonly peers?: Peers | undefined;
  /** Answers requests while plugins start, or only afterwards. Default: `atOnce`. */
  readonly listens?: 'atOnce' | 'whenStarted' | undefined;
  /** Called for each request after its answer. */
  readonly accessLog?: ((entry: AccessLogEntry) => void) | undefined;
  /** Records writes, refusals and, by the configuration, reads. Its owner closes it after the daemon. */
  readonly audit?: AuditLog | undefined;
  /** The last lines of plugins; they must follow the logger. Default: separate ones. */
  readonly pluginLogs?: PluginLogs | undefined;
  /** Receives the token of the first user, which was just created. It is not stored. */
  readonly onFirstToken?: (user: string, token: string) => void;
  /** Has the store, which then has no files and no backups. Default: the configured place. */
  readonly engine?: Engine | undefined;
  /** Called once when the medium of the store failed: the daemon refuses writes from then on and should be closed. */
  readonly onBroken?: (error: ServiceError) => void;
  /** Ends a start that is not over: it is rejected with the reason, and the process must end, because plugins may go on. */
  readonly stop?: AbortSignal;
  /** False: objects stay when their owners are deleted. Default: true. */
  readonly garbageCollection?: boolean | undefined;
}

interface ServingOptions extends DaemonOptions {
  readonly pluginLogs: PluginLogs;
  readonly serviceLog: ServiceLog;
  readonly kubernetes: Kubernetes | undefined;
}

/**
 * Serves the store over HTTP and starts the plugins. Resolves when all of them have started or failed;
 * requests are answered before that.
 * @throws ServiceError when the store or the address cannot be opened, or a plugin directory is missing
 */
export async function startDaemon(
  config: Config,
  given: Logger,
  options: DaemonOptions = {},
): Promise<Daemon> {
  const pluginLogs = options.pluginLogs ?? new PluginLogs();
  const serviceLog = new ServiceLog();
  const logger = serviceLog.follow(options.pluginLogs === undefined ? pluginLogs.follow(given) : given);
  const discovery = await discover(config, options.plugins);
  const { engine, onBroken, onFirstToken } = options;
  const core = await openCore(config, logger, {
    engine,
    readAhead: true,
    holdsModels: true,
    audit: options.audit,
    ...(onBroken && { onBroken }),
  });
  try {
    await warnIfShared(config.dataDir, logger);
    if (engine === undefined) await removeLeftBackups(config, logger);
    if (config.auth === 'token') {
      const token = await makeFirstUser(core.service);
      if (token !== undefined) onFirstToken?.(ADMIN, token);
    }
    const kubernetes = await openKinds(core, config, logger, true);
    const serving = serve(core, config, logger, { ...options, pluginLogs, serviceLog, kubernetes });
    return await startPlugins(serving, core, { ...options, config, logger, discovery, work: kubernetes });
  } catch (error) {
    if (options.stop?.aborted !== true) await core.service.close();
    throw error;
  }
}

async function removeLeftBackups(config: Config, logger: Logger): Promise<void> {
  await sweepBackups(storeDirectory(config)).catch((error: unknown) =>
    logger.warn(`cannot remove leftover backup files: ${getMessage(error)}`),
  );
}

/** A service that can answer; its plugins are not started. */
interface Serving {
  /** Takes requests from now on. */
  readonly open: () => Promise<Listening>;
  readonly controllers: ControllerManager;
  readonly leadership: Leadership;
  readonly webhooks: WebhookDeliveries;
  readonly components: LiveComponents;
  readonly clients: PluginClients;
  readonly startup: Startup;
  readonly configs: PluginConfigs;
  /** Takes no new requests, and ends the running ones. */
  readonly stop: (drainMs: number) => Promise<void>;
}

function serve(
  core: Core,
  config: Config,
  logger: Logger,
  { tls, peers, engine, accessLog, audit, pluginLogs, serviceLog, kubernetes }: ServingOptions,
): Serving {
  const { service } = core;
  const startup = new Startup();
  const state = { isStopping: false };
  const watches = new WatchStreams();
  const admission = new Admission({
    entriesMax: config.maxReadEntries,
    bodies: { bytesMax: config.bodiesBytes },
  });
  const controllers = createControllers(core, logger);
  const webhooks = new WebhookDeliveries({ service, logger, allowed: config.webhookAllow });
  const leadership = new Leadership({ cluster: service.models.lifecycle.cluster, controllers, logger });
  const converter = new Converter();
  const endpoints = createEndpoints(core, config, converter, admission.bodies);
  const assets = new PluginAssets();
  const files = engine === undefined ? storeFiles(storeDirectory(config)) : {};
  service.beforeClose(async () => files.close?.());
  const plans = new PlanSource(config);
  const configs = new PluginConfigs(config);
  const idTokens = config.oidc && new IdTokens(config.oidc, { logger });
  idTokens?.begin();
  const hasCertificates = config.tls?.clientCaFile !== undefined;
  const access =
    config.auth === 'token' ? new AccessControl(service, undefined, idTokens, hasCertificates) : undefined;
  const { corsOrigins, pluginOrigin } = config;
  // Without the actual port, which is known later.
  const allowedOrigins = new Set([...corsOrigins, ...(pluginOrigin === undefined ? [] : [pluginOrigin])]);
  const app = createExpressApp({
    service,
    ...(access && { access }),
    signInClient: config.oidc,
    browserSignIn:
      config.oidc &&
      idTokens &&
      new BrowserSignIn({
        config: config.oidc,
        idTokens,
        service,
        tickets: new WatchTickets(service.store),
        logger,
      }),
    accessLog,
    audit,
    auditReads: config.auditReads,
    peers,
    makeBackup: files.makeBackup,
    makePlan: config.shared === undefined ? plans.make : undefined,
    planDefinition:
      kubernetes && (async (definition, signal) => planOfModel(await kubernetes.plan(definition, signal))),
    watches,
    admission,
    ...(files.read && { storeSize: files.read }),
    webhooks,
    controllers: controllerReports(controllers, service, () => leadership.view()),
    endpoints,
    assets,
    pluginLogs,
    serviceLog,
    findPluginConfig: configs.find,
    consoleDirectory: config.console === 'on' ? CONSOLE_DIRECTORY : undefined,
    consoleBrand: {
      name: config.consoleName,
      environment: config.consoleEnvironment,
      color: config.consoleColor,
    },
    converter,
    described: { findOwner: ownersIn(core) },
    models: service.models,
    mcp: config.mcp,
    logger,
    bodyBytesMax: config.maxBodyBytes,
    bodyParsers: new Map([[PROTOBUF_TYPE, readKubernetesBody]]),
    bodyTimeoutMs: config.bodyTimeoutMs,
    slowListMs: config.slowListMs,
    allowedOrigins,
    loopbackOnly: access === undefined && isLoopback(config.host) && !config.insecure,
    version: ownVersion(),
    readiness: [
      ...getReadiness(startup, state, core.store.engine, leadership),
      ...(audit !== undefined && config.auditStrict ? [auditCheck(audit)] : []),
    ],
    startup,
  });
  const { platformPlugins } = config;
  const listeners: Listeners = new Listeners({
    config,
    tls,
    logger,
    api: app,
    pluginPages: createPluginPages({
      assets,
      bridge: config.console === 'on' ? new PageFiles(CONSOLE_DIRECTORY) : undefined,
      loopbackOnly: pluginOrigin !== undefined && isLoopback(addressOf(pluginOrigin).host),
      findApi: () => listeners.url,
      accessLog,
      logger,
    }),
    note: () => (startup.isOver ? '' : '; plugins are starting'),
    onPluginOrigin: (origin) => {
      if (pluginOrigin !== undefined && !corsOrigins.includes(pluginOrigin))
        allowedOrigins.delete(pluginOrigin);
      allowedOrigins.add(origin);
    },
  });
  return {
    open: () => listeners.open(),
    controllers,
    leadership,
    webhooks,
    components: new LiveComponents({
      endpoints,
      assets,
      controllers,
      platformPlugins,
      models: modelsIn(core),
    }),
    clients: new PluginClients({ service, schemes: core.registry, access, audit }),
    startup,
    configs,
    async stop(drainMs) {
      state.isStopping = true;
      watches.close();
      pluginLogs.close();
      plans.stop();
      // Long requests are answered before their connections are closed.
      const late = setTimeout(() => admission.end(), Math.max(0, drainMs - LAST_MS));
      await listeners.close(drainMs);
      clearTimeout(late);
      await admission.close();
    },
  };
}

/** The uses of the files of a store. */
interface StoreFiles extends Partial<StoreSizeReader> {
  readonly makeBackup?: ReturnType<typeof backupSource>;
}

function storeFiles(directory: string): StoreFiles {
  return { ...storeSizeReader(directory), makeBackup: backupSource(directory) };
}

/** The dependencies of the plugins' start. */
interface PluginStart extends DaemonOptions {
  readonly config: Config;
  readonly logger: Logger;
  readonly discovery: Discovery;
  readonly work: LeaderWork | undefined;
}

async function startPlugins(
  { open, controllers, leadership, webhooks, components, clients, startup, configs, stop }: Serving,
  core: Core,
  { config, logger, discovery, work, audit, ...options }: PluginStart,
): Promise<Daemon> {
  const { service, registry } = core;
  try {
    const plugins = await createPlugins(core, config, logger, {
      registerOnly: false,
      clients,
      components,
      onProgress: (text) => (startup.phase = text),
    });
    configs.manager = plugins.manager;
    startup.left = () =>
      plugins.manager.plugins.filter(({ status }) => isStarting(status.phase)).map(({ name }) => name);
    const life = new PluginLife({
      ...plugins,
      controllers,
      logger,
      discover: () => discover(config, options.plugins),
      watched: config.watch ? config.plugins : undefined,
    });
    await plugins.manager.prepare(discovery);
    if (options.listens !== 'whenStarted') await open();
    const started = Promise.all([life.start(discovery), leadership.start()]);
    const [failed] = await Promise.race([started, untilAborted(options.stop)]);
    startup.end();
    audit?.writes.started();
    const { url, pluginOrigin } = await open();
    const reported = { onUnresolvable: ownerEvents(core.events), onBlocked: expiryEvents(core.events) };
    leadership.allowUpkeep((term) =>
      startUpkeep(
        { ...core, work, webhooks, ...reported, garbageCollection: options.garbageCollection },
        config,
        logger,
        term,
      ),
    );
    warnUnknownTargets(core.store, plugins.manager, logger);
    const counting = new AbortController();
    const counted = countInvalidObjects(
      service.models.lifecycle,
      plugins.manager,
      logger,
      counting.signal,
    ).catch((error: unknown) => logger.warn(`cannot check stored objects: ${getMessage(error)}`));
    return {
      url,
      pluginOrigin,
      service,
      registry,
      clients,
      controllers,
      failures: failed.map(({ name, status }) => `plugin "${name}": ${status.message ?? 'failed'}`),
      async close() {
        // Another process leads immediately, independent of requests that still run here.
        await Promise.all([stop(DRAIN_MS), leadership.stop()]);
        counting.abort();
        await counted;
        await life.close();
        await service.close();
      },
    };
  } catch (error) {
    await Promise.all([stop(0), leadership.stop()]);
    throw error;
  }
}

/** Rejects with the reason of a signal; never resolves. */
function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    const onAbort = (): void => reject(signal?.reason as Error);
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  });
}

function isStarting(phase: PluginPhase): boolean {
  return phase === 'PENDING' || phase === 'RESOLVED';
}
