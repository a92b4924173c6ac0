import { IdSet } from './id-set.js';
import type { Change } from '../change-tracker.js';
import type { Snapshot } from '../../store/engine.js';
import { entryPrefix } from '../../store/keys.js';
import { keepsPlace } from '../order/rank-cache.js';
import type { Row } from '../../store/index-record.js';
import type { TableIndex } from '../../store/table.js';
import { textOfValue, ValueColumnIds, type ValueColumnLimits } from './posting-list-ids.js';
import { paced } from '../index-scan.js';

/** One index in one snapshot. */
export interface ValueColumnSource {
  readonly snapshot: Snapshot;
  readonly index: TableIndex;
  /** Number of the model's objects in the snapshot. */
  readonly objects: number;
  /** Of the table's last change in the snapshot. */
  readonly revision: number;
}

/** What an object that came to a value or left it takes, in bytes, roughly. */
const CHANGED_BYTES = 100;
/** After so many changes a column should be read again; after the larger number it is of no use. */
const STALE_CHANGES = 5_000;
const CHANGES_MAX = 20_000;

/**
 * The ids of all objects in one index, value by value, in memory: the set of a value's objects is at hand, also when
 * nobody asked for it before. It is derived from the entries of one snapshot and follows the changes since. Takes 4
 * bytes an entry and about 100 for each different value.
 */
export class ValueColumn {
  /** By a value's text, the objects that came to it (true) or left it (false) since the entries were read. */
  private readonly changed = new Map<string, Map<number, boolean>>();
  private changes = 0;

  private constructor(
    private readonly index: TableIndex,
    private readonly ids: ValueColumnIds,
    private ownRevision: number,
  ) {}

  /** Reads an index in short turns. Undefined when a column does not pay, or when it is over before the end. */
  static async read(
    { snapshot, index, objects, revision }: ValueColumnSource,
    limits: ValueColumnLimits,
    isOver: () => boolean = () => false,
  ): Promise<ValueColumn | undefined> {
    const ids = new ValueColumnIds(limits, objects);
    for await (const isWorth of paced(ids.readFrom(snapshot, index))) {
      // With one value each, there are no more entries than objects.
      if (!isWorth || isOver() || (!index.multi && !ids.isDense(objects))) return undefined;
    }
    return ids.isDense() && ids.isWorth ? new ValueColumn(index, ids, revision) : undefined;
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

  /** Takes in all changes of the table from the column's revision to a later one, oldest first. */
  follow(changes: readonly Change[], revision: number): void {
    for (const change of changes) {
      if (keepsPlace(change, this.index.id)) continue;
      this.note(change.before, false);
      this.note(change.after, true);
    }
    this.ownRevision = revision;
  }

  private note(row: Row | undefined, isThere: boolean): void {
    if (row === undefined) return;
    for (const value of this.valuesOf(row)) {
      const text = this.textOf(value);
      const objects = this.changed.get(text) ?? new Map<number, boolean>();
      if (objects.size === 0) this.changed.set(text, objects);
      if (!objects.has(row.id)) this.changes++;
      objects.set(row.id, isThere);
    }
  }

  /** What the object's entries stand for: undefined for the entry that says it has no value. */
  private valuesOf(row: Row): readonly (Buffer | undefined)[] {
    const values = row.values.get(this.index.id) ?? [];
    return values.length === 0 && !this.index.sparse ? [undefined] : values;
  }

  private textOf(value: Buffer | undefined): string {
    return textOfValue(entryPrefix(this.index.id, this.index.keyType, value));
  }

  /** How many objects have a value (or none, when it is undefined), roughly. */
  sizeOf(value: Buffer | undefined): number {
    const text = this.textOf(value);
    return this.ids.of(text).length + (this.changed.get(text)?.size ?? 0);
  }

  /** The objects that have one of the values; undefined stands for having none. A set of its own. */
  setOf(values: readonly (Buffer | undefined)[]): IdSet {
    const sets = values.map((value) => this.setOfOne(this.textOf(value)));
    const [only] = sets;
    return only !== undefined && sets.length === 1 ? only : IdSet.union(sets);
  }

  private setOfOne(text: string): IdSet {
    const set = IdSet.ofAscending(this.ids.of(text));
    for (const [id, isThere] of this.changed.get(text) ?? []) {
      if (isThere) set.add(id);
      else set.delete(id);
    }
    return set;
  }
}
