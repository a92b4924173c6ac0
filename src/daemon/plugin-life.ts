import path from 'node:path';
import type { ControllerBuilder } from '../controller/builder.js';
import { setUp } from '../controller/set-up.js';
import type { Controller } from '../controller/controller.js';
import type { ControllerManager } from '../controller/manager.js';
import type { Reconciler } from '../controller/reconciler.js';
import type { Logger } from '../lib/log/logger.js';
import type { Discovery } from '../plugin/discover.js';
import type { PluginHost } from '../plugin/plugin-host.js';
import type { PluginManifest } from '../plugin/manifest/manifest.js';
import type { PluginManager, PluginState } from '../plugin/manager.js';
import { Plugin } from '../plugin/plugin-model.js';
import { getDirectories, watchFiles, type PluginWatcher } from '../plugin/watcher.js';

export interface PluginLifeOptions {
  readonly manager: PluginManager;
  readonly host: Pick<PluginHost, 'isEnabled' | 'reportMissing'>;
  readonly controllers: ControllerManager;
  readonly logger: Logger;
  /** Finds the plugins of the configured directories. */
  readonly discover: () => Promise<Discovery>;
  /** Directories whose changes start plugins again; undefined when files are not watched. */
  readonly watched: readonly string[] | undefined;
}

/** The time limit for a running switch of a plugin when the daemon stops. */
const SWITCH_MS = 1_000;

/** The plugins of a daemon: started, switched on and off through their objects, reloaded when files change. */
export class PluginLife {
  #watcher: PluginWatcher | undefined;

  constructor(private readonly options: PluginLifeOptions) {}

  /** Resolves when every plugin has started or failed. @returns those with problems, see `startAll` */
  async start(discovery: Discovery): Promise<readonly PluginState[]> {
    const { manager, controllers, watched, logger } = this.options;
    const failed = await manager.startAll(discovery);
    // A plugin is switched on and off in every process.
    controllers.add('platform', setUp(new PluginSwitch(this.options)), 'everyProcess');
    if (watched !== undefined) {
      this.#watcher = await watchFiles(watched, logger, (paths) => this.#reload(paths));
    }
    return failed;
  }

  /** Stops all running plugins, dependents first. */
  async close(): Promise<void> {
    const { manager, controllers } = this.options;
    await this.#watcher?.close();
    await controllers.removeAll('platform', SWITCH_MS);
    await manager.stopAll();
  }

  async #reload(paths: ReadonlySet<string>): Promise<void> {
    const { manager, discover, logger } = this.options;
    const discovery = await discover();
    const directories = [
      ...manager.plugins.map(({ directory }) => directory),
      ...[...discovery.plugins, ...discovery.broken].map(({ directory }) => directory),
    ];
    const changed = getDirectories(paths, [...new Set(directories)]);
    for (const directory of changed)
      logger.info('plugin files changed', { plugin: path.basename(directory) });
    await manager.update(discovery, changed);
    // Failures have been logged. A plugin whose new files cannot be used continues with the old ones.
    for (const { name, directory, status } of manager.plugins)
      if (changed.has(directory) && status.phase === 'STARTED' && status.message === undefined)
        logger.info('plugin loaded', { plugin: name });
  }
}

/**
 * Starts and stops plugins as `spec.enabled` of their objects says, and keeps the objects consistent with the installed plugins.
 */
class PluginSwitch implements Reconciler {
  constructor(private readonly options: Pick<PluginLifeOptions, 'manager' | 'host'>) {}

  setupWith(builder: ControllerBuilder): Controller {
    return builder
      .extension(Plugin)
      .onUpdateMatcher((plugin, old) => plugin.spec.enabled !== old.spec.enabled)
      .name('plugin-switch')
      .build();
  }

  async reconcile({ name }: { readonly name: string }): Promise<void> {
    const { manager, host } = this.options;
    const plugin = manager.find(name);
    if (plugin === undefined) {
      await host.reportMissing((other) => manager.find(other) !== undefined);
      return;
    }
    if (plugin.manifest !== undefined) await this.#switch(plugin, plugin.manifest);
    // It may have been deleted; a plugin without an object could not be listed or switched.
    await manager.report(name);
  }

  async #switch({ name, status }: PluginState, manifest: PluginManifest): Promise<void> {
    const { manager, host } = this.options;
    const enabled = await host.isEnabled(name, manifest);
    const isOff = status.phase === 'DISABLED';
    if (enabled && isOff) await manager.start(name);
    else if (!enabled && !isOff) await manager.stop(name);
  }
}
