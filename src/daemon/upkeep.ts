import { setMaxListeners } from 'node:events';
import { admitted } from '../access/checked-write.js';
import { sweepTokens } from '../access/sweep.js';
import { sweepWatchTickets } from '../access/watch-tickets.js';
import type { Config } from '../config.js';
import { getMessage } from '../errors.js';
import { sweepEvents } from '../events/sweep.js';
import type { OnBlocked } from '../expiry/deletions.js';
import { Expiry } from '../expiry/expiry.js';
import { earliestNow } from '../lib/time/clock.js';
import { sweepPlans } from '../mcp/write/stored-plan.js';
import type { Logger } from '../lib/log/logger.js';
import { workAfterChanges } from '../lib/work/after-changes.js';
import type { Scheme } from '../model/declare/scheme.js';
import { COLLECTOR } from '../model/system-users.js';
import { Collector, type OnUnresolvable } from '../owners/collector.js';
import { ADMIT_ALL, type CheckedWrite } from '../owners/writer.js';
import { runFenced, type Fence } from '../store/fence.js';
import { keepTexts } from '../store/text/keep.js';
import type { Service } from '../service/service.js';
import type { ModelLifecycle } from '../lifecycle/model-lifecycle.js';
import type { Core } from './core.js';

/** The interval of searches for old index entries and old log entries. */
const INTERVAL_MS = 30_000;
/** The interval of checks of the size of the log. */
const LOOK_MS = 1_000;
/** Time in which changes of text indexes are collected. */
const GATHER_MS = 500;

/** The periodic work on the store. */
export interface Upkeep {
  /** Runs the task now, unless it is running. */
  readonly run: () => void;
  /** Waits for a running task. */
  readonly stop: () => Promise<void>;
}

/** The work of a leader for a part of the service that others do not know. */
export interface LeaderWork {
  /** Ends when the signal is aborted; never throws. */
  readonly lead: (write: CheckedWrite, signal: AbortSignal) => Promise<void>;
  /** Deletes what has expired. */
  readonly sweep: () => Promise<void>;
}

/** Readers of the log in the process that leads. */
export interface LogWork {
  /** Ends when the signal is aborted; never throws. */
  readonly lead: (fence: Fence, signal: AbortSignal) => Promise<void>;
  /** The revision after which the log is needed; undefined when it is not needed. */
  readonly neededAfter: () => Promise<number | undefined>;
}

/** A part of the upkeep, and its purpose. */
type Step = readonly [name: string, run: () => unknown];

interface UpkeepOf extends Pick<Core, 'store' | 'service'> {
  readonly work?: LeaderWork | undefined;
  readonly webhooks?: LogWork;
  readonly onUnresolvable?: OnUnresolvable;
  /** Default: nothing is recorded. */
  readonly onBlocked?: OnBlocked;
  /** False: objects stay when their owners are deleted. Default: true. */
  readonly garbageCollection?: boolean | undefined;
}

type UpkeepConfig = Pick<Config, 'auth' | 'logRetentionCount' | 'logRetentionAgeMs' | 'logRetentionBytes'>;

/**
 * Removes old data: readers of dead processes, entries of dropped indexes, the log's end, tokens and events, expired objects,
 * and those whose owners are deleted.
 * @param fence runs the work that a process must not do when it no longer leads
 */
