import { uninitializedFloat64s, uninitializedUint32s } from '../../lib/uninitialized-arrays.js';

const EMPTY = 0xffffffff;
/** At least so many slots for each id. */
const ROOM = 1.25;

/** Object ids with numbers from 0, both ways. Takes 13 to 18 bytes an id, however scattered ids are. */
export class NumberedIds {
  private readonly ids: Float64Array;
  /** Numbers by the hash of the id; the next free slot when it is taken. */
  private readonly slots: Uint32Array;
  private count = 0;

  /** @param most as many ids as can be added */
  constructor(readonly most: number) {
    const bits = Math.max(1, Math.ceil(Math.log2(most * ROOM)));
    this.ids = uninitializedFloat64s(most);
    this.slots = uninitializedUint32s(2 ** bits).fill(EMPTY);
  }

  get size(): number {
    return this.count;
  }

  /** Gives the next number to an id that has none yet; there must be room for it. */
  add(id: number): number {
    const number = this.count++;
    this.ids[number] = id;
    this.slots[this.getSlot(id)] = number;
    return number;
  }

  /** Forgets all ids. */
  clear(): void {
    this.count = 0;
    this.slots.fill(EMPTY);
  }

  /** Forgets the ids from a number on; none can be added before all are forgotten. */
  cut(size: number): void {
    this.count = Math.min(this.count, size);
  }

  /** The id of a number below the size. */
  idAt(number: number): number {
    return this.ids[number] ?? 0;
  }

  /** Undefined when the id was not added. */
  findNumber(id: number): number | undefined {
    const number = this.slots[this.getSlot(id)] ?? EMPTY;
    return number < this.count ? number : undefined;
  }

  /** The slot of the id, or the free one that it would get. */
  private getSlot(id: number): number {
    const folded = (id | 0) ^ Math.floor(id / 0x100000000);
    const last = this.slots.length - 1;
    for (let at = mixed(folded) & last; ; at = (at + 1) & last) {
      const number = this.slots[at] ?? EMPTY;
      if (number === EMPTY || this.ids[number] === id) return at;
    }
  }
}

/**
 * Spreads numbers over the slots, whatever those that come have in common: each bit decides about half of all bits
 * (the end of MurmurHash3, https://github.com/aappleby/smhasher).
 */
function mixed(bits: number): number {
  let hash = bits;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
