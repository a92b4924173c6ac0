import { uninitializedUint32s } from '../../lib/uninitialized-arrays.js';
import { NumberedIds } from './numbered-ids.js';

/**
 * The arrays in which one window of objects after another is sorted; 33 to 40 bytes per object. They are reused,
 * because the memory of large arrays is freed late.
 */
export class WindowArrays {
  /** The objects of the window. */
  readonly ids: NumberedIds;
  /** The rank of each number's value in the field that defines the window. */
  readonly leadRanks: Uint32Array;
  /** The same for one other field at a time. */
  readonly ranks: Uint32Array;
  /** The next position for each rank. */
  readonly next: Uint32Array;
  #numbers: Uint32Array;
  #others: Uint32Array;

  /** @param most largest number of objects in a window */
  constructor(readonly most: number) {
    this.ids = new NumberedIds(most);
    this.leadRanks = uninitializedUint32s(most);
    this.ranks = uninitializedUint32s(most);
    this.next = uninitializedUint32s(most + RANKS_MORE);
    this.#numbers = uninitializedUint32s(most);
    this.#others = uninitializedUint32s(most);
  }

  /** Numbers of the objects in the present order. */
  get order(): Uint32Array {
    return this.#numbers;
  }

  /** The array that receives the next order. */
  get ordered(): Uint32Array {
    return this.#others;
  }

  /** Makes the next order the present one. */
  swap(): void {
    [this.#numbers, this.#others] = [this.#others, this.#numbers];
  }
}

/**
 * Room for three more ranks: ranks begin at 1, objects without a rank may come last, and positions are counted for
 * the following rank.
 */
const RANKS_MORE = 3;
