import { conflict } from '../errors.js';
import type { Clock } from '../lib/time/clock.js';
import { Histogram, SECONDS } from '../lib/histogram.js';
import { LogLimit } from '../lib/log/log-limit.js';
import type { Logger } from '../lib/log/logger.js';
import { isThenable, mapMaybe } from '../lib/work/maybe-promise.js';
import { controllerUser } from '../model/system-users.js';
import { runFenced, type Fence } from '../store/fence.js';
import type { Controller, ControllerParts } from './controller.js';
import { FollowLog } from './follow/follow-log.js';
import { followOwn, followWatched } from './follow/followed.js';
import { Followers } from './follow/followers.js';
import { HangWatch } from './hang-watch.js';
import { isConflict } from '../lib/work/retry.js';
import { failureFields, formatFailure, getOutcome } from './outcome.js';
import { RequestQueue, type QueuedName } from './queue/queue.js';
import { RunawayGuard } from './runaway-guard.js';
import type { ControllerSource } from './source.js';
import {
  RETRIES_SHOWN_MAX,
  describe,
  timeText,
  type ControllerPhase,
  type ControllerStatus,
  type RequestStatus,
  type RetryStatus,
} from './status.js';
import type { WorkerScheduler } from './queue/worker-scheduler.js';

/** A sync pauses at this number of waiting names: the names of all objects may not fit into memory. */
const SYNC_WAITING_MAX = 2000;
/** A paused sync continues at this number of waiting names. */
const SYNC_WAITING_LOW = 1000;
/** The limit of a reconciler's failures that are logged in a minute. */
const FAILURE_LINES_PER_MINUTE = 20;

/** The durations of reconciles in seconds, by result. */
export type ReconcileDurations = Readonly<Record<'success' | 'error' | 'conflict', Histogram>>;

export interface ControllerMeasures {
  readonly name: string;
  /** See {@link ControllerStatus.queueDepth}. */
  readonly queueDepth: number;
  readonly durations: ReconcileDurations;
}

/** The dependencies of a running controller. */
export interface ControllerPorts {
  readonly source: ControllerSource;
  readonly clock: Clock;
  readonly scheduler: WorkerScheduler;
  /** The logger of its plugin. */
  readonly logger: Logger;
  /** The fence in which reconciles run; undefined for a controller that every process runs. */
  readonly fence?: Fence | undefined;
  /** Receives problems with the object of a name. */
  readonly onTrouble: (name: string, trouble: Trouble) => void;
}

/** Why an object is not reconciled as it should be. */
export interface Trouble {
  /** One word in UpperCamelCase. */
  readonly reason: string;
  readonly message: string;
}

/**
 * A running controller: it follows the changes of its model, and its workers reconcile the names of changed objects. Unless a
 * reconciler blocks the thread, it cannot harm anything else: an error is kept and logged, and the name is tried again; a reconcile
 * that never ends occupies one worker, and is named in the status.
 */
