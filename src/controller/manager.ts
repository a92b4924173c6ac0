import { SYSTEM_CLOCK, type Clock } from '../lib/clock.js';
import type { Logger } from '../lib/logger.js';
import type { GvkDeclaration } from '../model/gvk.js';
import { modelKey, type GroupVersionKind } from '../model/resource.js';
import type { Controller } from './controller.js';
import { uniqueName } from './naming.js';
import { RunningController, type ControllerMeasures, type Trouble } from './running-controller.js';
import type { ControllerSource } from './source.js';
import type { ControllerStatus, RequestStatus } from './status.js';
import { WorkerScheduler } from './worker-scheduler.js';

export interface ControllerManagerOptions {
  readonly source: ControllerSource;
  /** Where controllers of a plugin say what happens. */
  readonly loggerFor: (owner: string) => Logger;
  readonly clock?: Clock;
  /** Told of what people should look at: an object of a controller's model, a reason in one word, and a sentence. */
  readonly onTrouble?: (model: GvkDeclaration, name: string, trouble: Trouble) => void;
}

/** The controllers that run, of all plugins. They share one event loop, and nothing else. */
export class ControllerManager {
  readonly #running = new Map<string, RunningController>();
  readonly #options: ControllerManagerOptions;
  readonly #clock: Clock;
  readonly #scheduler = new WorkerScheduler();

  constructor(options: ControllerManagerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
  }

  /**
   * Tries what a controller's sync asks for, by reading one name: a wrong selector is found before it starts.
   * @throws whatever the source throws, ServiceError `BadRequest` for a wrong selector or sort
   */
  async check({ parts }: Controller): Promise<void> {
    const names = this.#options.source.names(parts.model, parts.syncAllListOptions)[Symbol.asyncIterator]();
    await names.next();
    await names.return?.();
  }

  /** Starts a controller of a plugin. Never throws: what fails shows in its status. */
  add(owner: string, controller: Controller): RunningController {
    const name = uniqueName(owner, controller.parts.name, (taken) => this.#running.has(taken));
    const running = new RunningController(name, owner, controller, {
      source: this.#options.source,
      clock: this.#clock,
      scheduler: this.#scheduler,
      logger: this.#options.loggerFor(owner),
      onTrouble: (request, trouble) => this.#options.onTrouble?.(controller.parts.gvk, request, trouble),
    });
    this.#running.set(name, running);
    running.start();
    return running;
  }

  /** Stops the controllers of a plugin, all at once, see `RunningController.stop`. */
  async removeAll(owner: string, deadlineMs: number): Promise<void> {
    await this.#remove((running) => running.owner === owner, deadlineMs);
  }

  /** Stops every controller, all at once. */
  async close(deadlineMs: number): Promise<void> {
    await this.#remove(() => true, deadlineMs);
  }

  /** By name. */
  list(): readonly ControllerStatus[] {
    const names = [...this.#running.keys()].sort();
    return names.flatMap((name) => this.find(name) ?? []);
  }

  /** By name. */
  measures(): readonly ControllerMeasures[] {
    const names = [...this.#running.keys()].sort();
    return names.flatMap((name) => this.#running.get(name)?.measures() ?? []);
  }

  /** Undefined when no controller of this name runs. */
  find(name: string): ControllerStatus | undefined {
    return this.#running.get(name)?.status();
  }

  /** What the controllers of a model have left to do for one object; empty when nothing. */
  retryOf(model: GroupVersionKind, name: string): readonly RequestStatus[] {
    const key = modelKey(model);
    return [...this.#running.values()]
      .filter(({ controller }) => modelKey(controller.parts.gvk) === key)
      .flatMap((running) => running.requestStatus(name) ?? []);
  }

  /** What controllers have left to do for the changes up to a revision, a text for each that is not done. */
  leftToDo(revision: number): string[] {
    return [...this.#running.values()].flatMap((running) => {
      const left = running.leftToDo(revision);
      return left === undefined ? [] : [`controller "${running.name}": ${left}`];
    });
  }

  async #remove(isMeant: (running: RunningController) => boolean, deadlineMs: number): Promise<void> {
    const leaving = [...this.#running.values()].filter(isMeant);
    await Promise.all(
      leaving.map(async (running) => {
        await running.stop(deadlineMs);
        this.#running.delete(running.name);
      }),
    );
  }
}
