import {
  andContainers,
  andNotContainers,
  compact,
  type Container,
  countBits,
  forEachBit,
  GROUP,
  hasBit,
  isBitmap,
  LIST_MAX,
  lowerBound,
  membership,
  toBitmap,
  unite,
} from './containers.js';

const LOW = GROUP - 1;

/**
 * Sets of non-negative integers up to 2^48, which count and combine the matches of filters. Ids are grouped by their
 * upper bits. A small group is a sorted list; it becomes a bitmap when that is smaller (the layout of roaring
 * bitmaps, https://roaringbitmap.org). A million dense ids take 128 KB, a thousand scattered ones 2 KB.
 */
export class IdSet {
  readonly #groups = new Map<number, Container>();
  /** Number of ids in each bitmap. */
  readonly #sizes = new Map<number, number>();
  #count = 0;

  /** A set of ids, in any order and with repetitions. */
  static of(ids: Iterable<number>): IdSet {
    const builder = new IdSetBuilder();
    for (const id of ids) builder.add(id);
    return builder.done();
  }

  /** A set of ascending, distinct ids below 2^32; the cheapest way to build one. */
  static ofAscending(ids: Uint32Array): IdSet {
    const set = new IdSet();
    // The lower halves of the ids. When all groups are lists, they share this array.
    const lows = new Uint16Array(ids);
    for (let from = 0; from < ids.length;) {
      const high = (ids[from] ?? 0) >>> 16;
      const to = firstBeyond(ids, high, from);
      const list = ids.length > LIST_MAX ? lows.slice(from, to) : lows.subarray(from, to);
      set.put(high, list.length > LIST_MAX ? toBitmap(list) : list, list.length);
      from = to;
    }
    return set;
  }

  /** The ids of all sets; for many small sets this is cheaper than one union after another. */
  static union(sets: readonly IdSet[]): IdSet {
    const groups = new Map<number, Container[]>();
    for (const set of sets) {
      for (const [high, container] of set.#groups) {
        const containers = groups.get(high);
        if (containers === undefined) groups.set(high, [container]);
        else containers.push(container);
      }
    }
    const out = new IdSet();
    for (const [high, containers] of groups) {
      const united = unite(containers);
      const size = isBitmap(united) ? countBits(united) : united.length;
      out.put(high, isBitmap(united) ? compact(united, size) : united, size);
    }
    return out;
  }

  get size(): number {
    return this.#count;
  }

  /** One of the ids; undefined for an empty set. */
  get any(): number | undefined {
    for (const [high, container] of this.#groups) {
      if (!isBitmap(container)) return high * GROUP + (container[0] ?? 0);
      const at = container.findIndex((word) => word !== 0);
      return high * GROUP + at * 32 + 31 - Math.clz32((container[at] ?? 0) & -(container[at] ?? 0));
    }
    return undefined;
  }

