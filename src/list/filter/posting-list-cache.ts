import type { IdSet } from './id-set.js';
import type { BoundCondition } from '../../query/bound.js';
import type { Scope } from './set-cache.js';
import type { ReadView } from '../../store/store.js';
import type { Table, TableIndex } from '../../store/table.js';
import type { ModelCount } from '../../store/transaction.js';
import { ValueColumn } from './posting-lists.js';
import type { ValueColumnLimits } from './posting-list-ids.js';

/** Which value columns a table keeps. */
export interface ValueColumnsOptions extends ValueColumnLimits {
  /** Entries that misses on one index have read before its column is read; 0 for at once. */
  readonly worth: number;
}

/**
 * Reads something of a table in the background, unless that is under way or was done a moment ago.
 * @param key names what is read
 */
export type ReadLater = (
  table: Table,
  key: string,
  read: (view: ReadView, count: ModelCount, isClosed: () => boolean) => Promise<void>,
) => void;

/** A miss that reads fewer entries is cheap. */
const MISS_MIN = 64;
/** One miss, however dear, is not enough: so many are needed at least. */
const MISSES_MIN = 4;
/** An index for which a column did not pay is looked at again when half as many objects or commits came or went. */
const CHANGED_MUCH = 0.5;

/** The value columns of one table. The least recently used ones go first; all together stay within their bytes. */
export class ValueColumns {
  /** By the id of the index, as the other maps. */
  private readonly columns = new Map<number, ValueColumn>();
  /** Entries that misses have read. */
  private readonly missed = new Map<number, number>();
  /** What the table was like when a column did not pay. */
  private readonly refused = new Map<number, ModelCount>();

  constructor(
    private readonly options: ValueColumnsOptions,
    private readonly readLater: ReadLater,
  ) {}

  /** Ids of all matches in the scope's snapshot, a set of its own; undefined when no column has them. */
  find(scope: Scope, condition: BoundCondition): IdSet | undefined {
    const asked = askedOf(scope.table, condition);
    return asked && this.current(scope, asked.index)?.setOf(asked.values);
  }

  /** How many matches there are, roughly; undefined when no column has them. */
  sizeOf(scope: Scope, condition: BoundCondition): number | undefined {
    const asked = askedOf(scope.table, condition);
    const column = asked && this.current(scope, asked.index);
    if (asked === undefined || column === undefined) return undefined;
    return asked.values.reduce((sum, value) => sum + column.sizeOf(value), 0);
  }

  /** Notes that the matches of a condition had to be read from the index. */
  noteMiss({ table }: Scope, condition: BoundCondition, entries: number): void {
    const index = askedOf(table, condition)?.index;
    const { worth } = this.options;
    if (index === undefined || this.columns.has(index.id) || (worth > 0 && entries < MISS_MIN)) return;
    const missed = (this.missed.get(index.id) ?? 0) + Math.min(entries, worth / MISSES_MIN);
    this.missed.set(index.id, missed);
    if (missed >= worth) this.want(table, index);
  }

  /** The column of an index, brought to the scope's snapshot. */
  private current({ table, feed, revision }: Scope, index: TableIndex): ValueColumn | undefined {
    const column = this.columns.get(index.id);
    if (column === undefined || column.revision > revision) return undefined;
    const changes = feed.between(column.revision, revision);
    if (changes === undefined && feed.reaches(column.revision)) return undefined;
    if (changes !== undefined) column.follow(changes, revision);
    if (changes === undefined || column.isWornOut) {
      this.columns.delete(index.id);
      // It was of use: the next miss has it read again.
      this.missed.set(index.id, this.options.worth);
      return undefined;
    }
    if (column.isStale) this.want(table, index);
    this.keep(index, column);
    return column;
  }

  /** As the one used last. */
  private keep(index: TableIndex, column: ValueColumn): void {
    this.columns.delete(index.id);
    this.columns.set(index.id, column);
    let bytes = 0;
    for (const kept of this.columns.values()) bytes += kept.bytes;
    for (const [oldest, kept] of this.columns) {
      if (bytes <= this.options.bytesMax) return;
      this.columns.delete(oldest);
      bytes -= kept.bytes;
    }
  }

  /** Begins to read the column of an index, for later lists. */
  private want(table: Table, index: TableIndex): void {
    this.readLater(table, `values ${index.id}`, async (view, count, isClosed) => {
      this.missed.delete(index.id);
      const refused = this.refused.get(index.id);
      if (refused !== undefined && !hasChangedMuch(refused, count)) return;
      const source = { snapshot: view.snapshot, index, ...count };
      const column = await ValueColumn.read(source, this.options, isClosed);
      if (column === undefined) this.refused.set(index.id, count);
      else {
        this.refused.delete(index.id);
        this.keep(index, column);
      }
    });
  }
}

function hasChangedMuch(before: ModelCount, now: ModelCount): boolean {
  const changed = Math.max(Math.abs(now.objects - before.objects), now.revision - before.revision);
  return changed >= before.objects * CHANGED_MUCH;
}

interface Asked {
  readonly index: TableIndex;
  /** Undefined stands for having no value. */
  readonly values: readonly (Buffer | undefined)[];
}

/** The values whose entries are those of exactly the matches; undefined when the condition is of another kind. */
function askedOf(table: Table, condition: BoundCondition): Asked | undefined {
  if (condition.op !== 'in' && condition.op !== 'isNull') return undefined;
  const index = table.indexes[condition.index];
  if (index === undefined) return undefined;
  if (condition.op === 'in') return { index, values: condition.values };
  // A sparse index has no entries of objects without a value.
  return index.sparse ? undefined : { index, values: [undefined] };
}
