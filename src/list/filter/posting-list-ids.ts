import { uninitializedUint32s } from '../../lib/uninitialized-arrays.js';
import type { Snapshot } from '../../store/engine.js';
import {
  allEntries,
  beyondGroup,
  entriesIn,
  firstValue,
  keyToText,
  visitIds,
} from '../../store/index/index-reader.js';
import type { TableIndex } from '../../store/table.js';
import { IdSetBuilder } from './id-set.js';

/** Limits beyond which posting lists do not pay off. */
export interface PostingListLimits {
  /** With fewer entries per value, on average, the index is as fast. */
  readonly entriesPerValueMin: number;
  /** Most memory of the lists, in bytes. */
  readonly bytesMax: number;
}

/** Most distinct values of one index whose ids are kept. */
const VALUES_MAX = 65_536;
/** Approximate memory of a value's directory entry in addition to its text, in bytes. */
const VALUE_BYTES = 64;
/** Most ids that are sorted at once: a longer sort would block other work. */
const SORTED_MAX = 4_000;
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

  /** True when the ids are within the limits. */
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
   * Reads all entries. Yields after each chunk and value so that other work can run; the yielded value is false when
   * the limits are exceeded.
   */
  async *readFrom(snapshot: Snapshot, index: TableIndex): AsyncGenerator<boolean> {
    let rest = allEntries(index);
    for (let key = await firstValue(snapshot, rest); key !== undefined;) {
      const from = this.#count;
      this.#beginValue(keyToText(key));
      for await (const _ of visitIds(snapshot, entriesIn(key), (id) => this.#add(id)))
        yield this.isWithinLimits;
      yield* this.#putInOrder(from);
      rest = beyondGroup(rest, key, 'asc');
      key = await firstValue(snapshot, rest);
    }
    // Copying most of the array would take long and free little memory.
    if (this.#count < this.#ids.length / 2) this.#ids = this.#ids.slice(0, this.#count);
  }

  /** Sorts the ids from a position on. */
  async *#putInOrder(from: number): AsyncGenerator<boolean> {
    const ids = this.#ids;
    const count = this.#count;
    if (count - from <= SORTED_MAX) {
      ids.subarray(from, count).sort();
      return;
    }
    const builder = new IdSetBuilder();
    for (let at = from; at < count; at += SORTED_MAX) {
      for (const id of ids.subarray(at, Math.min(at + SORTED_MAX, count))) builder.add(id);
      yield this.isWithinLimits;
    }
    let at = from;
    builder.done().forEach((id) => (ids[at++] = id));
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

  /** Texts of all values. */
  texts(): Iterable<string> {
    return this.#numbers.keys();
  }

  /** Ids of the objects with a value, ascending. Must not be changed. */
  of(text: string): Uint32Array {
    const number = this.#numbers.get(text);
    if (number === undefined) return NO_IDS;
    return this.#ids.subarray(this.#starts[number], this.#starts[number + 1] ?? this.#count);
  }
}

const NO_IDS = new Uint32Array(0);
