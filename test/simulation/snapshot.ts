import type { MaybePromise } from '../../src/lib/work/maybe-promise.js';
import type {
  KeyRange,
  KeyValue,
  ScanOptions,
  Snapshot,
  VisitPair,
  VisitValue,
} from '../../src/store/engine.js';
import type { SimulatedEngine } from './engine.js';
import type { Pairs } from './pairs.js';

/** A moment of the store. Bytes that are valid only in a callback are overwritten after it. */
export class SimulatedSnapshot implements Snapshot {
  #isClosed = false;

  constructor(
    private readonly engine: SimulatedEngine,
    private readonly pairs: Pairs,
  ) {
    engine.openSnapshots++;
  }

  #read<T>(read: () => T): MaybePromise<T> {
    if (this.#isClosed) throw new Error('a read of a closed snapshot');
    return this.engine.read(() => {
      if (this.#isClosed) throw new Error('a snapshot was closed during a read');
      return read();
    });
  }

  get(key: Uint8Array): MaybePromise<Buffer | undefined> {
    return this.#read(() => this.pairs.get(key));
  }

  getMany(keys: readonly Uint8Array[]): MaybePromise<(Buffer | undefined)[]> {
    return this.#read(() => keys.map((key) => this.pairs.get(key)));
  }

  visitMany(keys: readonly Uint8Array[], visit: VisitValue): MaybePromise<void> {
    return this.#read(() => {
      for (const key of keys) {
        const value = this.pairs.get(key);
        visit(value);
        value?.fill(0xee);
      }
    });
  }

  scan(range: KeyRange, { limit, reverse }: ScanOptions): MaybePromise<KeyValue[]> {
    return this.#read(() => this.pairs.scan(range, limit, reverse));
  }

  scanInPlace(
    range: KeyRange,
    { limit, reverse }: ScanOptions,
    visit: VisitPair,
  ): MaybePromise<Buffer | undefined> {
    return this.#read(() => {
      const pairs = this.pairs.scan(range, limit, reverse);
      for (const { key, value } of pairs) {
        const place = Buffer.from(key);
        const goesOn = visit(value, { bytes: place, start: 0, end: place.length });
        place.fill(0xee);
        value.fill(0xee);
        if (!goesOn) return key;
      }
      return pairs.length < limit ? undefined : pairs.at(-1)?.key;
    });
  }

  close(): void {
    if (!this.#isClosed) this.engine.openSnapshots--;
    this.#isClosed = true;
  }
}
