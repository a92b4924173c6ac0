import { uninitializedFloat64s, uninitializedUint32s } from '../../lib/uninitialized-arrays.js';
import type { Work } from '../../lib/work/work.js';
import { countYielding, yieldBetween } from '../../lib/work/yield.js';
import { type IndexRecord, sameValues } from '../../store/index/index-record.js';
import type { RecordChange } from '../../store/log/record-changes.js';
import { type IdSet, IdSetBuilder } from '../filter/id-set.js';

/**
 * The ids of all objects of a table in one order, in memory. It gives the n-th object and the position of each
 * object. It is derived from a walk in that order, and is valid until an object's value in the order changes. Takes
 * 16 bytes per object.
 */
export class RankCache {
  private constructor(
    /** The revision of the table at which the cache was read. */
    readonly revision: number,
    private readonly ids: Float64Array,
    /** Rank by id; only for ids that are dense enough for an array. */
    private readonly places: Uint32Array,
    private readonly firstId: number,
  ) {}

  /** Undefined when ids are too scattered because most objects were deleted: then a rank cache does not pay off. */
  static async read(
    walk: AsyncIterable<readonly number[]>,
    objects: number,
    revision: number,
  ): Promise<RankCache | undefined> {
    const ids = uninitializedFloat64s(objects);
    let count = 0;
    let [smallest, largest] = [Infinity, -1];
    for await (const some of yieldBetween(walk)) {
      for (const id of some) {
        ids[count++] = id;
        if (id < smallest) smallest = id;
        if (id > largest) largest = id;
      }
    }
    const span = count === 0 ? 0 : largest - smallest + 1;
    if (span > SPAN_MAX * Math.max(count, 1_000)) return undefined;
    const places = uninitializedUint32s(span);
    await countYielding(count, (place) => (places[(ids[place] ?? 0) - smallest] = place));
    return new RankCache(revision, ids.subarray(0, count), places, count === 0 ? 0 : smallest);
  }

  get bytes(): number {
    return this.ids.byteLength + this.places.byteLength;
  }

  /** Ids at positions `from` (inclusive) to `to` (exclusive). */
  slice(from: number, to: number): number[] {
    return Array.from(this.ids.subarray(from, to));
  }

  /** The objects from one position to another, both inclusive, as a new set. */
  async setBetween(first: number, last: number, work?: Work): Promise<IdSet> {
    const builder = new IdSetBuilder();
    await countYielding(Math.max(0, last - first + 1), (i) => builder.add(this.ids[first + i] ?? 0), work);
    return builder.done();
  }

  /** The matches at positions `from` to `to` among all matches, in order. */
  getSlice(matches: IdSet, from: number, to: number): number[] {
    // Walking the rank cache costs one read per object; sorting the matches costs more per match.
    const isDense = matches.size * LOOKS_PER_SORTED >= this.ids.length;
    const looks = isDense ? this.ids.length : matches.size * PROBE_FACTOR;
    const isLikely = isDense || to * this.ids.length < looks * matches.size;
    const picked = isLikely ? matches.pick(this.ids, { from, to, looks }) : undefined;
    return picked ?? this.#sorted(matches, from, to);
  }

  #sorted(matches: IdSet, from: number, to: number): number[] {
    const places = to <= FEW ? this.#smallestPlaces(matches, to) : this.#getPlaces(matches).sort();
    return Array.from(places.subarray(from, to), (place) => this.ids[place] ?? 0);
  }

  #getPlaces(matches: IdSet): Uint32Array {
    const places = new Uint32Array(matches.size);
    let count = 0;
    matches.forEach((id) => (places[count++] = this.getPlace(id)));
    return places;
  }

  /** The first positions of the matches, ascending, without sorting the others. */
  #smallestPlaces(matches: IdSet, most: number): Uint32Array {
    const best = new Uint32Array(most);
    let count = 0;
    matches.forEach((id) => {
      const place = this.getPlace(id);
      if (count === most && place > (best[count - 1] ?? 0)) return;
      let at = count < most ? count++ : count - 1;
      for (; at > 0 && (best[at - 1] ?? 0) > place; at--) best[at] = best[at - 1] ?? 0;
      best[at] = place;
    });
    return best.subarray(0, count);
  }

  /** The position of an object of the table. */
  getPlace(id: number): number {
    return this.places[id - this.firstId] ?? 0;
  }
}

const SPAN_MAX = 4;
/** Up to this many first matches are found by comparing each match with them; for more, all matches are sorted. */
const FEW = 64;
const LOOKS_PER_SORTED = 16;
/** Reads per match that are tried before the matches are sorted after all. */
const PROBE_FACTOR = 4;

/** True when a change keeps every object at its position in an order by one index; by name when it is undefined. */
export function keepsPlace({ before, after }: RecordChange, indexId: number | undefined): boolean {
  if (before?.id !== after?.id || before === undefined || after === undefined) return false;
  return indexId === undefined || sameValues(getValues(before, indexId), getValues(after, indexId));
}

function getValues(record: IndexRecord, indexId: number): readonly Buffer[] {
  return record.values.get(indexId) ?? [];
}
