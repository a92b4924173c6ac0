import { sweepTokens } from '../access/sweep.js';
import type { Config } from '../config.js';
import { messageOf } from '../errors.js';
import { sweepEvents } from '../events/sweep.js';
import { earliestNow } from '../lib/clock.js';
import type { Logger } from '../lib/logger.js';
import type { Scheme } from '../model/scheme.js';
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

/** Takes away what is old: readers that died, entries of dropped indexes, the log's end, tokens and events. */
export function startUpkeep({ store, service }: Core, config: Config, logger: Logger): Upkeep {
  const retention = {
    count: config.logRetentionCount,
    ageMs: config.logRetentionAgeMs,
    bytesMax: config.logRetentionBytes,
  };
  const left = new WeakSet<Scheme>();
  const ending = new AbortController();
  const upkeep = everySoOften(INTERVAL_MS, logger, async () => {
    store.clearDeadReaders();
    await store.sweep();
    await store.trimLog(retention, earliestNow());
    await store.foldLog();
    if (config.auth === 'token') await sweepTokens(service);
    await sweepEvents(service);
    await rewriteVersions(store, logger, { left, signal: ending.signal });
  });
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
    stop: () => {
      clearInterval(look);
      store.limitLog({ bytesMax: Infinity, onPassed: () => undefined });
      ending.abort();
      return upkeep.stop();
    },
  };
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
    logger.warn(`${kept} objects of ${resource.kind} stay in older versions, the first: ${reason ?? ''}`);
  }
}

/** Runs a task now and again and again, never twice at once. */
function everySoOften(intervalMs: number, logger: Logger, task: () => Promise<void>): Upkeep {
  let running: Promise<void> | undefined;
  const run = (): void => {
    running ??= task()
      .catch((error: unknown) => logger.warn(`upkeep of the store failed: ${messageOf(error)}`))
      .finally(() => (running = undefined));
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
