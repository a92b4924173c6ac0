import { uninitializedUint32s } from '../../lib/uninitialized-arrays.js';
import type { Snapshot, VisitPair } from '../../store/engine.js';
import {
  allEntries,
  entryId,
  IDS_CHUNK,
  keyToText,
  valueAt,
  type ValueKey,
} from '../../store/index/index-reader.js';
import { visitChunks } from '../../store/index/scan.js';
import type { TableIndex } from '../../store/table.js';

/** Limits beyond which posting lists do not pay off. */
export interface PostingListLimits {
  /** With fewer entries per value, on average, the index is as fast. */
  readonly entriesPerValueMin: number;
  /** Most memory of the lists, in bytes. */
  readonly bytesMax: number;
}

/** Most distinct values of one index whose ids are kept. */
const VALUES_MAX = 262_144;
/** Approximate memory of a value's directory entry in addition to its text, in bytes. */
const VALUE_BYTES = 64;
const ID_MAX = 0xffffffff;

/** The ids of all entries of an index in one array, value by value, with the position of each value's ids. */
export class PostingListIds {
  /** Numbers of the values, from 0, by their texts. */
  readonly #numbers = new Map<string, number>();
  /** Start of each value's ids. */
  readonly #starts: number[] = [];
  #ids: Uint32Array;
  #count = 0;
  #textBytes = 0;
  #isTooLarge = false;

  /** @param expected approximate number of ids */
  constructor(
    private readonly limits: PostingListLimits,
    expected: number,
  ) {
    this.#ids = uninitializedUint32s(Math.min(expected, Math.ceil(limits.bytesMax / 4)));
  }

  /** Approximate memory, in bytes. */
  get bytes(): number {
    return this.#ids.byteLength + this.#textBytes + this.#numbers.size * VALUE_BYTES;
  }

  get isWithinLimits(): boolean {
    const bytes = this.#count * 4 + this.#textBytes + this.#numbers.size * VALUE_BYTES;
    return !this.#isTooLarge && bytes <= this.limits.bytesMax && this.#numbers.size <= VALUES_MAX;
  }

  /**
   * True when the values have enough entries on average.
   * @param entries number of entries to assume; default: those read so far
   */
  isDense(entries = this.#count): boolean {
    return this.#numbers.size * this.limits.entriesPerValueMin <= entries;
  }

  /**
   * Reads all entries. Yields after each chunk so that other work can run; the yielded value is false when the limits
   * are exceeded.
   */
  async *readFrom(snapshot: Snapshot, index: TableIndex): AsyncGenerator<boolean> {
    let current: ValueKey | undefined;
    const visit: VisitPair = (_value, place) => {
      const key = valueAt(place, current);
      if (key !== current) this.#beginValue(keyToText(key));
      current = key;
      this.#add(entryId(place));
      return true;
    };
    for await (const _ of visitChunks(snapshot, allEntries(index), { limit: IDS_CHUNK }, visit))
      yield this.isWithinLimits;
    // Copying most of the array would take long and free little memory.
    if (this.#count < this.#ids.length / 2) this.#ids = this.#ids.slice(0, this.#count);
  }

  #beginValue(text: string): void {
    this.#numbers.set(text, this.#starts.length);
    this.#starts.push(this.#count);
    this.#textBytes += text.length;
  }

  #add(id: number): void {
    if (id > ID_MAX || this.#count * 4 >= this.limits.bytesMax) {
      this.#isTooLarge = true;
      return;
    }
    if (this.#count === this.#ids.length) {
      const most = Math.ceil(this.limits.bytesMax / 4);
      const longer = uninitializedUint32s(Math.min(most, Math.max(1_024, this.#count * 2)));
      longer.set(this.#ids);
      this.#ids = longer;
    }
    this.#ids[this.#count++] = id;
  }

  texts(): Iterable<string> {
    return this.#numbers.keys();
  }

  hasText(text: string): boolean {
    return this.#numbers.has(text);
  }

  /** Ids of the objects with a value, ascending. Must not be changed. */
  of(text: string): Uint32Array {
    const number = this.#numbers.get(text);
    if (number === undefined) return NO_IDS;
    return this.#ids.subarray(this.#starts[number], this.#starts[number + 1] ?? this.#count);
  }
}

const NO_IDS = new Uint32Array(0);
