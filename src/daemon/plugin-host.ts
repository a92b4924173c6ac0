import { getApiVersion } from '../model/resource.js';
import type { EventRecorder } from '../events/recorder.js';
import { isRace, retryOnConflict } from '../lib/work/retry.js';
import { withFields, type Logger } from '../lib/log/logger.js';
import type { LiveComponents } from './live-components.js';
import { SchemeRegistry } from '../model/declare/registry.js';
import { PLATFORM, type Scheme } from '../model/declare/scheme.js';
import type { PluginHost } from '../plugin/plugin-host.js';
import type { PluginManifest } from '../plugin/manifest/manifest.js';
import { Plugin, type PluginStatus } from '../plugin/plugin-model.js';
import { refuseInvalidObjects } from './invalid-objects.js';
import { userOfWork, type PluginClients } from './plugin-clients.js';
import type { Service } from '../service/service.js';
import type { AttachOptions, AttachProgress } from '../lifecycle/attach.js';
import { findLapsed, lapsedText } from '../store/lapsed-migrations.js';

export interface PluginHostOptions {
  readonly service: Service;
  readonly registry: SchemeRegistry;
  readonly events: EventRecorder;
  readonly clients: PluginClients;
  readonly logger: Logger;
  readonly platformPlugins: readonly string[];
  readonly pluginConfig: Readonly<Record<string, unknown>>;
  /** Plugins that are enabled in spite of the stored choice. */
  readonly alsoEnabled?: readonly string[] | 'all';
  /** True to only register models, and not to change the store. Default false. */
  readonly leavesStore?: boolean;
  /** The handling of outstanding migrations and declarations of other processes. */
  readonly attach?: Pick<AttachOptions, 'migrate' | 'takeover'>;
  /** The handling of a model whose stored objects do not fit. Default: warn. */
  readonly unfit?: 'warn' | 'refuse';
  /** Receives the progress of bringing a model up to date from time to time. */
  readonly onProgress?: (text: string) => void;
  /** Makes components of plugins live; without it they are ignored. */
  readonly components?: Pick<LiveComponents, 'prepare' | 'withdraw'>;
}

/** The status of a plugin that has an object, but no plugin directory. */
const MISSING: PluginStatus = {
  phase: 'MISSING',
  message: 'its directory is not there; put it back, or delete this object',
  models: [],
  endpoints: [],
};

/** Milliseconds between two lines about the same model. */
const PROGRESS_INTERVAL_MS = 2_000;