export class RunningController {
  readonly #parts: ControllerParts;
  /** That of the ports, with the controller's name for the log. */
  readonly #fence: Fence | undefined;
  readonly #queue: RequestQueue;
  readonly #events: Followers;
  readonly #startedAt: number;
  readonly #abort = new AbortController();
  readonly #counts = { reconciled: 0, failed: 0, retried: 0, conflicts: 0, synced: 0 };
  readonly #durations: ReconcileDurations = {
    success: new Histogram(SECONDS),
    error: new Histogram(SECONDS),
    conflict: new Histogram(SECONDS),
  };
  readonly #failureLog: LogLimit;
  readonly #hangs: HangWatch;
  readonly #runaways: RunawayGuard;
  /** Names that wait only because objects of other models changed. */
  readonly #byOthers = new Set<string>();
  /** Undefined before the stop. */
  #ending: Extract<ControllerPhase, 'stopping' | 'stopped'> | undefined;
  #lastError: ControllerStatus['lastError'];
  #workers = 0;
  #following: Promise<void> = Promise.resolve();
  #stopped: Promise<readonly string[]> | undefined;
  /** Called when the queue has become short, and when the controller stops. */
  #onRoom: (() => void)[] = [];
  /** Called when a reconcile ends that the stop waits for. */
  #onEnded: (() => void) | undefined;

  /**
   * @param name unique among the running controllers
   * @param owner the plugin
   */
  constructor(
    readonly name: string,
    readonly owner: string,
    readonly controller: Controller,
    private readonly ports: ControllerPorts,
  ) {
    const { clock, logger } = ports;
    const { parts } = controller;
    this.#parts = parts;
    const { fence } = ports;
    this.#fence = fence && {
      token: fence.token,
      user: controllerUser(owner, parts.name),
      guard: (tx) => fence.guard(tx),
    };
    this.#startedAt = clock.now();

    this.#failureLog = new LogLimit(clock, FAILURE_LINES_PER_MINUTE);
    this.#queue = new RequestQueue({
      clock,
      minDelayMs: parts.minDelayMs,
      maxDelayMs: parts.maxDelayMs,
      onReady: () => this.#callWorker(),
    });
    this.#events = this.#follow();
    this.#runaways = new RunawayGuard(clock, (request, reconciles, seconds) => {
      const message =
        `Controller "${name}" has reconciled "${request}" ${reconciles} times within ${seconds} s: each reconcile ` +
        'seems to change the object again; its retries are now slowed down';
      logger.warn(message);
      ports.onTrouble(request, { reason: 'ReconcileLoop', message });
    });
    this.#hangs = new HangWatch(
      clock,
      () => this.#queue.inWork(),
      (request, seconds) => {
        const message = `Controller "${name}" has been reconciling "${request}" for ${seconds} s and still occupies a worker`;
        logger.warn(message);
        ports.onTrouble(request, { reason: 'ReconcileStuck', message });
      },
    );
  }

  /** Begins to follow the changes. Called once. Later failures are in the status and in the log. */
  start(): void {
    this.#hangs.start();
    this.#following = this.#events.run(this.#abort.signal);
  }

  /**
   * Takes no more work, and waits for running reconciles until the deadline. Those that still run are abandoned: nothing can end
   * them, and their results are ignored.
   * @returns the names that were abandoned
   */
  stop(deadlineMs: number): Promise<readonly string[]> {
    this.#stopped ??= this.#stop(deadlineMs);
    return this.#stopped;
  }

  /** The amount of pending work, and the durations; the histograms continue to count. */
  measures(): ControllerMeasures {
    return { name: this.name, queueDepth: this.#queue.waiting, durations: this.#durations };
  }

  /** A copy of the status now; it does not change later. */
  status(): ControllerStatus {
    const queue = this.#queue;
    const { oldestSince } = queue;
    const { phase, message } = this.#state;
    return {
      ...describe(this.name, this.owner, this.controller),
      startTime: timeText(this.#startedAt),
      phase,
      ...(message !== undefined && { message }),
      queueDepth: queue.waiting,
      ...(oldestSince !== undefined && { oldestWaitingSince: timeText(oldestSince) }),
      inWork: queue.inWork().map(({ name, since }) => ({ name, since: timeText(since) })),
      retries: { total: queue.delayed, next: queue.soonest(RETRIES_SHOWN_MAX).map(retryStatus) },
      counts: { ...this.#counts },
      ...(this.#lastError !== undefined && { lastError: this.#lastError }),
    };
  }

  /** The state of one name; undefined when it has no pending work. */
  requestStatus(name: string): RequestStatus | undefined {
    const found = this.#queue.find(name);
    if (found === undefined) return undefined;
    return {
      controller: this.name,
      owner: this.owner,
      state: found.state,
      since: timeText(found.since),
      attempts: found.failures,
      ...(found.error !== undefined && { error: found.error }),
      ...(found.state === 'delayed' && { nextAttempt: timeText(found.dueAt) }),
    };
  }

  /**
   * The pending work for the changes up to a revision, with the last error; undefined when all is done. A name that the reconciler
   * wants again at a later time is done; a name that is tried again after a failure or a conflict is not.
   */
  leftToDo(revision: number): string | undefined {
    const left = this.#leftToDo(revision);
    if (left === undefined || this.#lastError === undefined) return left;
    const { name, message } = this.#lastError;
    return `${left}; its last error, for "${name}": ${message}`;
  }

  #leftToDo(revision: number): string | undefined {
    const { phase } = this.#state;
    if (phase !== 'running') return `is ${phase}`;
    if (this.#events.position < revision) return `has not seen all changes up to revision ${revision}`;
    const working = this.#queue.inWork().map(({ name }) => `"${name}"`);
    if (working.length > 0) return `reconciles ${working.join(', ')}`;
    if (this.#queue.waiting > 0) return `has ${this.#queue.waiting} names waiting`;
    const retry = this.#queue.soonest(RETRIES_SHOWN_MAX).find(({ failures }) => failures > 0);
    return retry && `tries "${retry.name}" again (${retry.failures} attempts so far)`;
  }

  async #stop(deadlineMs: number): Promise<readonly string[]> {
    this.#ending = 'stopping';
    this.#abort.abort();
    this.#queue.close();
    this.#hangs.stop();
    this.#runaways.close();
    this.#makeRoom();
    await this.#orDeadline(deadlineMs, Promise.all([this.#following, this.#allEnded()]));
    this.#onEnded = undefined;
    this.#ending = 'stopped';
    const abandoned = this.#queue.inWork().map((request) => request.name);
    if (abandoned.length > 0) {
      this.ports.logger.warn(
        `Controller "${this.name}" was stopped during a reconcile, which was abandoned`,
        {
          names: abandoned,
          deadlineMs,
        },
      );
    }
    return abandoned;
  }

  #orDeadline(ms: number, work: Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        resolve();
      };
      const cancel = this.ports.clock.setTimer(ms, end);
      work.then(end, end);
    });
  }

  #allEnded(): Promise<void> {
    if (this.#queue.working === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onEnded = () => this.#queue.working === 0 && resolve();
    });
  }

  get #state(): { readonly phase: ControllerPhase; readonly message?: string } {
    return this.#ending === undefined ? this.#events.state : { phase: this.#ending };
  }

  #follow(): Followers {
    const { ports } = this;
    const { clock, logger, source } = ports;
    const parts = this.#parts;
    const log = new FollowLog({ controller: this.name, clock, logger });
    const own = followOwn(parts, source, (name, error) => log.matcherFailed(name, error));
    const others = parts.watched.map((watched) =>
      followWatched(parts, watched, source, (name, error) =>
        log.watchesFailed(watched.model.name, name, error),
      ),
    );
    return new Followers([own, ...others], ports, {
      changed: (name, { isOwn }) => (isOwn ? this.#changed(name) : this.#askedByOthers(name)),
      synced: (name, { isOwn }) => (isOwn ? this.#synced(name) : this.#askedByOthers(name)),
      room: () => this.#room(),
      broken: (followed, message, retryAfterMs) => log.lost(followed, message, retryAfterMs),
    });
  }

  #synced(name: string): void {
    this.#counts.synced++;
    this.#queue.add(name);
  }

  #changed(name: string): void {
    this.#runaways.admit(name, () => {
      this.#byOthers.delete(name);
      this.#queue.add(name);
    });
  }

  /** Such reconciles say nothing about a loop: the reconciler did not change its own object. */
  #askedByOthers(name: string): void {
    if (this.#queue.find(name)?.state !== 'waiting') this.#byOthers.add(name);
    this.#queue.add(name);
  }

  #room(): Promise<void> | undefined {
    if (this.#queue.waiting < SYNC_WAITING_MAX || this.#abort.signal.aborted) return undefined;
    return new Promise((resolve) => this.#onRoom.push(resolve));
  }

  #makeRoom(): void {
    const waiters = this.#onRoom;
    this.#onRoom = [];
    for (const resolve of waiters) resolve();
  }

  /** Starts a worker if one is missing. Workers exist while they have work. */
  #callWorker(): void {
    if (this.#workers >= this.#parts.workerCount) return;
    this.#workers++;
    const { scheduler, logger } = this.ports;
    scheduler
      .work(() => this.#work())
      .catch((error: unknown) => {
        logger.error(`A worker of controller "${this.name}" failed`, failureFields(error));
      });
  }

  async #work(): Promise<void> {
    const { scheduler } = this.ports;
    try {
      // In the next turn: changes of this turn are merged, and the caller that adds names is not called from here.
      let began = await scheduler.next();
      for (let name = this.#queue.take(); name !== undefined; name = this.#queue.take()) {
        if (this.#onRoom.length > 0 && this.#queue.waiting <= SYNC_WAITING_LOW) this.#makeRoom();
        const waited = this.#reconcile(name);
        if (waited !== undefined) await waited;
        this.#onEnded?.();
        if (scheduler.isOver(began)) began = await scheduler.next();
      }
    } finally {
      this.#workers--;
    }
  }

  /** A reconciler that returns synchronously needs no promise. */
  #reconcile(name: string): Promise<void> | undefined {
    if (!this.#byOthers.delete(name)) this.#runaways.note(name);
    const began = performance.now();
    try {
      const answer: unknown = this.#call(name);
      if (isThenable(answer)) return this.#awaited(name, answer, began);
      this.#ended(name, answer, began);
    } catch (error) {
      this.#failed(name, error, began);
    }
    return undefined;
  }

  /** @throws ServiceError `Conflict` when reads got, or may have got, a state from before a change that was delivered */
  #call(name: string): unknown {
    const { source } = this.ports;
    const endCount = source.countSetbacks();
    const check = (answer: unknown): unknown => {
      if (endCount() > 0) throw conflict('a change was not readable for a moment');
      return answer;
    };
    try {
      const answer = mapMaybe(source.readableRevision(), (revision): unknown => {
        if (revision < this.#events.newest) throw conflict('the change is not readable for a moment');
        return this.#callReconciler(name);
      });
      return isThenable(answer) ? Promise.resolve(answer).then(check).finally(endCount) : check(answer);
    } catch (error) {
      endCount();
      throw error;
    }
  }

  #callReconciler(name: string): unknown {
    const { reconciler } = this.#parts;
    const fence = this.#fence;
    if (fence === undefined) return reconciler.reconcile({ name });
    const { token } = fence;
    return runFenced(fence, () => reconciler.reconcile({ name, leadership: { token } }));
  }

  async #awaited(name: string, pending: PromiseLike<unknown>, began: number): Promise<void> {
    try {
      this.#ended(name, await pending, began);
    } catch (error) {
      this.#failed(name, error, began);
    }
  }

  #measure(result: keyof ReconcileDurations, began: number): void {
    this.#durations[result].observe((performance.now() - began) / 1_000);
  }

  #ended(name: string, answer: unknown, began: number): void {
    const outcome = getOutcome(answer);
    this.#measure('success', began);
    this.#counts.reconciled++;
    switch (outcome.next) {
      case 'none':
        this.#queue.done(name);
        break;
      case 'after':
        this.#counts.retried++;
        this.#queue.done(name, outcome.ms);
        break;
      case 'backOff':
        this.#counts.retried++;
        this.#queue.retry(name);
        break;
      case 'unknown':
        this.#queue.done(name);
        this.#failureLog.write((heldBack) =>
          this.ports.logger.warn(
            `Controller "${this.name}" returned an invalid result for "${name}", which counts as done`,
            {
              error: outcome.fault,
              ...(heldBack > 0 && { heldBack }),
            },
          ),
        );
    }
  }

  #failed(name: string, error: unknown, began: number): void {
    const message = formatFailure(error);
    this.#measure(isConflict(error) ? 'conflict' : 'error', began);
    const { logger, clock } = this.ports;
    this.#counts.retried++;
    if (isConflict(error)) {
      this.#counts.conflicts++;
      this.#queue.retry(name);
      logger.debug(`Controller "${this.name}" reconciles "${name}" again after a conflict`, {
        error: message,
      });
      return;
    }
    this.#counts.failed++;
    const isFirst = this.#queue.find(name)?.error === undefined;
    const place = error instanceof Error && { stack: error.stack };
    this.#lastError = { name, message, time: timeText(clock.now()) };
    this.#queue.retry(name, message);
    this.ports.onTrouble(name, {
      reason: 'ReconcileFailed',
      message: `Controller "${this.name}" could not reconcile it: ${message}`,
    });
    this.#failureLog.write((heldBack) =>
      logger.warn(`Controller "${this.name}" could not reconcile "${name}"; it will be retried`, {
        error: message,
        ...(isFirst && place),
        ...(heldBack > 0 && { heldBack }),
      }),
    );
    if (!isFirst && place !== false) logger.debug(`Controller "${this.name}" failed again in`, place);
  }
}

function retryStatus({ name, failures, error, dueAt }: QueuedName): RetryStatus {
  return {
    name,
    attempts: failures,
    ...(error !== undefined && { error }),
    nextAttempt: timeText(dueAt),
  };
}
