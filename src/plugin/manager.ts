import { ServiceError, messageOf } from '../errors.js';
import { apiVersionOf } from '../model/resource.js';
import { stopCompiler } from './bundle.js';
import type { PluginContext } from './context.js';
import { withDeadline } from './deadline.js';
import { readDeclared } from './declared.js';
import type { BrokenPlugin, Discovery, PluginSource } from './discover.js';
import type { PluginHost, RunningPlugin } from './host.js';
import { loadPlugin, pluginClass, type LoadOptions } from './load.js';
import { isPluginName, type PluginManifest } from './manifest.js';
import { dependenciesOf, orderPlugins } from './order.js';
import type { PluginPhase, PluginStatus } from './plugin-model.js';
import { Registrations } from './registrations.js';

export interface PluginManagerOptions extends LoadOptions {
  /** How long loading and `start()` may take, each. Default 30,000. */
  readonly startTimeoutMs?: number;
  /** How long each `stop()` may take. Default 10,000. */
  readonly stopTimeoutMs?: number;
  /**
   * Only what is needed to write objects: models are registered and opened; nothing is declared, made live
   * or reported. For the command line on the store. Default false.
   */
  readonly registerOnly?: boolean;
}

/** A plugin as the manager knows it. */
export interface PluginState {
  readonly name: string;
  /** Absolute. */
  readonly directory: string;
  /** Undefined when it could not be read. */
  readonly manifest: PluginManifest | undefined;
  readonly status: PluginStatus;
  /** Only while it is started. */
  readonly running: RunningPlugin | undefined;
}

/** One start of a plugin, as far as it got. */
interface Attempt {
  readonly registrations: Registrations;
  readonly abort: AbortController;
  running?: RunningPlugin;
  started: boolean;
  live: boolean;
}

/** A plugin over all its starts. */
class Slot implements PluginState {
  status: PluginStatus;
  attempt: Attempt | undefined;

  constructor(
    readonly name: string,
    readonly directory: string,
    readonly source: PluginSource | undefined,
  ) {
    this.status = { phase: 'PENDING', models: [], endpoints: [], directory };
  }

  get manifest(): PluginManifest | undefined {
    return this.source?.manifest;
  }

  get running(): RunningPlugin | undefined {
    return this.status.phase === 'STARTED' ? this.attempt?.running : undefined;
  }
}

/**
 * Starts and stops plugins. One plugin's failure is its own: what it registered is taken back, and the others go
 * on. Calls are carried out one after the other, in the order they were made.
 */
