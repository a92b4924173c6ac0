import { url as inspectorUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';
import type { CliIo } from '../io.js';
import type { StartPhase } from './start-phase.js';

/** The time after which a process with a blocked event loop is ended. */
const LIMIT_MS = 30_000;
/** For tests: another limit, in milliseconds. */
const LIMIT_ENV = 'XSVC_WATCHDOG_MS';
const BEAT_MS = 1_000;

/**
 * Positions in {@link WatchdogData.beats}. A process under a debugger may be paused at a breakpoint. `isStopping`: the event loop
 * has received the request to stop.
 */
export const BEATS = { count: 0, isDebugged: 1, isStarting: 2, isStopping: 3 } as const;

/** Input of the thread. */
export interface WatchdogData {
  /** Written by the process while its event loop runs; see {@link BEATS}. */
  readonly beats: Int32Array;
  readonly limitMs: number;
  readonly beatMs: number;
  readonly isTTY: boolean;
  readonly tags: Readonly<Record<string, unknown>>;
}

/**
 * Starts a thread that ends this process when its event loop is blocked for long: the process then answers no requests, not even to
 * stop, and a supervisor would not notice. During the start it also ends a process that was asked to stop and does not. The thread
 * does not keep the process alive.
 * @param tags fields of its line in the log
 * @returns resolves when the thread runs, or cannot run
 */
export function startWatchdog(
  { env, stderr }: Pick<CliIo, 'env' | 'stderr'>,
  start: Pick<StartPhase, 'stop' | 'isOver'>,
  tags: WatchdogData['tags'] = {},
): Promise<void> {
  const limitMs = Number(env[LIMIT_ENV] ?? LIMIT_MS);
  const beatMs = Math.min(BEAT_MS, limitMs / 4);
  const beats = new Int32Array(
    new SharedArrayBuffer(Object.keys(BEATS).length * Int32Array.BYTES_PER_ELEMENT),
  );
  const data: WatchdogData = { beats, limitMs, beatMs, isTTY: stderr.isTTY, tags };
  const beat = (): void => {
    Atomics.add(beats, BEATS.count, 1);
    Atomics.store(beats, BEATS.isDebugged, inspectorUrl() === undefined ? 0 : 1);
    Atomics.store(beats, BEATS.isStarting, start.isOver ? 0 : 1);
  };
  beat();
  setInterval(beat, beatMs).unref();
  start.stop.addEventListener('abort', () => void Atomics.store(beats, BEATS.isStopping, 1));
  return new Promise((resolve) => {
    try {
      const worker = new Worker(new URL('watchdog-thread.js', import.meta.url), {
        workerData: data,
        execArgv: [],
      });
      // Without it the service continues. Until it runs, nothing else may keep the process alive.
      for (const event of ['message', 'error', 'exit'])
        worker.on(event, () => {
          worker.unref();
          resolve();
        });
    } catch {
      resolve();
    }
  });
}
