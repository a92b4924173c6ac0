import { admitted } from '../access/admission.js';
import { sweepTokens } from '../access/sweep.js';
import type { Config } from '../config.js';
import { getMessage } from '../errors.js';
import { sweepEvents } from '../events/sweep.js';
import { earliestNow } from '../lib/time/clock.js';
import type { Logger } from '../lib/log/logger.js';
import type { Scheme } from '../model/declare/scheme.js';
import { Collector } from '../owners/collector.js';
import { ADMIT_ALL, COLLECTOR, type Admit } from '../owners/writer.js';
import { runFenced, type Fence } from '../store/cluster/fence.js';
import type { Service } from '../service/service.js';
import type { Store } from '../store/store.js';
import type { Core } from './core.js';

/** How often old index entries and old log entries are looked for. */
const INTERVAL_MS = 30_000;
/** How often the size of the log is looked at. */
const LOOK_MS = 1_000;

/** What is done to the store now and again. */
export interface Upkeep {
  /** Runs the task now, unless it runs. */
  readonly run: () => void;
  /** Waits for a run under way. */
  readonly stop: () => Promise<void>;
}

/** A part of the upkeep, and what it is for. */
type Step = readonly [name: string, run: () => unknown];

type UpkeepConfig = Pick<Config, 'auth' | 'logRetentionCount' | 'logRetentionAgeMs' | 'logRetentionBytes'>;

/**
 * Takes away what is old: readers that died, entries of dropped indexes, the log's end, tokens and events, and objects
 * whose owners are gone.
 * @param fence what is not to be done by a process that no longer leads is done in it
 */
export function startUpkeep(
  { store, service }: Pick<Core, 'store' | 'service'>,
  config: UpkeepConfig,
  logger: Logger,
  fence: Fence,
): Upkeep {
  const retention = {
    count: config.logRetentionCount,
    ageMs: config.logRetentionAgeMs,
    bytesMax: config.logRetentionBytes,
  };
  const left = new WeakSet<Scheme>();
  const waiting = new Set<string>();
  const ending = new AbortController();
  const steps: readonly Step[] = [
    ['dead readers', () => store.clearDeadReaders()],
    // Before all that writes: it makes room in a log that is full.
    ['the shared log', () => store.foldLog()],
    ['old index entries', () => store.sweep()],
    ['the log', () => store.trimLog(retention, earliestNow())],
    ['expired tokens', () => config.auth === 'token' && sweepTokens(service)],
    ['old events', () => sweepEvents(service)],
    ['cascades', () => finishCascades(service, logger, waiting)],
    ['older versions', () => rewriteVersions(store, logger, { left, signal: ending.signal })],
  ];
  const upkeep = everySoOften(INTERVAL_MS, () => runSteps(steps, logger, ending.signal));
  // The last admin stays, whatever owners it had.
  const admit: Admit = config.auth === 'token' ? (write) => admitted(service, COLLECTOR, write) : ADMIT_ALL;
  const fenced: Admit = (write) => runFenced(fence, () => admit(write));
  const collecting = new Collector(service, logger, ending.signal, fenced).run();
  store.limitLog({ bytesMax: retention.bytesMax, onPassed: upkeep.run });
  // Of what other processes write, nobody tells the size.
  const look = setInterval(() => {
    Promise.resolve(store.logBytes()).then(
      (bytes) => bytes > retention.bytesMax && upkeep.run(),
      () => undefined,
    );
  }, LOOK_MS).unref();
  return {
    run: upkeep.run,
    stop: async () => {
      clearInterval(look);
      store.limitLog({ bytesMax: Infinity, onPassed: () => undefined });
      ending.abort();
      await Promise.all([upkeep.stop(), collecting]);
    },
  };
}

/** Goes on with what a process left that died, or that could not be done. @param told what was told already */
async function finishCascades(service: Service, logger: Logger, told: Set<string>): Promise<void> {
  const waiting = new Set(await service.finishCascades());
  for (const text of waiting) if (!told.has(text)) logger.warn(text);
  told.clear();
  for (const text of waiting) told.add(text);
}

interface Rewriting {
  /** Models with objects that cannot be converted: they are not tried again and again. */
  readonly left: WeakSet<Scheme>;
  readonly signal: AbortSignal;
}

/** Stores objects of older versions in the storage versions of their models. */
async function rewriteVersions(store: Store, logger: Logger, { left, signal }: Rewriting): Promise<void> {
  for (const table of store.mixedTables()) {
    const { scheme, resource } = table;
    if (scheme === undefined || left.has(scheme)) continue;
    const { objects, left: kept, reason } = await store.rewrite(table, { signal });
    if (signal.aborted) return;
    logger.info(`stored ${objects} objects of ${resource.kind} in version ${resource.version}`);
    if (kept === 0) continue;
    left.add(scheme);
    logger.warn(`${kept} objects of ${resource.kind} stay in older versions; first reason: ${reason ?? ''}`);
  }
}

/** Runs each step, whatever becomes of the others, and tells in one line for each reason what failed. */
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

/** Runs a task, which never fails, now and again and again, never twice at once. */
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
