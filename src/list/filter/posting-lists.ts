import { yieldBetween } from '../../lib/work/yield.js';
import type { KeyRange, Snapshot } from '../../store/engine.js';
import type { IndexRecord } from '../../store/index/index-record.js';
import { entryPrefix } from '../../store/index/keys.js';
import type { TableIndex } from '../../store/table.js';
import type { Change } from '../change-tracker.js';
import { keepsPlace } from '../order/rank-cache.js';
import { IdSet } from './id-set.js';
import { PostingListIds, type PostingListLimits, prefixOfText, textOfValue } from './posting-list-ids.js';

/** One index in one snapshot. */
export interface PostingListSource {
  readonly snapshot: Snapshot;
  readonly index: TableIndex;
  /** Number of the model's objects in the snapshot. */
  readonly objects: number;
  /** Of the table's last change in the snapshot. */
  readonly revision: number;
}

/** The objects that have one value. */
export interface ObjectsOfValue {
  /** What the value's entries share, see `entryPrefix`. */
  readonly prefix: Buffer;
  /** Ascending ids, or a set. */
  readonly ids: Uint32Array | IdSet;
}

/** What an object that came to a value or left it takes, in bytes, roughly. */
const CHANGED_BYTES = 100;
/** After so many changes the lists should be read again; after the larger number they are of no use. */
const STALE_CHANGES = 5_000;
const CHANGES_MAX = 20_000;

/**
 * The ids of all objects in one index, value by value, in memory: the set of a value's objects is at hand, also when
 * nobody asked for it before. It is derived from the entries of one snapshot and follows the changes since. Takes 4
 * bytes an entry and about 100 for each different value.
 */
export class PostingLists {
  /** By a value's text, the objects that came to it (true) or left it (false) since the entries were read. */
  private readonly changed = new Map<string, Map<number, boolean>>();
  private changes = 0;

  private constructor(
    private readonly index: TableIndex,
    private readonly ids: PostingListIds,
    private ownRevision: number,
  ) {}

  /** Reads an index in short turns. Undefined when posting lists do not pay, or when the reading is over before the end. */
  static async read(
    { snapshot, index, objects, revision }: PostingListSource,
    limits: PostingListLimits,
    isOver: () => boolean = () => false,
  ): Promise<PostingLists | undefined> {
    const ids = new PostingListIds(limits, objects);
    for await (const isWithinLimits of yieldBetween(ids.readFrom(snapshot, index))) {
      // With one value each, there are no more entries than objects.
      if (!isWithinLimits || isOver() || (!index.multi && !ids.isDense(objects))) return undefined;
    }
    return ids.isDense() && ids.isWithinLimits ? new PostingLists(index, ids, revision) : undefined;
  }

  /** Revision of the table that it is right at. */
  get revision(): number {
    return this.ownRevision;
  }

  /** Memory that it takes, roughly. */
  get bytes(): number {
    return this.ids.bytes + this.changes * CHANGED_BYTES;
  }

  /** Whether it has changed so much that it should be read again. */
  get isStale(): boolean {
    return this.changes > STALE_CHANGES;
  }

  /** Whether it has changed too much to be used. */
  get isWornOut(): boolean {
    return this.changes > CHANGES_MAX;
  }

  /** Takes in all changes of the table from their revision to a later one, oldest first. */
  follow(changes: readonly Change[], revision: number): void {
    for (const change of changes) {
      if (keepsPlace(change, this.index.id)) continue;
      this.note(change.before, false);
      this.note(change.after, true);
    }
    this.ownRevision = revision;
  }

  private note(record: IndexRecord | undefined, isThere: boolean): void {
    if (record === undefined) return;
    for (const value of this.getValues(record)) {
      const text = this.formatText(value);
      const objects = this.changed.get(text) ?? new Map<number, boolean>();
      if (objects.size === 0) this.changed.set(text, objects);
      if (!objects.has(record.id)) this.changes++;
      objects.set(record.id, isThere);
    }
  }

  /** What the object's entries stand for: undefined for the entry that says it has no value. */
  private getValues(record: IndexRecord): readonly (Buffer | undefined)[] {
    const values = record.values.get(this.index.id) ?? [];
    return values.length === 0 && !this.index.sparse ? [undefined] : values;
  }

  private formatText(value: Buffer | undefined): string {
    return textOfValue(entryPrefix(this.index.id, this.index.keyType, value));
  }

  /** How many objects have a value (or none, when it is undefined), roughly. */
  getSize(value: Buffer | undefined): number {
    const text = this.formatText(value);
    return this.ids.of(text).length + (this.changed.get(text)?.size ?? 0);
  }

  /** The objects that have one of the values; undefined stands for having none. A set of its own. */
  getSet(values: readonly (Buffer | undefined)[]): IdSet {
    const sets = values.map((value) => this.setOfOne(this.formatText(value)));
    const [only] = sets;
    return only !== undefined && sets.length === 1 ? only : IdSet.union(sets);
  }

  /**
   * Each value that has entries in a range, and its objects: as they were read, or a set where they changed since. They
   * are those of the revision at which this begins: whoever goes through them takes turns with others, for whom these
   * lists go on to later ones.
   */
  *valuesIn({ start, end }: KeyRange): Generator<ObjectsOfValue> {
    const changed = new Map(Array.from(this.changed, ([text, objects]) => [text, [...objects]]));
    const texts = new Set([...this.ids.texts(), ...changed.keys()]);
    for (const text of texts) {
      const prefix = prefixOfText(this.index.id, text);
      if (prefix.compare(start) < 0 || prefix.compare(end) >= 0) continue;
      const changes = changed.get(text);
      yield { prefix, ids: changes === undefined ? this.ids.of(text) : this.setWith(text, changes) };
    }
  }

  private setOfOne(text: string): IdSet {
    return this.setWith(text, this.changed.get(text) ?? []);
  }

  private setWith(text: string, changes: Iterable<readonly [id: number, isThere: boolean]>): IdSet {
    const set = IdSet.ofAscending(this.ids.of(text));
    for (const [id, isThere] of changes) {
      if (isThere) set.add(id);
      else set.delete(id);
    }
    return set;
  }
}
