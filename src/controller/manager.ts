import { ServiceError } from '../errors.js';
import { SYSTEM_CLOCK, type Clock } from '../lib/time/clock.js';
import type { Logger } from '../lib/log/logger.js';
import type { GvkDeclaration } from '../model/declare/gvk.js';
import { modelKey, type GroupVersionKind } from '../model/resource.js';
import { controllerUser } from '../model/system-users.js';
import type { Fence } from '../store/fence.js';
import type { Controller } from './controller.js';
import { uniqueName } from './naming.js';
import { RunningController, type ControllerMeasures, type Trouble } from './running-controller.js';
import type { ControllerSource } from './source.js';
import { standbyStatus, type ControllerStatus, type RequestStatus } from './status.js';
import { WorkerScheduler } from './queue/worker-scheduler.js';

export interface ControllerManagerOptions {
  readonly source: ControllerSource;
  /** Returns the logger for the controllers of a plugin. */
  readonly loggerFor: (owner: string) => Logger;
  readonly clock?: Clock;
  /** True when controllers run only between {@link ControllerManager.lead} and `standBy`. Default false. */
  readonly waitsToLead?: boolean;
  /**
   * Receives problems that need a person's attention: an object of a controller's model, a reason in one word, and a sentence.
   * @param user the controller, for the log
   */
  readonly onTrouble?: (model: GvkDeclaration, name: string, trouble: Trouble, user: string) => void;
}

/** The processes that run a controller, among all that share a store. */
export type RunsIn = 'leader' | 'everyProcess';

/** A controller of a live plugin; it runs, or waits until this process leads. */
interface Entry {
  readonly name: string;
  readonly owner: string;
  readonly controller: Controller;
  readonly runsIn: RunsIn;
  readonly sinceMs: number;
  running: RunningController | undefined;
}

/** The controllers of all plugins. They share only the event loop. */
export class ControllerManager {
  readonly #entries = new Map<string, Entry>();
  readonly #options: ControllerManagerOptions;
  readonly #clock: Clock;
  readonly #scheduler = new WorkerScheduler();
  #isLeading: boolean;
  /** Undefined when no other process can lead. */
  #fence: Fence | undefined;

  constructor(options: ControllerManagerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#isLeading = options.waitsToLead !== true;
  }

  /**
   * Tests the options of a controller's sync by reading one name, so that a wrong selector is found before the start, and reads one
   * object of each model that it watches.
   * @throws any error of the source; ServiceError `BadRequest` for a wrong selector or sort
   */
  async check({ parts }: Controller): Promise<void> {
    const { source } = this.#options;
    await readOne(source.names(parts.model, parts.syncAllListOptions));
    for (const { model } of parts.watched) {
      try {
        await readOne(source.added(model));
      } catch (error) {
        throw cannotWatch(parts.name, model.name, error);
      }
    }
  }

  /** Adds a controller of a plugin, and starts it if it is to run here. Never throws: failures are in its status. */
  add(owner: string, controller: Controller, runsIn: RunsIn = 'leader'): void {
    const name = uniqueName(owner, controller.parts.name, (taken) => this.#entries.has(taken));
    const sinceMs = this.#clock.now();
    const entry: Entry = { name, owner, controller, runsIn, sinceMs, running: undefined };
    this.#entries.set(name, entry);
    if (this.#isLeading || runsIn === 'everyProcess') this.#start(entry);
  }

  /** Starts the controllers that only one process runs, as after a restart. From now on this process runs them. */
  lead(fence: Fence): void {
    this.#isLeading = true;
    this.#fence = fence;
    for (const entry of this.#entries.values()) if (entry.running === undefined) this.#start(entry);
  }

  /** Stops the controllers that only one process runs, see `RunningController.stop`: another process runs them. */
  async standBy(deadlineMs: number): Promise<void> {
    this.#isLeading = false;
    this.#fence = undefined;
    const leaving = [...this.#entries.values()].filter(({ runsIn }) => runsIn === 'leader');
    await Promise.all(
      leaving.map(async (entry) => {
        const { running } = entry;
        entry.running = undefined;
        await running?.stop(deadlineMs);
      }),
    );
  }

  /** Stops the controllers of a plugin in parallel, see `RunningController.stop`. */
  async removeAll(owner: string, deadlineMs: number): Promise<void> {
    await this.#remove((entry) => entry.owner === owner, deadlineMs);
  }

  /** Stops every controller in parallel. */
  async close(deadlineMs: number): Promise<void> {
    await this.#remove(() => true, deadlineMs);
  }

  /** The status of every controller, by name. */
  list(): readonly ControllerStatus[] {
    const names = [...this.#entries.keys()].sort();
    return names.flatMap((name) => this.find(name) ?? []);
  }

  /** The measures of controllers that run here, by name. */
  measures(): readonly ControllerMeasures[] {
    const names = [...this.#entries.keys()].sort();
    return names.flatMap((name) => this.#entries.get(name)?.running?.measures() ?? []);
  }

  /** Undefined when no controller has this name. */
  find(name: string): ControllerStatus | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    const { owner, controller, sinceMs, running } = entry;
    return running?.status() ?? standbyStatus(name, owner, controller, sinceMs);
  }

  /** The pending work for one object of the controllers of its model that run here; empty when they have none. */
  getRetries(model: GroupVersionKind, name: string): readonly RequestStatus[] {
    const key = modelKey(model);
    return [...this.#entries.values()]
      .filter(({ controller }) => modelKey(controller.parts.gvk) === key)
      .flatMap(({ running }) => running?.requestStatus(name) ?? []);
  }

  /** The pending work of controllers for the changes up to a revision: a text for each that is not done. */
  leftToDo(revision: number): string[] {
    return [...this.#entries.values()].flatMap(({ name, running }) => {
      const left = running === undefined ? 'is standby' : running.leftToDo(revision);
      return left === undefined ? [] : [`controller "${name}": ${left}`];
    });
  }

  #start(entry: Entry): void {
    const { name, owner, controller, runsIn } = entry;
    entry.running = new RunningController(name, owner, controller, {
      source: this.#options.source,
      clock: this.#clock,
      scheduler: this.#scheduler,
      logger: this.#options.loggerFor(owner),
      fence: runsIn === 'leader' ? this.#fence : undefined,
      onTrouble: (request, trouble) =>
        this.#options.onTrouble?.(
          controller.parts.gvk,
          request,
          trouble,
          controllerUser(owner, controller.parts.name),
        ),
    });
    entry.running.start();
  }

  async #remove(isMeant: (entry: Entry) => boolean, deadlineMs: number): Promise<void> {
    const leaving = [...this.#entries.values()].filter(isMeant);
    await Promise.all(
      leaving.map(async ({ name, running }) => {
        await running?.stop(deadlineMs);
        this.#entries.delete(name);
      }),
    );
  }
}

async function readOne(values: AsyncIterable<unknown>): Promise<void> {
  const iterator = values[Symbol.asyncIterator]();
  await iterator.next();
  await iterator.return?.();
}

function cannotWatch(controller: string, model: string, error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  const help =
    error.code === 'NotFound'
      ? '; register it, or enable its plugin and name that plugin in pluginDependencies'
      : '';
  return new ServiceError(
    error.code,
    `controller "${controller}" cannot watch ${model}: ${error.message}${help}`,
    error.details,
    { cause: error },
  );
}
