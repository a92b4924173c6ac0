import { uninitializedFloat64s, uninitializedUint32s } from '../../lib/uninitialized-arrays.js';

const EMPTY = 0xffffffff;
/** Least number of slots per id. */
const ROOM = 1.25;

/** Maps object ids to numbers from 0, and back. Takes 13 to 18 bytes per id, also for scattered ids. */
export class NumberedIds {
  readonly #ids: Float64Array;
  /** Numbers by the hash of the id; a collision uses the next free slot. */
  readonly #slots: Uint32Array;
  #count = 0;

  /** @param most largest number of ids */
  constructor(readonly most: number) {
    const bits = Math.max(1, Math.ceil(Math.log2(most * ROOM)));
    this.#ids = uninitializedFloat64s(most);
    this.#slots = uninitializedUint32s(2 ** bits).fill(EMPTY);
  }

  get size(): number {
    return this.#count;
  }

  /** Assigns the next number to a new id; fewer than `most` ids must have been added. */
  add(id: number): number {
    const number = this.#count++;
    this.#ids[number] = id;
    this.#slots[this.#getSlot(id)] = number;
    return number;
  }

  clear(): void {
    this.#count = 0;
    this.#slots.fill(EMPTY);
  }

  /** Removes the ids from a number on; after this, none can be added before `clear`. */
  cut(size: number): void {
    this.#count = Math.min(this.#count, size);
  }

  /** The id of a number below the size. */
  idAt(number: number): number {
    return this.#ids[number] ?? 0;
  }

  /** Undefined when the id was not added. */
  findNumber(id: number): number | undefined {
    const number = this.#slots[this.#getSlot(id)] ?? EMPTY;
    return number < this.#count ? number : undefined;
  }

  /** The slot of the id, or the free slot for it. */
  #getSlot(id: number): number {
    const folded = (id | 0) ^ Math.floor(id / 0x100000000);
    const last = this.#slots.length - 1;
    for (let at = mixed(folded) & last; ; at = (at + 1) & last) {
      const number = this.#slots[at] ?? EMPTY;
      if (number === EMPTY || this.#ids[number] === id) return at;
    }
  }
}

/**
 * Spreads similar numbers over the slots: each bit affects about half of all bits (the final step of MurmurHash3,
 * https://github.com/aappleby/smhasher).
 */
function mixed(bits: number): number {
  let hash = bits;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
