import { uninitializedUint32s } from '../../lib/uninitialized-arrays.js';
import { NumberedIds } from './numbered-ids.js';

/**
 * What one window of objects after the other is put in order in, 33 to 40 bytes an object. It is used again for each
 * of them, for the memory of large arrays is given back late.
 */
export class WindowArrays {
  /** The objects of the window. */
  readonly ids: NumberedIds;
  /** For each number of an object, the rank of its value in the field that makes the window. */
  readonly leadRanks: Uint32Array;
  /** The same for one other field at a time. */
  readonly ranks: Uint32Array;
  /** Where the next object of each rank goes. */
  readonly next: Uint32Array;
  private numbers: Uint32Array;
  private others: Uint32Array;

  /** @param most as many objects as a window holds */
  constructor(readonly most: number) {
    this.ids = new NumberedIds(most);
    this.leadRanks = uninitializedUint32s(most);
    this.ranks = uninitializedUint32s(most);
    this.next = uninitializedUint32s(most + RANKS_MORE);
    this.numbers = uninitializedUint32s(most);
    this.others = uninitializedUint32s(most);
  }

  /** Numbers of the objects in the order so far. */
  get order(): Uint32Array {
    return this.numbers;
  }

  /** Where the next order is made of it. */
  get ordered(): Uint32Array {
    return this.others;
  }

  /** Takes the next order for the order so far. */
  swap(): void {
    [this.numbers, this.others] = [this.others, this.numbers];
  }
}

/** Ranks begin at 1, objects without one may come last, and places are counted for the rank that follows. */
const RANKS_MORE = 3;