export class PluginManager {
  readonly #slots = new Map<string, Slot>();
  /** Names in the order they started in. */
  #order: string[] = [];
  #queue: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly host: PluginHost,
    private readonly options: PluginManagerOptions,
  ) {}

  /** Every known plugin, by name. */
  get plugins(): readonly PluginState[] {
    return [...this.#slots.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The started ones, in the order they started in. */
  get started(): readonly RunningPlugin[] {
    return this.#order
      .map((name) => this.#slots.get(name)?.running)
      .filter((running) => running !== undefined);
  }

  /** Undefined when no such plugin is installed. */
  find(name: string): PluginState | undefined {
    return this.#slots.get(name);
  }

  /**
   * Starts all plugins, dependencies first. Never throws because of a plugin: see the phase of each.
   * @returns the plugins in phase `FAILED`
   */
  startAll(discovery: Discovery): Promise<readonly PluginState[]> {
    return this.#inTurn(async () => {
      const { order, failures } = orderPlugins(discovery.plugins);
      for (const source of discovery.plugins) this.#add(new Slot(source.name, source.directory, source));
      for (const broken of discovery.broken) this.#addBroken(broken);
      for (const slot of this.#slots.values()) await this.#report(slot);
      for (const [name, message] of failures) await this.#fail(name, message);
      for (const { name } of order) await this.#startIfReady(name);
      await stopCompiler();
      return this.plugins.filter((plugin) => plugin.status.phase === 'FAILED');
    });
  }

  /**
   * Starts one plugin, for example when it was switched on, and those that waited for it. Does nothing when it
   * runs already.
   * @throws ServiceError `NotFound`
   */
  start(name: string): Promise<PluginState> {
    return this.#inTurn(async () => {
      const slot = this.#get(name);
      if (slot.source === undefined || slot.running !== undefined) return slot;
      await this.#startIfReady(name);
      for (const waiting of this.#dependents(name)) {
        if (waiting.status.phase === 'PENDING') await this.#startIfReady(waiting.name);
      }
      await stopCompiler();
      return slot;
    });
  }

  /**
   * Stops one plugin, for example when it was switched off; first those that depend on it, which then wait.
   * @throws ServiceError `NotFound`
   */
  stop(name: string): Promise<PluginState> {
    return this.#inTurn(async () => {
      const slot = this.#get(name);
      for (const dependent of this.#dependents(name).reverse()) {
        if (dependent.running === undefined) continue;
        await this.#end(dependent);
        await this.#enter(dependent, 'PENDING', `waits for plugin "${name}", which is DISABLED`);
      }
      await this.#end(slot);
      await this.#enter(slot, 'DISABLED');
      return slot;
    });
  }

  /** Stops what runs, in reverse order. Never throws; the last reported phases stay for the next start to replace. */
  stopAll(): Promise<void> {
    return this.#inTurn(async () => {
      for (const name of [...this.#order].reverse()) {
        const slot = this.#slots.get(name);
        if (slot === undefined) continue;
        await this.#end(slot);
        slot.status = { ...slot.status, phase: 'PENDING', models: [], endpoints: [] };
      }
    });
  }

  #add(slot: Slot): void {
    this.#slots.set(slot.name, slot);
  }

  #addBroken({ name, directory, error }: BrokenPlugin): void {
    // A sound plugin keeps its name; the directory tells the broken one apart.
    const slot = new Slot(this.#slots.has(name) ? directory : name, directory, undefined);
    slot.status = { ...slot.status, phase: 'FAILED', message: error.message };
    this.host.logger.error(`Plugin in ${directory} cannot be used`, { error: error.message });
    this.#add(slot);
  }

  async #startIfReady(name: string): Promise<void> {
    const slot = this.#get(name);
    if (slot.source === undefined) return;
    try {
      const enabled = await this.host.isEnabled(name, slot.source.manifest);
      await (enabled ? this.#startOrWait(slot, slot.source) : this.#enter(slot, 'DISABLED'));
    } catch (error) {
      await this.#fail(name, messageOf(error), error);
    }
  }

  async #startOrWait(slot: Slot, source: PluginSource): Promise<void> {
    const waitsFor = this.#unmet(source);
    await (waitsFor === undefined ? this.#start(slot, source) : this.#enter(slot, 'PENDING', waitsFor));
  }

  #unmet(source: PluginSource): string | undefined {
    const waiting = dependenciesOf(source).filter((name) => this.#slots.get(name)?.running === undefined);
    if (waiting.length === 0) return undefined;
    const each = waiting.map(
      (name) => `plugin "${name}", which is ${this.#slots.get(name)?.status.phase ?? 'missing'}`,
    );
    return `waits for ${each.join(' and ')}`;
  }

  async #start(slot: Slot, source: PluginSource): Promise<void> {
    const attempt: Attempt = {
      registrations: new Registrations(source.name, this.host),
      abort: new AbortController(),
      started: false,
      live: false,
    };
    slot.attempt = attempt;
    slot.status = { ...slot.status, lastStartTime: this.host.now().toISOString() };
    try {
      await this.#run(slot, source, attempt);
    } catch (error) {
      await this.#end(slot);
      await this.#fail(source.name, messageOf(error), error);
    }
  }

  /** The life of SPEC 3 and the contract: whatever throws here fails the start. */
  async #run(slot: Slot, source: PluginSource, attempt: Attempt): Promise<void> {
    const running = await this.#construct(source, attempt);
    await this.#callStart(running, attempt);
    await this.#enter(slot, 'RESOLVED');
    await attempt.registrations.activate();
    let endpoints: readonly string[] = [];
    if (this.options.registerOnly !== true) {
      await this.#applyDeclared(source);
      attempt.live = true;
      endpoints = (await this.host.goLive?.(running)) ?? [];
    }
    slot.status = { ...slot.status, endpoints };
    this.#order = [...this.#order.filter((name) => name !== slot.name), slot.name];
    await this.#enter(slot, 'STARTED');
  }

  async #construct(source: PluginSource, attempt: Attempt): Promise<RunningPlugin> {
    const { name, manifest, directory } = source;
    const { exports } = await withDeadline('Loading the main module', this.#startTimeoutMs, () =>
      loadPlugin(source, this.options),
    );
    const context = this.#contextFor(source, attempt);
    const instance = new (pluginClass(exports))(context);
    const { registrations } = attempt;
    const running: RunningPlugin = {
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
    attempt.running = running;
    return running;
  }

  #contextFor({ name, manifest }: PluginSource, { registrations, abort }: Attempt): PluginContext {
    return {
      name,
      manifest,
      schemeManager: {
        register: (model, declareIndexes) => registrations.register(model, declareIndexes),
        unregister: (model) => registrations.unregister(model),
        schemes: () => registrations.schemes(),
      },
      client: this.host.clientFor(name),
      logger: this.host.loggerFor(name),
      config: this.host.config(name),
      signal: abort.signal,
    };
  }

  async #callStart({ instance }: RunningPlugin, attempt: Attempt): Promise<void> {
    try {
      await withDeadline('start()', this.#startTimeoutMs, () => instance.start());
      attempt.started = true;
    } finally {
      attempt.registrations.close();
    }
  }

  async #applyDeclared({ name, directory }: PluginSource): Promise<void> {
    const { instances, warnings } = await readDeclared(directory);
    for (const warning of warnings) this.host.logger.warn(warning, { plugin: name });
    if (instances.length > 0) await this.host.applyDeclared(name, instances);
  }

  /** Ends a start, finished or not: nothing of it stays. Never throws. */
  async #end(slot: Slot): Promise<void> {
    const { attempt } = slot;
    if (attempt === undefined) return;
    slot.attempt = undefined;
    this.#order = this.#order.filter((name) => name !== slot.name);
    attempt.registrations.close();
    attempt.abort.abort(new Error(`Plugin "${slot.name}" ends`));
    const { running } = attempt;
    if (running !== undefined && attempt.live) {
      await this.#attempt(slot, 'Its components could not be withdrawn', () => this.host.withdraw?.(running));
    }
    if (running !== undefined && attempt.started) {
      await this.#attempt(slot, 'stop() failed', () =>
        withDeadline('stop()', this.options.stopTimeoutMs ?? 10_000, () => running.instance.stop()),
      );
    }
    await attempt.registrations.takeBack();
  }

  async #attempt(slot: Slot, failure: string, work: () => void | Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.host.logger.error(`Plugin "${slot.name}": ${failure}`, { error: messageOf(error) });
    }
  }

  async #fail(name: string, message: string, error?: unknown): Promise<void> {
    const stack =
      error instanceof Error ? (error.cause instanceof Error ? error.cause : error).stack : undefined;
    this.host.logger.error(`Plugin "${name}" failed: ${message}`, { plugin: name, ...(stack && { stack }) });
    await this.#enter(this.#get(name), 'FAILED', message);
  }

  async #enter(slot: Slot, phase: PluginPhase, message?: string): Promise<void> {
    const { message: _, ...rest } = slot.status;
    const lives = phase === 'RESOLVED' || phase === 'STARTED';
    slot.status = {
      ...rest,
      phase,
      ...(message !== undefined && { message }),
      models: lives ? modelNames(slot) : [],
      endpoints: lives ? rest.endpoints : [],
    };
    await this.#report(slot);
  }

  /** A status that cannot be kept is no reason to stop a plugin that works. */
  async #report(slot: Slot): Promise<void> {
    // A broken plugin may lie in a directory whose name no object can have; then only the log tells of it.
    if (this.options.registerOnly === true || !isPluginName(slot.name)) return;
    await this.#attempt(slot, 'Its status could not be stored', () =>
      this.host.report(slot.name, slot.manifest, slot.status),
    );
  }

  #get(name: string): Slot {
    const slot = this.#slots.get(name);
    if (slot === undefined) throw new ServiceError('NotFound', `No plugin is named "${name}"`);
    return slot;
  }

  /** All that depend on a plugin, directly or not, in starting order. */
  #dependents(name: string): Slot[] {
    const affected = new Set([name]);
    const sources = [...this.#slots.values()]
      .map((slot) => slot.source)
      .filter((source) => source !== undefined);
    const dependents = orderPlugins(sources).order.filter((source) => {
      const depends = dependenciesOf(source).some((dependency) => affected.has(dependency));
      if (depends) affected.add(source.name);
      return depends;
    });
    return dependents.map((source) => this.#get(source.name));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  get #startTimeoutMs(): number {
    return this.options.startTimeoutMs ?? 30_000;
  }
}

function modelNames(slot: Slot): string[] {
  const schemes = slot.attempt?.registrations.own ?? [];
  return schemes.map(({ resource }) => `${resource.plural}.${apiVersionOf(resource)}`);
}
