import type { KeyRange, KeyValue, Transaction } from '../../store/engine.js';
import { Overlay } from '../../store/overlay.js';

/** Most writes of a body that reads its writes. With more, it runs again, because deferring all of them is slower. */
const READ_MAX = 256;

/**
 * Defers the writes of a body until it has ended, so that nothing needs to be undone when it throws. Reads of the
 * body include its writes, while those are few. With more writes, such a read throws, and the body must run again in
 * a transaction that can be undone.
 */
export class WriteBuffer implements Transaction {
  /** Keys and values alternately; undefined marks a removed key. */
  readonly #writes: (Uint8Array | undefined)[] = [];
  /** A bit for each family that was written. */
  #families = 0;
  #isCutShort = false;
  /** The first writes, for reads. Most bodies read none of their writes. */
  #overlay: Overlay | undefined;
  #overlaid = 0;

  /**
   * @param tx the transaction for reads and for the final writes
   * @param takeRoom called with the bytes of each write; may throw
   */
  constructor(
    private readonly tx: Transaction,
    private readonly takeRoom: (bytes: number) => void,
  ) {}

  /** True when the body must run again in another transaction. */
  get isCutShort(): boolean {
    return this.#isCutShort;
  }

  get(key: Uint8Array): Buffer | undefined {
    return this.#readable(key).get(key);
  }

  first(range: KeyRange): KeyValue | undefined {
    return this.#readable(range.start).first(range);
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.takeRoom(key.length + value.length);
    this.#families |= familyBit(key);
    this.#writes.push(key, value);
  }

  remove(key: Uint8Array): void {
    this.#families |= familyBit(key);
    this.#writes.push(key, undefined);
  }

  /** Writes all, in the same order. */
  flush(): void {
    applyWrites(this.#writes, 0, this.tx);
  }

  /** The source for reading a key, or keys of its family. */
  #readable(key: Uint8Array): Transaction {
    const isWritten = (this.#families & familyBit(key)) !== 0;
    if (!isWritten) return this.tx;
    if (this.#writes.length / 2 > READ_MAX) {
      this.#isCutShort = true;
      throw new Error('a write reads its own large changes');
    }
    this.#overlay ??= new Overlay(this.tx);
    applyWrites(this.#writes, this.#overlaid, this.#overlay);
    this.#overlaid = this.#writes.length;
    return this.#overlay;
  }
}

/** @param from the index of the first write */
function applyWrites(writes: readonly (Uint8Array | undefined)[], from: number, tx: Transaction): void {
  for (let i = from; i < writes.length; i += 2) {
    const [key, value] = [writes[i], writes[i + 1]];
    if (key === undefined) continue;
    if (value === undefined) tx.remove(key);
    else tx.put(key, value);
  }
}

function familyBit(key: Uint8Array): number {
  return 1 << (key[0] ?? 0);
}
