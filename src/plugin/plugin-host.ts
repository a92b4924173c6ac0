import type { Events } from '../events/recorder.js';
import type { Logger } from '../lib/log/logger.js';
import type { SchemeRegistry } from '../model/declare/registry.js';
import type { Scheme } from '../model/declare/scheme.js';
import type { PluginClient, PluginContext } from './context.js';
import type { BasePlugin } from './base-plugin.js';
import type { DeclaredInstance } from './declared.js';
import type { PluginManifest } from './manifest.js';
import type { ModelStatus, PluginStatus } from './plugin-model.js';

/** What plugins need of the service. The manager knows neither the store nor HTTP. */
export interface PluginHost {
  readonly registry: Pick<SchemeRegistry, 'register' | 'unregister' | 'schemes'>;
  /**
   * Takes the model's objects through outstanding migrations, brings its indexes up to date and opens it. Until then it
   * answers `ServiceUnavailable`.
   * @param tell is told now and then how far that is
   */
  activate(scheme: Scheme, tell: (progress: string) => void): Promise<void>;
  /** Closes a model; its data stays. Also called for one whose `activate` failed. */
  deactivate(scheme: Scheme): Promise<void>;
  /** Creates or overwrites all of them in one commit, or none. */
  applyDeclared(pluginName: string, instances: readonly DeclaredInstance[]): Promise<void>;
  /** @param signal aborted when the plugin ends; what the client keeps open ends then */
  clientFor(pluginName: string, signal: AbortSignal): PluginClient;
  /** How a model is doing now. */
  modelStatus(scheme: Scheme): Promise<ModelStatus>;
  /** Keeps the plugin's object. The manifest is undefined when it could not be read. */
  report(name: string, manifest: PluginManifest | undefined, status: PluginStatus): Promise<void>;
  /** Says in the object of a plugin, when there is one, that it is not installed. */
  reportMissing(name: string): Promise<void>;
  /** Whether the plugin is switched on: the stored choice, or the manifest's when there is none. */
  isEnabled(name: string, manifest: PluginManifest): Promise<boolean>;
  /**
   * Makes the plugin's components (endpoints, controllers) live, as the last step before `STARTED`; a failure
   * fails the start. Returns the paths of its endpoints.
   */
  goLive?(plugin: RunningPlugin): Promise<readonly string[]>;
  /** Undoes {@link goLive}. Also called when it failed. */
  withdraw?(plugin: RunningPlugin): Promise<void>;
  readonly events: Events;
  loggerFor(pluginName: string): Logger;
  readonly logger: Logger;
  now(): Date;
  /** What the operator configured for a plugin; undefined when nothing. */
  config(pluginName: string): unknown;
  /** Plugins that may register models in groups of the platform. */
  readonly platformPlugins: readonly string[];
}

/** A plugin whose main class was built. */
export interface RunningPlugin {
  readonly name: string;
  readonly manifest: PluginManifest;
  /** Absolute. */
  readonly directory: string;
  /** What its main module exports. */
  readonly exports: object;
  readonly context: PluginContext;
  readonly instance: BasePlugin;
  /** Its registered models, in the order of registration. */
  readonly schemes: readonly Scheme[];
}
