import { uninitializedUint32s } from '../../lib/uninitialized-arrays.js';
import type { KeyRange, Snapshot } from '../../store/engine.js';
import { afterKey, getEntries, idInEntry, prefixInEntry, rangeOfRun } from '../../store/index/keys.js';
import type { TableIndex } from '../../store/table.js';
import { IdSetBuilder } from './id-set.js';

/** Limits beyond which posting lists do not pay off. */
export interface PostingListLimits {
  /** With fewer entries per value, on average, the index is as fast. */
  readonly entriesPerValueMin: number;
  /** Most memory of the lists, in bytes. */
  readonly bytesMax: number;
}

/** Ids in one read: they take less time than other entries. */
const IDS_CHUNK = 4_000;
/** Most distinct values of one index whose ids are kept. */
const VALUES_MAX = 65_536;
/** Approximate memory of a value's directory entry in addition to its text, in bytes. */
const VALUE_BYTES = 64;
/** Most ids that are sorted at once: a longer sort would block other work. */
const SORTED_MAX = 4_000;
const ID_MAX = 0xffffffff;

/** Calls back with the id of each entry of a range. Yields the number of entries, chunk by chunk. */
export async function* visitIds(
  snapshot: Snapshot,
  range: KeyRange,
  visit: (id: number) => void,
): AsyncGenerator<number> {
  let rest = range;
  for (;;) {
    let entries = 0;
    const last = await snapshot.scanInPlace(rest, { limit: IDS_CHUNK }, (_value, { bytes, end }) => {
      visit(idInEntry(bytes, end));
      entries++;
      return true;
    });
    yield entries;
    if (last === undefined) return;
    rest = afterKey(rest, last);
  }
}

/** The common prefix of all entries of one value ({@link entryPrefix}), as a text without the index. */
export function textOfValue(prefix: Buffer): string {
  return prefix.toString('latin1', 5);
}

/** The inverse of {@link textOfValue}. */
export function prefixOfText(indexId: number, text: string): Buffer {
  return Buffer.concat([getEntries(indexId).start, Buffer.from(text, 'latin1')]);
}

/** The ids of all entries of an index in one array, value by value, with the position of each value's ids. */
export class PostingListIds {
  /** Numbers of the values, from 0, by their texts. */
  private readonly numbers = new Map<string, number>();
  /** Start of each value's ids. */
  private readonly starts: number[] = [];
  private ids: Uint32Array;
  private count = 0;
  private textBytes = 0;
  private isTooLarge = false;

  /** @param expected approximate number of ids */
  constructor(
    private readonly limits: PostingListLimits,
    expected: number,
  ) {
    this.ids = uninitializedUint32s(Math.min(expected, Math.ceil(limits.bytesMax / 4)));
  }

  /** Approximate memory, in bytes. */
  get bytes(): number {
    return this.ids.byteLength + this.textBytes + this.numbers.size * VALUE_BYTES;
  }

  /** True when the ids are within the limits. */
  get isWithinLimits(): boolean {
    const bytes = this.count * 4 + this.textBytes + this.numbers.size * VALUE_BYTES;
    return !this.isTooLarge && bytes <= this.limits.bytesMax && this.numbers.size <= VALUES_MAX;
  }

  /**
   * True when the values have enough entries on average.
   * @param entries number of entries to assume; default: those read so far
   */
  isDense(entries = this.count): boolean {
    return this.numbers.size * this.limits.entriesPerValueMin <= entries;
  }

  /**
   * Reads all entries. Yields after each chunk and value so that other work can run; the yielded value is false when
   * the limits are exceeded.
   */
  async *readFrom(snapshot: Snapshot, index: TableIndex): AsyncGenerator<boolean> {
    const { end } = getEntries(index.id);
    let { start } = getEntries(index.id);
    for (;;) {
      const [first] = await snapshot.scan({ start, end }, { limit: 1 });
      if (first === undefined) break;
      const prefix = prefixInEntry(first.key);
      const range = rangeOfRun(prefix);
      const from = this.count;
      this.beginValue(textOfValue(prefix));
      for await (const _ of visitIds(snapshot, range, (id) => this.add(id))) yield this.isWithinLimits;
      yield* this.putInOrder(from);
      start = range.end;
    }
    // Copying most of the array would take long and free little memory.
    if (this.count < this.ids.length / 2) this.ids = this.ids.slice(0, this.count);
  }

  /** Sorts the ids from a position on. */
  private async *putInOrder(from: number): AsyncGenerator<boolean> {
    const { ids, count } = this;
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

  private beginValue(text: string): void {
    this.numbers.set(text, this.starts.length);
    this.starts.push(this.count);
    this.textBytes += text.length;
  }

  private add(id: number): void {
    if (id > ID_MAX || this.count * 4 >= this.limits.bytesMax) {
      this.isTooLarge = true;
      return;
    }
    if (this.count === this.ids.length) {
      const most = Math.ceil(this.limits.bytesMax / 4);
      const longer = uninitializedUint32s(Math.min(most, Math.max(1_024, this.count * 2)));
      longer.set(this.ids);
      this.ids = longer;
    }
    this.ids[this.count++] = id;
  }

  /** Texts of all values. */
  texts(): Iterable<string> {
    return this.numbers.keys();
  }

  /** Ids of the objects with a value, ascending. Must not be changed. */
  of(text: string): Uint32Array {
    const number = this.numbers.get(text);
    if (number === undefined) return NO_IDS;
    return this.ids.subarray(this.starts[number], this.starts[number + 1] ?? this.count);
  }
}

const NO_IDS = new Uint32Array(0);
