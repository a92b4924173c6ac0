import { Worker } from 'node:worker_threads';
import type { KeyRange } from './engine.js';

/** Pairs that are brought into memory in one go. */
export const PART = 100;
/** A part takes so long, in milliseconds, only when the disk has to be waited for. */
const SLOW_MS = 5;
/** For how long the disk is expected to be waited for again, in milliseconds. */
const EXPECT_MS = 1_000;

/** What will be read: the values of keys, or pairs of a range. */
export type Wanted =
  | { readonly keys: readonly Uint8Array[] }
  | { readonly range: KeyRange; readonly reverse: boolean; readonly limit: number };

/**
 * Waits for the disk in a thread of its own. Who reads a page of a mapped file that is not in memory stands still until
 * the disk has brought it; so while that happens, a thread reads first what the event loop reads after it.
 *
 * The thread starts when the event loop is seen to have waited. Where there can be no thread, reads go on without.
 */
export class ReadAhead {
  private readonly thread: Thread;
  private expectedUntil = -Infinity;
  private faults = majorFaults();

  constructor(directory: string) {
    this.thread = new Thread(directory);
  }

  /** Whether the next read is likely to wait for the disk. */
  get isWorthwhile(): boolean {
    return performance.now() < this.expectedUntil && !this.thread.isGone;
  }

  /** To be told of each read that took long, whatever for. */
  noteLate(): void {
    const faults = majorFaults();
    if (faults > this.faults) this.expectMore();
    this.faults = faults;
  }

  /** Resolves when what is wanted is in memory. */
  async fetch(wanted: Wanted): Promise<void> {
    if ((await this.thread.read(wanted)) > SLOW_MS) this.expectMore();
  }

  close(): Promise<void> {
    return this.thread.close();
  }

  private expectMore(): void {
    this.expectedUntil = performance.now() + EXPECT_MS;
  }
}

/** How often this process has waited for the disk to bring a page. */
function majorFaults(): number {
  return process.resourceUsage().majorPageFault;
}

/** The thread and those who wait for it, in the order in which they asked. */
class Thread {
  /** Nothing can be asked any more. */
  isGone = false;
  private worker: Worker | undefined;
  private readonly waiting: ((tookMs: number) => void)[] = [];

  constructor(private readonly directory: string) {}

  /** @returns how long it took, in milliseconds; 0 when it was not done, for the thread is gone */
  async read(wanted: Wanted): Promise<number> {
    const worker = this.started();
    if (worker === undefined) return 0;
    const request = requestFor(wanted);
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      // A process must not end while it waits, and the thread alone must not keep it alive.
      worker.ref();
      worker.postMessage(request, buffersOf(request));
    });
  }

  async close(): Promise<void> {
    const { worker } = this;
    if (worker === undefined || this.isGone) return;
    this.isGone = true;
    worker.ref();
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage(undefined);
    await ended;
  }

  private started(): Worker | undefined {
    if (this.isGone) return undefined;
    try {
      return (this.worker ??= this.start());
    } catch {
      // The system has no more threads for this process.
      this.isGone = true;
      return undefined;
    }
  }

  private start(): Worker {
    const options = { workerData: this.directory, execArgv: [] };
    const worker = new Worker(new URL('read-ahead-worker.js', import.meta.url), options);
    worker.on('message', (tookMs: number) => this.answer(tookMs));
    // Without a listener its error would be thrown here; it ends after it.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      this.isGone = true;
      while (this.waiting.length > 0) this.answer(0);
    });
    return worker;
  }

  private answer(tookMs: number): void {
    this.waiting.shift()?.(tookMs);
    if (this.waiting.length === 0) this.worker?.unref();
  }
}

/** {@link Wanted}, in memory of its own: what a view of memory is sent as is all of that memory. */
export type ReadRequest =
  | { readonly keys: Uint8Array<ArrayBuffer> }
  | {
      readonly start: Uint8Array<ArrayBuffer>;
      readonly end: Uint8Array<ArrayBuffer>;
      readonly reverse: boolean;
      readonly limit: number;
    };

function requestFor(wanted: Wanted): ReadRequest {
  if ('keys' in wanted) return { keys: packed(wanted.keys) };
  const { range, reverse, limit } = wanted;
  return { start: new Uint8Array(range.start), end: new Uint8Array(range.end), reverse, limit };
}

function buffersOf(request: ReadRequest): ArrayBuffer[] {
  return 'keys' in request ? [request.keys.buffer] : [request.start.buffer, request.end.buffer];
}

const LENGTH_BYTES = 2;

/** The keys, each after its length. */
function packed(keys: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(keys.reduce((sum, { length }) => sum + LENGTH_BYTES + length, 0));
  let at = 0;
  for (const key of keys) {
    bytes[at] = key.length >> 8;
    bytes[at + 1] = key.length;
    bytes.set(key, at + LENGTH_BYTES);
    at += LENGTH_BYTES + key.length;
  }
  return bytes;
}

/** The keys that were packed, as views. */
export function* unpacked(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length;) {
    const start = at + LENGTH_BYTES;
    at = start + (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0));
    yield bytes.subarray(start, at);
  }
}
