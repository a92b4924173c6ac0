import type { MaybePromise } from '../../lib/work/maybe-promise.js';
import type { Work } from '../../lib/work/work.js';
import { countYielding, yieldBetween } from '../../lib/work/yield.js';
import type { KeyRange, Snapshot } from '../../store/engine.js';
import type { IndexRecord } from '../../store/index/index-record.js';
import {
  getValueKey,
  isInRange,
  keyFromText,
  keyToText,
  type ValueKey,
} from '../../store/index/index-reader.js';
import type { TableIndex } from '../../store/table.js';
import type { RecordChange } from '../../store/log/record-changes.js';
import { keepsPlace } from '../order/rank-cache.js';
import { IdSet, IdSetBuilder } from './id-set.js';
import { PostingListIds, type PostingListLimits } from './posting-list-ids.js';

/** One index in one snapshot. */
export interface PostingListSource {
  readonly snapshot: Snapshot;
  readonly index: TableIndex;
  /** Number of the model's objects in the snapshot. */
  readonly objects: number;
  /** The revision of the table's last change in the snapshot. */
  readonly revision: number;
}

export interface ObjectsOfValue {
  readonly key: ValueKey;
  /** Ascending ids, or a set. */
  readonly ids: Uint32Array | IdSet;
}

/** An object that gained a value, or lost it. */
type Change = readonly [id: number, isThere: boolean];

/** Approximate memory of one changed object, in bytes. */
const CHANGED_BYTES = 100;
/** A set for each of more values would cost more than to add their ids one by one. */
const SETS_MAX = 32;
/** After this many changes the lists should be read again; after the larger number they are no longer used. */
const STALE_CHANGES = 5_000;
const CHANGES_MAX = 20_000;

/**
 * The ids of all objects in one index, value by value, in memory. They provide the set of any value's objects, also
 * for values without an earlier query. The lists are derived from the entries of one snapshot and follow later
 * changes. They take 4 bytes per entry and about 100 per distinct value.
 */
export class PostingLists {
  /** By a value's text, the objects that gained the value (true) or lost it (false) since the entries were read. */
  readonly #changed = new Map<string, Map<number, boolean>>();
  #changes = 0;

  private constructor(
    private readonly index: TableIndex,
    private readonly ids: PostingListIds,
    private ownRevision: number,
  ) {}

  /**
   * Reads an index in short steps. Undefined when posting lists do not pay off, or when `isOver` stops the reading.
   */
  static async read(
    { snapshot, index, objects, revision }: PostingListSource,
    limits: PostingListLimits,
    isOver: () => boolean = () => false,
  ): Promise<PostingLists | undefined> {
    const ids = new PostingListIds(limits, objects);
    for await (const isWithinLimits of yieldBetween(ids.readFrom(snapshot, index))) {
      // With one value per object, the index has at most one entry per object.
      if (!isWithinLimits || isOver() || (!index.multi && !ids.isDense(objects))) return undefined;
    }
    return ids.isDense() && ids.isWithinLimits ? new PostingLists(index, ids, revision) : undefined;
  }

  /** The revision of the table that the lists represent. */
  get revision(): number {
    return this.ownRevision;
  }

  /** Approximate memory, in bytes. */
  get bytes(): number {
    return this.ids.bytes + this.#changes * CHANGED_BYTES;
  }

  /** True after enough changes that the lists should be read again. */
  get isStale(): boolean {
    return this.#changes > STALE_CHANGES;
  }

  /** True after too many changes to use the lists. */
  get isWornOut(): boolean {
    return this.#changes > CHANGES_MAX;
  }

  /** Applies all changes of the table from the lists' revision to a later one, oldest first. */
  follow(changes: readonly RecordChange[], revision: number): void {
    for (const change of changes) {
      if (keepsPlace(change, this.index.id)) continue;
      this.#note(change.before, false);
      this.#note(change.after, true);
    }
    this.ownRevision = revision;
  }

  #note(record: IndexRecord | undefined, isThere: boolean): void {
    if (record === undefined) return;
    for (const value of this.#getValues(record)) {
      const text = this.#formatText(value);
      const objects = this.#changed.get(text) ?? new Map<number, boolean>();
      if (objects.size === 0) this.#changed.set(text, objects);
      if (!objects.has(record.id)) this.#changes++;
      objects.set(record.id, isThere);
    }
  }

  /** The values of the object's entries; undefined for the entry of an object without a value. */
  #getValues(record: IndexRecord): readonly (Buffer | undefined)[] {
    const values = record.values.get(this.index.id) ?? [];
    return values.length === 0 && !this.index.sparse ? [undefined] : values;
  }

  #formatText(value: Buffer | undefined): string {
    return keyToText(getValueKey(this.index, value));
  }

  /** Approximate number of objects with a value, or without one when it is undefined. */
  getSize(value: Buffer | undefined): number {
    const text = this.#formatText(value);
    return this.ids.of(text).length + (this.#changed.get(text)?.size ?? 0);
  }

  /**
   * The objects with one of the values at the present revision, as a new set; undefined selects objects without a value.
   * Takes turns with other work when there are many values.
   */
  getSet(values: readonly (Buffer | undefined)[], work?: Work): MaybePromise<IdSet> {
    if (values.length > SETS_MAX) return this.#setOfMany(values, work);
    const sets = values.map((value) => this.#setWith(this.#formatText(value), this.#changed));
    const [only] = sets;
    return only !== undefined && sets.length === 1 ? only : IdSet.union(sets);
  }

  async #setOfMany(values: readonly (Buffer | undefined)[], work: Work | undefined): Promise<IdSet> {
    const changed = this.#presentChanges();
    const builder = new IdSetBuilder();
    const add = (id: number): void => builder.add(id);
    const addAll = (i: number): void => {
      const text = this.#formatText(values[i]);
      if (changed.has(text)) this.#setWith(text, changed).forEach(add);
      else this.ids.of(text).forEach(add);
    };
    await countYielding(values.length, addAll, work);
    return builder.done();
  }

  /** The changes until now: later ones do not change the copy. */
  #presentChanges(): Map<string, readonly Change[]> {
    return new Map(Array.from(this.#changed, ([text, objects]) => [text, [...objects]]));
  }

  /**
   * Yields each value with entries in a range, and its objects: the ids as read, or a set where they changed since.
   * All are of the revision at the start: the caller takes turns with other work, which may move the lists to later
   * revisions.
   */
  *valuesIn(range: KeyRange): Generator<ObjectsOfValue> {
    const changed = this.#presentChanges();
    const added = [...changed.keys()].filter((text) => !this.ids.hasText(text));
    for (const texts of [this.ids.texts(), added]) {
      for (const text of texts) {
        const key = keyFromText(this.index, text);
        if (!isInRange(key, range)) continue;
        yield { key, ids: changed.has(text) ? this.#setWith(text, changed) : this.ids.of(text) };
      }
    }
  }

  #setWith(text: string, changed: ReadonlyMap<string, Iterable<Change>>): IdSet {
    const set = IdSet.ofAscending(this.ids.of(text));
    for (const [id, isThere] of changed.get(text) ?? []) {
      if (isThere) set.add(id);
      else set.delete(id);
    }
    return set;
  }
}
