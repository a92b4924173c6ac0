import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError, getMessage } from '../errors.js';
import { stopCompiler } from './bundle.js';
import type { BrokenPlugin, Discovery, PluginSource } from './discover.js';
import type { JsonObject } from '../model/object.js';
import type { PluginHost, RunningPlugin } from './plugin-host.js';
import type { LoadedPlugin } from './load.js';
import { isPluginName, type PluginManifest } from './manifest/manifest.js';
import { getDependencies, orderPlugins } from './order.js';
import type { PluginPhase, PluginStatus } from './plugin-model.js';
import { loadInTime, PluginInstance, type RunOptions } from './plugin-instance.js';

export type PluginManagerOptions = RunOptions;

export interface PluginState {
  readonly name: string;
  /** Absolute. */
  readonly directory: string;
  /** Undefined when it could not be read. */
  readonly manifest: PluginManifest | undefined;
  /** Without its models, which change independently. */
  readonly status: Omit<PluginStatus, 'models'>;
  /** Set only while the plugin is started. */
  readonly running: RunningPlugin | undefined;
  /** True when it has started without some of its models. */
  readonly lacksModels: boolean;
  /** The schema of its configuration at the last start; undefined without one. */
  readonly configSchema: JsonObject | undefined;
}

/** The delay in milliseconds after which the next plugin starts as well, so that a slow plugin does not block independent ones. */
const SLOW_START_MS = 500;

/** A version of a plugin that has started. */
interface Version {
  readonly source: PluginSource;
  readonly loaded: LoadedPlugin;
}

/** A plugin across all its starts. */
class Slot implements PluginState {
  status: PluginState['status'];
  run: PluginInstance | undefined;
  lacksModels = false;
  configSchema: JsonObject | undefined;
  /** The version that ran before the files changed; it starts again when the changed files do not start. */
  previous: Version | undefined;
  /** Reports run one after the other. */
  reported: Promise<void> = Promise.resolve();

  constructor(
    readonly name: string,
    readonly directory: string,
    public source: PluginSource | undefined,
    /** The main module, when it is loaded already. */
    public loaded?: LoadedPlugin,
  ) {
    this.status = { phase: 'PENDING', endpoints: [], directory };
  }

  get manifest(): PluginManifest | undefined {
    return this.source?.manifest;
  }

  get running(): RunningPlugin | undefined {
    return this.status.phase === 'STARTED' ? this.run?.running : undefined;
  }

  get runningVersion(): Version | undefined {
    const { source, running } = this;
    return source && running && { source, loaded: { exports: running.exports, files: [] } };
  }
}

/**
 * Starts and stops plugins. The failure of one plugin does not affect others: its registrations are removed, and the others
 * continue. Calls run one after the other, in the order of the calls.
 */
export class PluginManager {
  readonly #slots = new Map<string, Slot>();
  /** Names in the order of their starts. */
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

