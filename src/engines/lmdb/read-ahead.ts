import { Thread } from '../../lib/process/thread.js';
import type { KeyRange } from '../../store/engine.js';
import type { Databases } from './databases.js';

/** Number of reads after a wait for the disk, within which another wait is expected. */
const EXPECTED_READS = 1024;

/** The data to load: the values of keys, or pairs of a range. */
export type Wanted =
  | { readonly keys: readonly Uint8Array[] }
  | { readonly range: KeyRange; readonly reverse: boolean; readonly limit: number };

/**
 * Waits for the disk in other threads. A thread that reads a page of a mapped file outside memory is blocked until
 * the disk has loaded it. While that happens, other threads first read what the event loop reads after them. Where
 * pages are rarely missing, the event loop waits itself, because a request to another thread costs more.
 *
 * The thread for parts starts when a wait of the event loop was noticed. When it cannot start, reads continue without
 * it.
 */
export class ReadAhead {
  readonly #thread: Thread<ReadRequest, undefined>;
  /** Number of reads for which a wait for the disk is still expected. */
  #expected = 0;
  #waits = diskWaits();

  constructor(
    directory: string,
    private readonly databases: Databases,
  ) {
    this.#thread = new Thread(new URL('read-ahead-worker.js', import.meta.url), { data: directory });
  }

  /** True when the next read is likely to wait for the disk. */
  get isWorthwhile(): boolean {
    return this.#expected > 0 && !this.#thread.isGone;
  }

  /**
   * Must be called for each read that may have waited: that of another thread, or one that took long for any reason.
   */
  noteRead(): void {
    const waits = diskWaits();
    if (waits > this.#waits) this.#expected = EXPECTED_READS;
    this.#waits = waits;
  }

  /** Resolves when the data is in memory. */
  async fetch(wanted: Wanted): Promise<void> {
    this.#expected--;
    const request = requestFor(wanted);
    await this.#thread.ask(request, getBuffers(request));
    this.noteRead();
  }

  /**
   * Resolves when the value of a key is in memory. Threads of lmdb wait for it, several at a time, so that a read of
   * one object never waits for the reads of lists.
   */
  async fetchOne(key: Uint8Array): Promise<void> {
    this.#expected--;
    await this.databases.of(key).prefetch(key);
    this.noteRead();
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

/** The number of times that this process has waited for the disk to load a page: major page faults. */
function diskWaits(): number {
  return process.resourceUsage().majorPageFault;
}

/** {@link Wanted} in separate memory. Sending a view of memory would send all of that memory. */
export type ReadRequest =
  | { readonly keys: Uint8Array<ArrayBuffer> }
  | {
      readonly start: Uint8Array<ArrayBuffer>;
      readonly end: Uint8Array<ArrayBuffer>;
      readonly after?: Uint8Array<ArrayBuffer>;
      readonly reverse: boolean;
      readonly limit: number;
    };

function requestFor(wanted: Wanted): ReadRequest {
  if ('keys' in wanted) return { keys: packed(wanted.keys) };
  const { reverse, limit } = wanted;
  const { start, end, after } = wanted.range;
  const range = { start: new Uint8Array(start), end: new Uint8Array(end), reverse, limit };
  return after === undefined ? range : { ...range, after: new Uint8Array(after) };
}

function getBuffers(request: ReadRequest): ArrayBuffer[] {
  if ('keys' in request) return [request.keys.buffer];
  const { start, end, after } = request;
  return [start, end, ...(after === undefined ? [] : [after])].map(({ buffer }) => buffer);
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

/** Unpacks the keys as views. */
export function* unpacked(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length;) {
    const start = at + LENGTH_BYTES;
    at = start + (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0));
    yield bytes.subarray(start, at);
  }
}
