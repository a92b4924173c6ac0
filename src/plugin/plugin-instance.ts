import { getMessage } from '../errors.js';
import type { JsonObject } from '../model/object.js';
import type { Resource } from '../model/resource.js';
import type { PluginContext } from './context.js';
import { withDeadline } from './deadline.js';
import { readDeclared, type DeclaredDraft, type DeclaredInstance } from './declared.js';
import type { PluginSource } from './discover.js';
import { checkConfig, findConfigSchema } from './config/check-config.js';
import type { PluginHost, RunningPlugin } from './plugin-host.js';
import { loadPlugin, pluginClass, type LoadedPlugin, type LoadOptions } from './load.js';
import { Registrations, type UnservedModel } from './registrations.js';

export interface RunOptions extends LoadOptions {
  /** The time limit for loading and for `start()`, each. Default 30,000. */
  readonly startTimeoutMs?: number;
  /** The time limit for each `stop()` and `delete()`. Default 10,000. */
  readonly stopTimeoutMs?: number;
  /**
   * True to do only what is needed to write and describe objects: models are registered and opened; nothing is declared or
   * reported. For the command line on the store. Default false.
   */
  readonly registerOnly?: boolean;
  /** False when the caller prints why plugins fail: then it is logged only for debugging. Default true. */
  readonly logsFailures?: boolean;
  /** True to leave the declared objects as they are in the store. Default false. */
  readonly leavesDeclared?: boolean;
}

export interface Started {
  /** Paths. */
  readonly endpoints: readonly string[];
  /** A reason for each model that is not served. */
  readonly unserved: readonly string[];
}

/** One start of a plugin. It ends once; another start is another instance. */
export class PluginInstance {
  readonly #registrations: Registrations;
  readonly #abort = new AbortController();
  #running: RunningPlugin | undefined;
  /** Of its configuration; undefined without one, and until its main class is known. */
  configSchema: JsonObject | undefined;
  #started = false;
  #live = false;

  constructor(
    private readonly source: PluginSource,
    private readonly host: PluginHost,
    private readonly options: RunOptions,
    /** The main module, when it is loaded already. */
    private readonly loaded?: LoadedPlugin,
  ) {
    this.#registrations = new Registrations(source.name, host);
  }

  /** Undefined until its main class is constructed. */
  get running(): RunningPlugin | undefined {
    return this.#running;
  }

  /** Its registered models, in the order of registration. */
  get schemes(): RunningPlugin['schemes'] {
    return this.#registrations.own;
  }

  /**
   * Starts the plugin. Any error fails the start, and the instance must then be ended.
   * @param onResolved called when models are registered and will be brought up to date, and then from time to time with the
   *   progress
   */
  async begin(onResolved: (progress?: string) => void): Promise<Started> {
    const running = await this.#construct();
    await this.#callStart(running);
    const { registerOnly = false, leavesDeclared = registerOnly } = this.options;
    const declared = leavesDeclared ? [] : await this.#readDeclared();
    onResolved();
    const unserved = await this.#registrations.activate(onResolved);
    this.#live = true;
    const components = await this.host.prepare?.(running);
    // Nothing after this commit can fail: a plugin that fails has written none of its objects.
    await this.#applyDeclared(declared, unserved);
    components?.goLive();
    return { endpoints: components?.paths ?? [], unserved: unserved.map(({ reason }) => reason) };
  }

  /** Ends the run in any state and removes all its registrations. Never throws. */
  async end(): Promise<void> {
    this.#registrations.close();
    this.#abort.abort(new Error(`Plugin "${this.source.name}" ends`));
    const running = this.#running;
    if (running !== undefined && this.#live) {
      await this.#attempt('Cannot remove its components', () => this.host.withdraw?.(running));
    }
    if (running !== undefined && this.#started) {
      await this.#attempt('stop() failed', () =>
        withDeadline('stop()', this.#stopTimeoutMs, () => running.instance.stop()),
      );
    }
    this.#live = this.#started = false;
    await this.#registrations.takeBack();
  }

