import { mapMaybe, type MaybePromise } from '../../lib/work/maybe-promise.js';
import type { KeyRange, KeyValue, ScanOptions, Snapshot, VisitPair, VisitValue } from '../../store/engine.js';

/** A snapshot that is taken at its first read, after an asynchronous preparation. */
export class DeferredSnapshot implements Snapshot {
  #taken: MaybePromise<Snapshot> | undefined;
  #isClosed = false;

  constructor(private readonly take: () => Promise<Snapshot>) {}

  get(key: Uint8Array): MaybePromise<Buffer | undefined> {
    return mapMaybe(this.#open(), (snapshot) => snapshot.get(key));
  }

  getMany(keys: readonly Uint8Array[]): MaybePromise<(Buffer | undefined)[]> {
    return mapMaybe(this.#open(), (snapshot) => snapshot.getMany(keys));
  }

  visitMany(keys: readonly Uint8Array[], visit: VisitValue): MaybePromise<void> {
    return mapMaybe(this.#open(), (snapshot) => snapshot.visitMany(keys, visit));
  }

  scan(range: KeyRange, options: ScanOptions): MaybePromise<KeyValue[]> {
    return mapMaybe(this.#open(), (snapshot) => snapshot.scan(range, options));
  }

  scanInPlace(range: KeyRange, options: ScanOptions, visit: VisitPair): MaybePromise<Buffer | undefined> {
    return mapMaybe(this.#open(), (snapshot) => snapshot.scanInPlace(range, options, visit));
  }

  close(): void {
    this.#isClosed = true;
    if (this.#taken !== undefined && !(this.#taken instanceof Promise)) this.#taken.close();
  }

  #open(): MaybePromise<Snapshot> {
    if (this.#isClosed) throw new Error('a snapshot is read after it was closed');
    this.#taken ??= this.take().then((snapshot) => {
      if (this.#isClosed) {
        snapshot.close();
        throw new Error('a snapshot was closed while it was read');
      }
      this.#taken = snapshot;
      return snapshot;
    });
    return this.#taken;
  }
}