  /** The started plugins, in the order of their starts. */
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
   * Adds the plugins, and records in the objects of all that none of them has started: stored phases are those of the last run.
   */
  prepare(discovery: Discovery): Promise<void> {
    return this.#inTurn(async () => {
      this.#addAll(discovery);
      await this.host.reportMissing((name) => this.#slots.has(name));
    });
  }

  /**
   * Starts all plugins, dependencies first. Never throws because of a plugin: see the phase of each.
   * @returns the plugins in phase `FAILED`, and those that started without some of their models
   */
  startAll(discovery: Discovery): Promise<readonly PluginState[]> {
    return this.#inTurn(async () => {
      if (this.#slots.size === 0) this.#addAll(discovery);
      await this.#startPending();
      return this.plugins.filter(({ status, lacksModels }) => status.phase === 'FAILED' || lacksModels);
    });
  }

  /**
   * Starts one plugin, for example when it was switched on, and those that waited for it. Does nothing when it is running.
   * @throws ServiceError `NotFound`
   */
  start(name: string): Promise<PluginState> {
    return this.#inTurn(async () => {
      const slot = this.#get(name);
      if (slot.source === undefined || slot.running !== undefined) return slot;
      this.#enter(slot, 'PENDING');
      await this.#startPending();
      return slot;
    });
  }

  /**
   * Stops one plugin, for example when it was switched off; first its dependents, which then wait.
   * @throws ServiceError `NotFound`
   */
  stop(name: string): Promise<PluginState> {
    return this.#inTurn(async () => {
      const slot = this.#get(name);
      await this.#endWithDependents(slot, 'DISABLED');
      this.#enter(slot, 'DISABLED');
      return slot;
    });
  }

  /**
   * Writes the current state of a plugin to its object. Does nothing when the object is up to date.
   * @throws ServiceError `NotFound`
   */
  report(name: string): Promise<void> {
    return this.#inTurn(async () => this.#report(this.#get(name)));
  }

  /**
   * Applies changes of the plugin directories. New plugins start, and removed ones are stopped and forgotten. Changed ones start
   * again with their current files, each with its dependents. A running plugin whose current files cannot be loaded continues
   * unchanged. When they are loaded and do not start, for example because of an invalid rule, the previous version starts again.
   * The message states the reason.
   * @param changed directories whose files changed
   */
  update(discovery: Discovery, changed: ReadonlySet<string>): Promise<void> {
    return this.#inTurn(async () => {
      const present = new Map<string, PluginSource | BrokenPlugin>();
      for (const source of [...discovery.plugins, ...discovery.broken]) present.set(source.directory, source);
      const loaded = new Map<string, LoadedPlugin>();
      const previous = new Map<string, Version>();
      for (const slot of [...this.#slots.values()]) {
        const next = present.get(slot.directory);
        if (
          next !== undefined &&
          !(changed.has(slot.directory) && (await this.#isLoadable(slot, next, loaded)))
        )
          present.delete(slot.directory);
        else {
          if (slot.runningVersion !== undefined) previous.set(slot.directory, slot.runningVersion);
          await this.#remove(slot);
        }
      }
      for (const source of present.values()) {
        if ('error' in source) this.#report(this.#addBroken(source));
        else {
          const slot = new Slot(source.name, source.directory, source, loaded.get(source.directory));
          const before = previous.get(source.directory);
          if (before?.source.name === source.name) slot.previous = before;
          this.#report(this.#add(slot));
        }
      }
      await this.host.reportMissing((name) => this.#slots.has(name));
      // The cause of a failure may be a plugin that has changed meanwhile.
      for (const slot of this.#slots.values()) {
        if (slot.status.phase !== 'FAILED' || slot.source === undefined) continue;
        if (getDependencies(slot.source).length > 0) this.#enter(slot, 'PENDING');
      }
      await this.#startPending();
    });
  }

  /** @throws ServiceError `NotFound`; `Conflict` when running plugins depend on it */
  checkUnneeded(name: string): void {
    this.#get(name);
    const dependents = this.#dependents(name).filter(({ running }) => running !== undefined);
    if (dependents.length === 0) return;
    const names = dependents.map((dependent) => `"${dependent.name}"`).join(', ');
    throw new ServiceError(
      'Conflict',
      `Plugin "${name}" is needed by ${names}; uninstall or disable them first`,
    );
  }

  /**
   * Stops a plugin permanently and calls its `delete()`; it remains known, and switched off. The caller is responsible for its
   * objects.
   * @throws ServiceError `NotFound`; `Conflict` when running plugins depend on it
   */
  uninstall(name: string): Promise<PluginState> {
    return this.#inTurn(async () => {
      const slot = this.#get(name);
      this.checkUnneeded(name);
      const run = slot.run ?? (slot.source && new PluginInstance(slot.source, this.host, this.options));
      await this.#end(slot);
      await run?.remove();
      this.#enter(slot, 'DISABLED', 'uninstalled');
      return slot;
    });
  }

  /** Stops all running plugins, in reverse order. Never throws; the last reported phases remain until the next start. */
  stopAll(): Promise<void> {
    return this.#inTurn(async () => {
      for (const name of [...this.#order].reverse()) {
        const slot = this.#slots.get(name);
        if (slot === undefined) continue;
        await this.#end(slot);
        slot.status = { ...slot.status, phase: 'PENDING', endpoints: [] };
      }
    });
  }

  /** True when a plugin may be replaced: always when it does not run; else when its next version was loaded. */
  async #isLoadable(
    slot: Slot,
    next: PluginSource | BrokenPlugin,
    loaded: Map<string, LoadedPlugin>,
  ): Promise<boolean> {
    if (slot.running === undefined) return true;
    try {
      if ('error' in next) throw next.error;
      loaded.set(next.directory, await loadInTime(next, this.options));
      return true;
    } catch (error) {
      const message = `cannot load the changed files, the previous version keeps running: ${getMessage(error)}`;
      this.host.logger.error(`Plugin "${slot.name}": ${message}`, { plugin: slot.name });
      this.#enter(slot, 'STARTED', message);
      return false;
    }
  }

  #addAll({ plugins, broken }: Discovery): void {
    for (const source of plugins) this.#add(new Slot(source.name, source.directory, source));
    for (const one of broken) this.#addBroken(one);
    for (const slot of this.#slots.values()) this.#report(slot);
  }

  #add(slot: Slot): Slot {
    this.#slots.set(slot.name, slot);
    return slot;
  }

  #addBroken({ name, directory, error }: BrokenPlugin): Slot {
    // A valid plugin keeps its name; the broken one is named by its directory.
    const slot = new Slot(this.#slots.has(name) ? directory : name, directory, undefined);
    slot.status = { ...slot.status, phase: 'FAILED', message: error.message };
    this.#logFailure(`Cannot use the plugin in ${directory}`, { plugin: slot.name, error: error.message });
    return this.#add(slot);
  }

  async #remove(slot: Slot): Promise<void> {
    await this.#endWithDependents(slot, 'missing');
    if (slot.source !== undefined)
      this.#enter(slot, 'PENDING', 'its directory was removed or is being reloaded');
    await slot.reported;
    this.#slots.delete(slot.name);
  }

  /** Starts the waiting plugins, dependencies first. */
  async #startPending(): Promise<void> {
    const { order, failures } = orderPlugins(this.#sources());
    for (const [name, message] of failures) {
      if (this.#slots.get(name)?.status.phase === 'PENDING') this.#fail(name, message);
    }
    const starting = new Map<string, Promise<void>>();
    for (const source of order) {
      const { name } = source;
      if (this.#slots.get(name)?.status.phase !== 'PENDING') continue;
      const needed = getDependencies(source).flatMap((dependency) => starting.get(dependency) ?? []);
      const start = Promise.all(needed).then(() => this.#startIfReady(name));
      starting.set(name, start);
      await Promise.race([start, sleep(SLOW_START_MS, undefined, { ref: false })]);
    }
    await Promise.all(starting.values());
    await stopCompiler();
  }

  async #startIfReady(name: string): Promise<void> {
    const slot = this.#get(name);
    if (slot.source === undefined) return;
    try {
      const enabled = await this.host.isEnabled(name, slot.source.manifest);
      if (enabled) await this.#startOrWait(slot, slot.source);
      else this.#enter(slot, 'DISABLED');
    } catch (error) {
      this.#fail(name, getMessage(error), error);
    }
  }

  async #startOrWait(slot: Slot, source: PluginSource): Promise<void> {
    const waitsFor = this.#unmet(source);
    if (waitsFor === undefined) await this.#start(slot, source);
    else this.#enter(slot, 'PENDING', waitsFor);
  }

  #unmet(source: PluginSource): string | undefined {
    const waiting = getDependencies(source).filter((name) => this.#slots.get(name)?.running === undefined);
    if (waiting.length === 0) return undefined;
    const each = waiting.map(
      (name) => `plugin "${name}", which is ${this.#slots.get(name)?.status.phase ?? 'missing'}`,
    );
    return `waits for ${each.join(' and ')}`;
  }

  /** @param fault why the previous version starts, and not the current files */
  async #start(slot: Slot, source: PluginSource, fault?: string): Promise<void> {
    const options = fault === undefined ? this.options : { ...this.options, leavesDeclared: true };
    const run = new PluginInstance(source, this.host, options, slot.loaded);
    slot.run = run;
    slot.lacksModels = false;
    slot.status = { ...slot.status, lastStartTime: this.host.now().toISOString() };
    this.host.logger.debug(`Plugin "${slot.name}" starts`, { plugin: slot.name });
    try {
      const { endpoints, unserved } = await run.begin((progress) => this.#enter(slot, 'RESOLVED', progress));
      slot.configSchema = run.configSchema;
      slot.status = { ...slot.status, endpoints };
      slot.lacksModels = unserved.length > 0;
      this.#order = [...this.#order.filter((name) => name !== slot.name), slot.name];
      for (const reason of unserved) this.host.logger.error(reason, { plugin: slot.name });
      const message = [...(fault === undefined ? [] : [fault]), ...unserved].join('; ');
      this.#enter(slot, 'STARTED', message === '' ? undefined : message);
      slot.previous = undefined;
    } catch (error) {
      slot.configSchema = run.configSchema;
      await this.#end(slot);
      const reason = getMessage(error);
      if (slot.previous !== undefined) await this.#startPrevious(slot, source, slot.previous, error);
      else if (fault === undefined) this.#fail(source.name, reason, error);
      else this.#fail(source.name, `${fault}; it does not start again: ${reason}`, error);
    }
  }

  async #startPrevious(
    slot: Slot,
    { directory }: PluginSource,
    { source, loaded }: Version,
    error: unknown,
  ): Promise<void> {
    const place = findFrame(error, directory) ?? directory;
    const fault =
      `cannot start the changed files, the previous version keeps running: ${getMessage(error)} ` +
      `(from ${place}); correct it, and the plugin is loaded again`;
    this.host.logger.error(`Plugin "${slot.name}": ${fault}`, { plugin: slot.name });
    slot.previous = undefined;
    slot.source = source;
    slot.loaded = loaded;
    await this.#start(slot, source, fault);
  }

  /** Ends a plugin; first its dependents, which then wait. */
  async #endWithDependents(slot: Slot, because: PluginPhase | 'missing'): Promise<void> {
    for (const dependent of this.#dependents(slot.name).reverse()) {
      if (dependent.running === undefined) continue;
      await this.#end(dependent);
      this.#enter(dependent, 'PENDING', `waits for plugin "${slot.name}", which is ${because}`);
    }
    await this.#end(slot);
  }

  async #end(slot: Slot): Promise<void> {
    const { run } = slot;
    if (run === undefined) return;
    slot.run = undefined;
    this.#order = this.#order.filter((name) => name !== slot.name);
    await run.end();
  }

  #fail(name: string, message: string, error?: unknown): void {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const place = findFrame(cause, this.#get(name).directory);
    const from = place === undefined ? '' : ` (from ${place})`;
    this.#logFailure(`Plugin "${name}" failed: ${message}${from}`, { plugin: name });
    if (cause instanceof Error && cause.stack !== undefined)
      this.host.logger.debug(`Plugin "${name}" failed in`, { plugin: name, stack: cause.stack });
    this.#enter(this.#get(name), 'FAILED', message);
  }

  #logFailure(message: string, fields: Record<string, string>): void {
    this.host.logger[this.options.logsFailures === false ? 'debug' : 'error'](message, fields);
  }

  #enter(slot: Slot, phase: PluginPhase, message?: string): void {
    const { message: _, ...rest } = slot.status;
    const lives = phase === 'RESOLVED' || phase === 'STARTED';
    slot.status = {
      ...rest,
      phase,
      ...(message !== undefined && { message }),
      endpoints: lives ? rest.endpoints : [],
    };
    this.#report(slot);
  }

  /**
   * Writes the status of a plugin to its object, after earlier ones. The start continues meanwhile; a turn ends when all are
   * written. A status that cannot be written is no reason to stop a plugin that works.
   */
  #report(slot: Slot): void {
    const { name, manifest, run, status } = slot;
    // The directory of a broken plugin may have a name that no object can have; then only the log reports it.
    if (this.options.registerOnly === true || !isPluginName(name)) return;
    slot.reported = slot.reported.then(async () => {
      try {
        const lives = status.phase === 'RESOLVED' || status.phase === 'STARTED';
        const schemes = lives ? (run?.schemes ?? []) : [];
        const models = await Promise.all(schemes.map((scheme) => this.host.modelStatus(scheme)));
        await this.host.report(name, manifest, { ...status, models });
      } catch (error) {
        this.host.logger.error(`Plugin "${name}": cannot store its status`, {
          error: getMessage(error),
        });
      }
    });
  }

  #get(name: string): Slot {
    const slot = this.#slots.get(name);
    if (slot === undefined) throw new ServiceError('NotFound', `No plugin is named "${name}"`);
    return slot;
  }

  #sources(): PluginSource[] {
    return [...this.#slots.values()].map((slot) => slot.source).filter((source) => source !== undefined);
  }

  /** All direct and indirect dependents of a plugin, in starting order. */
  #dependents(name: string): Slot[] {
    const affected = new Set([name]);
    const dependents = orderPlugins(this.#sources()).order.filter((source) => {
      const depends = getDependencies(source).some((dependency) => affected.has(dependency));
      if (depends) affected.add(source.name);
      return depends;
    });
    return dependents.map((source) => this.#get(source.name));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(async () => {
      try {
        return await work();
      } finally {
        await Promise.all([...this.#slots.values()].map(({ reported }) => reported));
      }
    });
    this.#queue = result.catch(() => undefined);
    return result;
  }
}

/** The place in a directory from which an error was thrown, as `<file>:<line>:<column>`. */
function findFrame(error: unknown, directory: string): string | undefined {
  const lines = error instanceof Error ? (error.stack?.split('\n') ?? []) : [];
  const frame = lines.find((line) => /^\s+at /.test(line) && line.includes(directory + path.sep));
  return frame?.slice(frame.indexOf(directory)).replace(/\)$/, '');
}