  /** Calls `delete()` of the main class, which is constructed first if necessary. Never throws. */
  async remove(): Promise<void> {
    await this.#attempt('delete() failed', async () => {
      const { instance } = this.#running ?? (await this.#construct());
      await withDeadline('delete()', this.#stopTimeoutMs, () => instance.delete());
    });
  }

  async #construct(): Promise<RunningPlugin> {
    const { name, manifest, directory } = this.source;
    const { exports } = this.loaded ?? (await loadInTime(this.source, this.options));
    const type = pluginClass(exports);
    this.configSchema = findConfigSchema(type);
    const logger = this.host.loggerFor(name);
    const value = this.host.config(name);
    const config = checkConfig({ plugin: name, type, value, warn: (message) => logger.warn(message) });
    const context = this.#context(config);
    // The configuration is of the type that the class itself declares.
    const instance = new type(context as PluginContext<never>);
    const registrations = this.#registrations;
    this.#running = {
      name,
      manifest,
      directory,
      exports,
      context,
      instance,
      get schemes() {
        return registrations.own;
      },
    };
    return this.#running;
  }

  #context(config: unknown): PluginContext {
    const { name, manifest } = this.source;
    const registrations = this.#registrations;
    return {
      name,
      manifest,
      schemeManager: {
        register: (model, declareIndexes, options) => registrations.register(model, declareIndexes, options),
        unregister: (model) => registrations.unregister(model),
        schemes: () => registrations.schemes(),
      },
      client: this.host.clientFor(manifest, this.#abort.signal),
      events: this.host.eventsFor(name),
      logger: this.host.loggerFor(name),
      config,
      signal: this.#abort.signal,
    };
  }

  async #callStart({ instance }: RunningPlugin): Promise<void> {
    try {
      await withDeadline('start()', this.#startTimeoutMs, () => instance.start());
      this.#started = true;
    } finally {
      this.#registrations.close();
    }
  }

  async #readDeclared(): Promise<readonly DeclaredInstance[]> {
    const { name, directory } = this.source;
    const { instances, warnings } = await readDeclared(directory);
    for (const warning of warnings) this.host.logger.warn(warning, { plugin: name });
    return instances;
  }

  /** Skips the objects of models that are not served, and applies the others. */
  async #applyDeclared(
    instances: readonly DeclaredInstance[],
    unserved: readonly UnservedModel[],
  ): Promise<void> {
    const written = instances.filter(
      ({ object }) => !unserved.some(({ resource }) => isOfModel(object, resource)),
    );
    if (written.length > 0) await this.host.applyDeclared(this.source.manifest, written);
  }

  async #attempt(failure: string, work: () => void | Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.host.logger.error(`Plugin "${this.source.name}": ${failure}`, { error: getMessage(error) });
    }
  }

  get #startTimeoutMs(): number {
    return this.options.startTimeoutMs ?? START_TIMEOUT_MS;
  }

  get #stopTimeoutMs(): number {
    return this.options.stopTimeoutMs ?? 10_000;
  }
}

/** Compares without the version. */
function isOfModel({ apiVersion, kind }: DeclaredDraft, model: Resource): boolean {
  return kind === model.kind && apiVersion.startsWith(`${model.group}/`);
}

const START_TIMEOUT_MS = 30_000;

/**
 * Loads and evaluates the main module of a plugin.
 * @throws ServiceError `Invalid` when it cannot be loaded, or has no main class
 */
export async function loadInTime(source: PluginSource, options: RunOptions): Promise<LoadedPlugin> {
  const loaded = await withDeadline(
    'Loading the main module',
    options.startTimeoutMs ?? START_TIMEOUT_MS,
    () => loadPlugin(source, options),
  );
  pluginClass(loaded.exports);
  return loaded;
}