/** Connects plugins to the service: their models, their objects, and an object for each plugin itself. */
export async function createPluginHost(options: PluginHostOptions): Promise<PluginHost> {
  const { service, registry, logger, components } = options;
  const { models } = service;
  const { lifecycle } = models;
  const platform = registry.register(Plugin, PLATFORM, undefined, { allowReservedGroup: true });
  const leavesStore = options.leavesStore === true;
  if (!leavesStore) await models.open(platform);
  const plugins = platform.resource;
  const loggerFor = (plugin: string): Logger => tagged(logger, plugin);

  return {
    registry,
    eventsFor: (name) => options.events.by(userOfWork(name)),
    logger,
    loggerFor,
    platformPlugins: options.platformPlugins,
    now: () => service.now(),
    config: (name) => options.pluginConfig[name],
    clientFor: (manifest, signal) => options.clients.clientFor(manifest, signal),
    async modelStatus({ resource, versions }) {
      const { group, kind, plural, version } = resource;
      const dangling = lifecycle.danglingCount(resource);
      const served = [...versions.byName.values()].filter(({ isServed }) => isServed);
      return {
        group,
        kind,
        plural,
        version,
        versions: served.map((scheme) => scheme.resource.version),
        objects: await service.store.getCount(resource),
        unfit: lifecycle.invalidCount(resource),
        ...(dangling > 0 && { dangling }),
      };
    },
    async activate(scheme, onProgress) {
      if (leavesStore) return;
      warnIfOlder(service, scheme, loggerFor(scheme.owner));
      if (options.unfit === 'refuse') await refuseInvalidObjects(lifecycle, scheme);
      await models.open(scheme, {
        ...options.attach,
        progress: paced(loggerFor(scheme.owner), (text) => {
          options.onProgress?.(text);
          onProgress(text);
        }),
      });
    },
    deactivate: async (scheme) => {
      if (!leavesStore) models.close(scheme.resource);
    },
    ...(components && {
      prepare: (plugin) => components.prepare(plugin),
      withdraw: (plugin) => components.withdraw(plugin),
    }),
    applyDeclared: (manifest, instances) => options.clients.declare(manifest, instances),
    async isEnabled(name, manifest) {
      const { alsoEnabled = [] } = options;
      if (alsoEnabled === 'all' || alsoEnabled.includes(name)) return true;
      // A store that was never served has no plugin objects.
      if (models.findByKind(plugins) === undefined) return manifest.spec.enabled;
      const [stored] = await service.getMany(plugins, [name]);
      const chosen = (stored?.spec as { enabled?: unknown } | undefined)?.enabled;
      return typeof chosen === 'boolean' ? chosen : manifest.spec.enabled;
    },
    async report(name, manifest, status) {
      await retryOnConflict(() => keepPluginObject(service, name, manifest, status), isRace);
    },
    async reportMissing(isInstalled) {
      for await (const name of service.eachName(plugins)) {
        if (isInstalled(name)) continue;
        await retryOnConflict(async () => {
          const [stored] = await service.getMany(plugins, [name]);
          if (stored !== undefined) await keepPluginObject(service, name, undefined, MISSING);
        }, isRace);
      }
    },
  };

  async function keepPluginObject(
    target: Service,
    name: string,
    manifest: PluginManifest | undefined,
    status: PluginStatus,
  ): Promise<void> {
    const [stored] = await target.getMany(plugins, [name]);
    const spec = getSpec(manifest, stored?.spec);
    const object = { apiVersion: getApiVersion(plugins), kind: plugins.kind, spec, status };
    if (stored === undefined) {
      await target.create(plugins, { ...object, metadata: { name } });
      return;
    }
    const { labels, annotations, finalizers, resourceVersion } = stored.metadata;
    // With the revision that was read: a choice made at the same time must not be overwritten.
    const metadata = { name, labels, annotations, finalizers, resourceVersion };
    await target.update(plugins, name, { ...object, metadata });
  }
}

/** Warns when objects have gone through migrations that the plugin does not have. */
function warnIfOlder({ store }: Service, scheme: Scheme, logger: Logger): void {
  const record = store.findRecord(scheme.resource);
  if (record === undefined) return;
  const [first] = findLapsed(record, scheme);
  if (first !== undefined) logger.warn(lapsedText(record, first));
}

/** The manifest's spec, with the operator's choice kept. */
function getSpec(manifest: PluginManifest | undefined, stored: unknown): object {
  const known = (stored ?? {}) as { enabled?: unknown };
  const spec = manifest === undefined ? known : { ...manifest.spec };
  return typeof known.enabled === 'boolean' ? { ...spec, enabled: known.enabled } : spec;
}

/** A logger whose lines carry the plugin's name. */
export function tagged(logger: Logger, plugin: string): Logger {
  return withFields(logger, { plugin });
}

/** Logs and reports progress at first, and then at intervals. */
function paced(logger: Logger, onProgress: (text: string) => void): (progress: AttachProgress) => void {
  let last = -Infinity;
  return (progress) => {
    const now = performance.now();
    if (now - last < PROGRESS_INTERVAL_MS) return;
    last = now;
    const text = progressText(progress);
    logger.info(text, progress.indexes.length > 0 ? { indexes: progress.indexes } : {});
    onProgress(text);
  };
}

function progressText({ kind, task, done, total }: AttachProgress): string {
  const of = `${done} of ${total} objects`;
  switch (task) {
    case 'check':
      return `checking the migrations of ${kind}: ${of}`;
    case 'migrate':
      return `migrating ${kind}: ${of}`;
    case 'index':
      return `building indexes of ${kind}: ${of}`;
  }
}