export function startUpkeep(
  {
    store,
    service,
    work,
    webhooks,
    onUnresolvable,
    onBlocked = () => undefined,
    garbageCollection = true,
  }: UpkeepOf,
  config: UpkeepConfig,
  logger: Logger,
  fence: Fence,
): Upkeep {
  const { lifecycle } = service.models;
  const retention = {
    count: config.logRetentionCount,
    ageMs: config.logRetentionAgeMs,
    bytesMax: config.logRetentionBytes,
  };
  const left = new WeakSet<Scheme>();
  const waiting = new Set<string>();
  const ending = new AbortController();
  // Each part of the work listens, and Node.js would warn of a leak from 11 listeners on.
  setMaxListeners(0, ending.signal);
  const steps: readonly Step[] = [
    ['dead readers', () => store.engine.clearDeadReaders()],
    // First of all steps, because the others write: it frees space in a log that is full.
    ['the shared log', () => store.engine.foldLog()],
    ['old index entries', () => lifecycle.sweep()],
    [
      'the log',
      async () => {
        const unread = await webhooks?.neededAfter();
        await store.history.trim({ ...retention, unread }, earliestNow());
      },
    ],
    ['expired tokens', () => config.auth === 'token' && sweepTokens(service)],
    ['used watch tickets', () => sweepWatchTickets(store.engine)],
    ['old plans of agents', () => sweepPlans(store.engine)],
    ['old events', () => work === undefined && sweepEvents(service)],
    ['old objects of Kubernetes', () => work?.sweep()],
    ['cascades', () => finishCascades(service, logger, waiting)],
    ['older versions', () => rewriteVersions(lifecycle, logger, { left, signal: ending.signal })],
  ];
  const upkeep = everySoOften(INTERVAL_MS, () => runSteps(steps, logger, ending.signal));
  // The last admin is kept, even when its owners are deleted.
  const admit: CheckedWrite =
    config.auth === 'token' ? (write) => admitted(service, { user: COLLECTOR }, write) : ADMIT_ALL;
  const fenced: CheckedWrite = (write) => runFenced(fence, () => admit(write));
  const working = [
    garbageCollection &&
      new Collector(service, logger, ending.signal, {
        admit: fenced,
        ...(onUnresolvable && { onUnresolvable }),
      }).run(),
    new Expiry({ service, logger, signal: ending.signal, admit: fenced, onBlocked }).run(),
    work?.lead(fenced, ending.signal),
    workAfterChanges(
      { store, logger, signal: ending.signal, purpose: 'merge text indexes', gatherMs: GATHER_MS },
      () => keepTexts(store.engine, store.allTables(), { signal: ending.signal }),
    ),
    webhooks?.lead(fence, ending.signal),
  ];
  store.history.limit({ bytesMax: retention.bytesMax, onPassed: upkeep.run });
  // Writes of other processes are not reported to this one, so the size is polled.
  const look = setInterval(() => {
    Promise.resolve(store.history.bytes()).then(
      (bytes) => bytes > retention.bytesMax && upkeep.run(),
      () => undefined,
    );
  }, LOOK_MS).unref();
  return {
    run: upkeep.run,
    stop: async () => {
      clearInterval(look);
      store.history.limit({ bytesMax: Infinity, onPassed: () => undefined });
      ending.abort();
      await Promise.all([upkeep.stop(), ...working]);
    },
  };
}

/** Continues deletions that a dead process left, or that could not be done. @param reported the texts that were logged before */
async function finishCascades(service: Service, logger: Logger, reported: Set<string>): Promise<void> {
  const waiting = new Set(await service.finishCascades());
  for (const text of waiting) if (!reported.has(text)) logger.warn(text);
  reported.clear();
  for (const text of waiting) reported.add(text);
}

interface Rewriting {
  /** Models with objects that cannot be converted: they are not tried again. */
  readonly left: WeakSet<Scheme>;
  readonly signal: AbortSignal;
}

/** Stores objects of older versions in the storage versions of their models. */
async function rewriteVersions(
  lifecycle: ModelLifecycle,
  logger: Logger,
  { left, signal }: Rewriting,
): Promise<void> {
  for (const table of lifecycle.mixedTables()) {
    const { scheme, resource } = table;
    if (scheme === undefined || left.has(scheme)) continue;
    const { objects, left: kept, reason } = await lifecycle.rewrite(table, { signal });
    if (signal.aborted) return;
    if (objects > 0)
      logger.info(`stored ${objects} objects of ${resource.kind} in version ${resource.version}`);
    if (kept === 0) continue;
    left.add(scheme);
    logger.warn(`${kept} objects of ${resource.kind} stay in older versions; first reason: ${reason ?? ''}`);
  }
}

/** Runs each step, also after a failure, and logs one line for each reason of failures. */
async function runSteps(steps: readonly Step[], logger: Logger, signal: AbortSignal): Promise<void> {
  const failed = new Map<string, string[]>();
  for (const [name, run] of steps) {
    if (signal.aborted) break;
    try {
      await run();
    } catch (error) {
      const reason = getMessage(error);
      failed.set(reason, [...(failed.get(reason) ?? []), name]);
    }
  }
  for (const [reason, names] of failed)
    logger.warn(`store maintenance failed (${names.join(', ')}): ${reason}`);
}

/** Runs a task, which never fails, at intervals, and never twice at the same time. */
function everySoOften(intervalMs: number, task: () => Promise<void>): Upkeep {
  let running: Promise<void> | undefined;
  const run = (): void => {
    running ??= task().finally(() => (running = undefined));
  };
  const timer = setInterval(run, intervalMs);
  timer.unref();
  run();
  const stop = async (): Promise<void> => {
    clearInterval(timer);
    await running;
  };
  return { run, stop };
}