  /** Approximate memory of the ids, in bytes. */
  get bytes(): number {
    let sum = 64;
    for (const container of this.#groups.values()) sum += container.byteLength + 64;
    return sum;
  }

  has(id: number): boolean {
    const container = this.#groups.get(Math.floor(id / GROUP));
    if (container === undefined) return false;
    const low = id % GROUP;
    return isBitmap(container) ? hasBit(container, low) : container[lowerBound(container, low)] === low;
  }

  /**
   * Selects those of the given ids that are in the set, in their order, from position `from` (inclusive) to `to`
   * (exclusive) among the selected ones. Reads at most `looks` ids.
   * @returns undefined when it would have to read more
   */
  pick(
    ids: Float64Array,
    { from, to, looks }: { readonly from: number; readonly to: number; readonly looks: number },
  ): number[] | undefined {
    const picked: number[] = [];
    const end = Math.min(looks, ids.length);
    let found = 0;
    for (let at = 0; at < end && found < to; at++) {
      const id = ids[at] ?? 0;
      if (this.has(id) && found++ >= from) picked.push(id);
    }
    return found === to || end === ids.length ? picked : undefined;
  }

  add(id: number): void {
    const high = Math.floor(id / GROUP);
    const low = id % GROUP;
    const container = this.#groups.get(high) ?? new Uint16Array(0);
    if (isBitmap(container)) {
      if (hasBit(container, low)) return;
      container[low >>> 5] = (container[low >>> 5] ?? 0) | (1 << (low & 31));
      this.put(high, container, this.#getSize(high) + 1);
      return;
    }
    const at = lowerBound(container, low);
    if (container[at] === low) return;
    const longer = new Uint16Array(container.length + 1);
    longer.set(container.subarray(0, at));
    longer[at] = low;
    longer.set(container.subarray(at), at + 1);
    this.put(high, longer.length > LIST_MAX ? toBitmap(longer) : longer, longer.length);
  }

  delete(id: number): void {
    const high = Math.floor(id / GROUP);
    const low = id % GROUP;
    const container = this.#groups.get(high);
    if (container === undefined || !this.has(id)) return;
    const size = this.#getSize(high) - 1;
    if (isBitmap(container)) {
      container[low >>> 5] = (container[low >>> 5] ?? 0) & ~(1 << (low & 31));
      this.put(high, container, size);
    } else {
      this.put(
        high,
        container.filter((value) => value !== low),
        size,
      );
    }
  }

  /** Calls back with every id, ascending within a group; groups come in no particular order. */
  forEach(visit: (id: number) => void): void {
    for (const [high, container] of this.#groups) {
      const base = high * GROUP;
      if (isBitmap(container)) forEachBit(container, (low) => visit(base + low));
      else for (const low of container) visit(base + low);
    }
  }

  /** In the order of {@link forEach}. */
  toArray(): number[] {
    const ids: number[] = [];
    this.forEach((id) => ids.push(id));
    return ids;
  }

  /** The ids in parts of at most 65,536, in the order of {@link forEach}. */
  *parts(): Generator<Float64Array> {
    for (const [high, container] of this.#groups) {
      const base = high * GROUP;
      const part = new Float64Array(this.#getSize(high));
      let at = 0;
      if (isBitmap(container)) forEachBit(container, (low) => (part[at++] = base + low));
      else for (const low of container) part[at++] = base + low;
      yield part;
    }
  }

  and(other: IdSet): IdSet {
    return combine(
      this,
      other,
      this.#groups.size <= other.#groups.size ? this.#groups : other.#groups,
      andContainers,
    );
  }

  andNot(other: IdSet): IdSet {
    return combine(this, other, this.#groups, andNotContainers);
  }

  /**
   * Counts those of the given ids that are in the set, and returns the first one. The ids must ascend and be below
   * 2^32.
   */
  countAmong(ids: Uint32Array): { readonly count: number; readonly first: number } {
    let count = 0;
    let first = 0;
    for (let from = 0; from < ids.length;) {
      const high = (ids[from] ?? 0) >>> 16;
      const to = firstBeyond(ids, high, from);
      const container = this.#groups.get(high);
      const isIn = container === undefined ? undefined : membership(container);
      for (let at = from; isIn !== undefined && at < to; at++) {
        const id = ids[at] ?? 0;
        if (isIn(id & LOW) && count++ === 0) first = id;
      }
      from = to;
    }
    return { count, first };
  }

  clone(): IdSet {
    const copy = new IdSet();
    for (const [high, container] of this.#groups) copy.put(high, container.slice(), this.#getSize(high));
    return copy;
  }

  /** @internal Replaces a whole group and takes ownership of the container; for building and combining. */
  put(high: number, container: Container, size: number): void {
    this.#count += size - this.#getSize(high);
    if (size === 0) this.#groups.delete(high);
    else this.#groups.set(high, container);
    if (size > 0 && isBitmap(container)) this.#sizes.set(high, size);
    else if (this.#sizes.size > 0) this.#sizes.delete(high);
  }

  /** Number of ids in a group. */
  #getSize(high: number): number {
    const container = this.#groups.get(high);
    if (container === undefined) return 0;
    return isBitmap(container) ? (this.#sizes.get(high) ?? 0) : container.length;
  }

  /** @internal */
  group(high: number): Container | undefined {
    return this.#groups.get(high);
  }
}

/** Collects ids in any order; cheaper than adding them to a set one by one. */
export class IdSetBuilder {
  /** Lower halves in the order of `add`, or a bit for each of them in a larger group. */
  readonly #groups = new Map<number, number[] | Uint32Array>();

  add(id: number): void {
    const high = Math.floor(id / GROUP);
    const low = id % GROUP;
    const group = this.#groups.get(high);
    if (group === undefined) this.#groups.set(high, [low]);
    else if (group instanceof Uint32Array) group[low >>> 5] = (group[low >>> 5] ?? 0) | (1 << (low & 31));
    else if (group.push(low) > FEW) this.#groups.set(high, toBitmap(group));
  }

  /**
   * The set, which calls back in ascending order ({@link IdSet.forEach}). The builder must not be used afterwards.
   */
  done(): IdSet {
    const set = new IdSet();
    for (const [high, group] of [...this.#groups].sort(([a], [b]) => a - b)) {
      if (group instanceof Uint32Array) {
        const size = countBits(group);
        set.put(high, compact(group, size), size);
      } else {
        const sorted = Uint16Array.from(group).sort();
        const list = sorted.every(isFirst) ? sorted : sorted.filter(isFirst);
        set.put(high, list, list.length);
      }
    }
    return set;
  }
}

/** A bitmap of 8 KB takes longer to clear and to count than this many ids take to sort. */
const FEW = 512;

/** True for the first occurrence of an element in a sorted list. */
function isFirst(low: number, at: number, list: Uint16Array): boolean {
  return at === 0 || list[at - 1] !== low;
}

type Combine = (a: Container | undefined, b: Container | undefined) => Container | undefined;

function combine(a: IdSet, b: IdSet, highs: ReadonlyMap<number, unknown>, join: Combine): IdSet {
  const out = new IdSet();
  for (const high of highs.keys()) {
    const joined = join(a.group(high), b.group(high));
    if (joined === undefined) continue;
    const size = isBitmap(joined) ? countBits(joined) : joined.length;
    out.put(high, isBitmap(joined) ? compact(joined, size) : joined, size);
  }
  return out;
}

/** Position, after `start`, of the first id in a later group. */
function firstBeyond(ids: Uint32Array, high: number, start: number): number {
  let from = start + 1;
  let to = Math.min(ids.length, start + GROUP);
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((ids[middle] ?? 0) >>> 16 > high) to = middle;
    else from = middle + 1;
  }
  return from;
}
