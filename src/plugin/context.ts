import type { Events } from '../events/recorder.js';
import type { Logger } from '../lib/log/logger.js';
import type { DeclareIndexes } from '../model/declare/scheme-builder.js';
import type { ModelClass } from '../model/declare/model-class.js';
import type { Scheme } from '../model/declare/scheme.js';
import type { ModelOptions } from '../model/evolve/versions.js';
import type { ExtensionClient } from '../service/extension-client.js';
import type { PluginManifest } from './manifest/manifest.js';

/** The client a plugin reads and writes objects with; it refuses label and annotation keys that are reserved. */
export type PluginClient = ExtensionClient;

/** Registers the models of one plugin. */
export interface SchemeManager {
  /**
   * Registers a model. Allowed only while `start()` runs: directly afterwards, migrations run and its indexes are brought up to
   * date.
   * @param model the class of the version that objects are stored in
   * @param options other versions of the model, and migrations of its objects
   * @throws ServiceError when the declaration is wrong, clashes with another model, or `start()` has returned
   */
  register<T extends object, const Others extends readonly object[] = readonly never[]>(
    model: ModelClass<T>,
    declareIndexes?: DeclareIndexes,
    options?: ModelOptions<T, Others>,
  ): void;
  /** Unregisters one of this plugin's models; its data is kept. @throws ServiceError `NotFound` for any other class */
  unregister(model: ModelClass): void;
  /** Every registered model, including those of other plugins. */
  schemes(): readonly Scheme[];
}

/**
 * The context of a plugin.
 * @typeParam C the type of its configuration, see {@link BasePlugin}
 */
export interface PluginContext<C = unknown> {
  /** `metadata.name` of the manifest. */
  readonly name: string;
  readonly manifest: PluginManifest;
  readonly schemeManager: SchemeManager;
  /** Acts as the plugin itself, with everything that the manifest permits. `client.as(user)` acts as a user. */
  readonly client: PluginClient;
  /** Records events of objects, for people. */
  readonly events: Events;
  /** Each line carries the plugin's name. */
  readonly logger: Logger;
  /**
   * The operator's configuration for this plugin. With `static config` in the main class it is an instance of that class, checked
   * before the start and with the defaults of its schema. Otherwise it is unchecked, and undefined when the operator set none.
   */
  readonly config: C;
  /** Aborted when the plugin stops or fails: pass it to all background work. */
  readonly signal: AbortSignal;
}
