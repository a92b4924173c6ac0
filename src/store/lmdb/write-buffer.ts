import type { KeyRange, KeyValue, Transaction } from '../engine.js';

/**
 * Holds back what a body writes until it has run to its end, so that nothing needs to be undone when it throws. A body
 * that reads a family of keys after it wrote to it cannot be told what it would find: its read throws, and it must be
 * run again in a transaction that can be undone.
 */
export class WriteBuffer implements Transaction {
  /** Keys and values in turns; undefined stands for a key that is removed. */
  readonly #writes: (Uint8Array | undefined)[] = [];
  /** A bit for each family that was written. */
  #families = 0;
  #isReadBack = false;

  /**
   * @param tx what is read, and what will be written to
   * @param takeRoom told of the bytes of each write; it may throw
   */
  constructor(
    private readonly tx: Transaction,
    private readonly takeRoom: (bytes: number) => void,
  ) {}

  /** Whether the body tried to read what it may have written. */
  get isReadBack(): boolean {
    return this.#isReadBack;
  }

  get(key: Uint8Array): Buffer | undefined {
    this.#checkUnwritten(key);
    return this.tx.get(key);
  }

  first(range: KeyRange): KeyValue | undefined {
    this.#checkUnwritten(range.start);
    return this.tx.first(range);
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
    const writes = this.#writes;
    for (let i = 0; i < writes.length; i += 2) {
      const [key, value] = [writes[i], writes[i + 1]];
      if (key === undefined) continue;
      if (value === undefined) this.tx.remove(key);
      else this.tx.put(key, value);
    }
  }

  #checkUnwritten(key: Uint8Array): void {
    if ((this.#families & familyBit(key)) === 0) return;
    this.#isReadBack = true;
    throw new Error('a body reads what it has written');
  }
}

function familyBit(key: Uint8Array): number {
  return 1 << (key[0] ?? 0);
}
