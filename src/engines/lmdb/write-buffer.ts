import type { KeyRange, KeyValue, Transaction } from '../../store/engine.js';
import { Overlay } from '../../store/overlay.js';

/** A body that reads what it has written after more writes than this is run again: to hold them all back is slower. */
const READ_MAX = 256;

/**
 * Holds back what a body writes until it has run to its end, so that nothing needs to be undone when it throws. What it
 * reads of its own writes is found among them, while they are few. A body that reads more is cut short by a throw: it must
 * be run again in a transaction that can be undone.
 */
export class WriteBuffer implements Transaction {
  /** Keys and values in turns; undefined stands for a key that is removed. */
  readonly #writes: (Uint8Array | undefined)[] = [];
  /** A bit for each family that was written. */
  #families = 0;
  #isCutShort = false;
  /** The first writes, to be read. Most bodies read nothing that they have written. */
  #overlay: Overlay | undefined;
  #overlaid = 0;

  /**
   * @param tx what is read, and what will be written to
   * @param takeRoom told of the bytes of each write; it may throw
   */
  constructor(
    private readonly tx: Transaction,
    private readonly takeRoom: (bytes: number) => void,
  ) {}

  /** Whether the body must be run again in another transaction. */
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

  /** What to read a key from, or keys of its family. */
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

/** @param from where the first of them stands */
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
