import type { Events } from '../events/recorder.js';
import type { Logger } from '../lib/log/logger.js';
import type { SchemeRegistry } from '../model/declare/registry.js';
import type { Scheme } from '../model/declare/scheme.js';
import type { PluginClient, PluginContext } from './context.js';
import type { BasePlugin } from './base-plugin.js';
import type { DeclaredInstance } from './declared.js';
import type { PluginManifest } from './manifest/manifest.js';
import type { ModelStatus, PluginStatus } from './plugin-model.js';

/** The parts of the service that plugins need. The manager depends on neither the store nor HTTP. */
export interface PluginHost {
  readonly registry: Pick<SchemeRegistry, 'register' | 'unregister' | 'remove' | 'schemes'>;
  /**
   * Runs the outstanding migrations of a model's objects, brings its indexes up to date and opens it. Until then it answers
   * `ServiceUnavailable`.
   * @param onProgress receives the progress from time to time
   */
  activate(scheme: Scheme, onProgress: (progress: string) => void): Promise<void>;
  /** Closes a model; its data is kept. Also called when its `activate` failed. */
  deactivate(scheme: Scheme): Promise<void>;
  /** Creates or overwrites all of them in one commit, or none. */
  applyDeclared(plugin: PluginManifest, instances: readonly DeclaredInstance[]): Promise<void>;
  /** @param signal aborted when the plugin ends; it ends everything that the client keeps open */
  clientFor(plugin: PluginManifest, signal: AbortSignal): PluginClient;
  modelStatus(scheme: Scheme): Promise<ModelStatus>;
  /** Writes the plugin's object. The manifest is undefined when it could not be read. */
  report(name: string, manifest: PluginManifest | undefined, status: PluginStatus): Promise<void>;
  /** Records in the objects of plugins that are not installed that they are missing. */
  reportMissing(isInstalled: (name: string) => boolean): Promise<void>;
  /** True when the plugin is switched on: the stored choice, or else the manifest's. */
  isEnabled(name: string, manifest: PluginManifest): Promise<boolean>;
  /** Checks the plugin's components (endpoints, controllers); a failure fails the start. */
  prepare?(plugin: RunningPlugin): Promise<PreparedComponents>;
  /** Undoes {@link prepare}. Also called when it failed. */
  withdraw?(plugin: RunningPlugin): Promise<void>;
  eventsFor(pluginName: string): Events;
  loggerFor(pluginName: string): Logger;
  readonly logger: Logger;
  now(): Date;
  /** The operator's configuration for a plugin; undefined without one. */
  config(pluginName: string): unknown;
  /** Plugins that may register models in groups of the platform. */
  readonly platformPlugins: readonly string[];
}

/** The checked components of a plugin. */
export interface PreparedComponents {
  /** The paths of its endpoints. */
  readonly paths: readonly string[];
  /** Makes the components live, as the last step before `STARTED`. Never throws. */
  goLive(): void;
}

/** A plugin whose main class was constructed. */
export interface RunningPlugin {
  readonly name: string;
  readonly manifest: PluginManifest;
  /** Absolute. */
  readonly directory: string;
  /** The exports of its main module. */
  readonly exports: object;
  readonly context: PluginContext;
  readonly instance: BasePlugin;
  /** Its registered models, in the order of registration. */
  readonly schemes: readonly Scheme[];
}
