import type { Snapshot } from '../store/engine.js';
import { type IndexRecord, keysInValues, type SortField } from '../store/index/index-record.js';
import { nameIn, valuesIn } from '../store/object-record.js';
import { type Direction, visitRecords } from '../store/index/scan.js';
import type { Table } from '../store/table.js';

/** The position of an object in an order. */
export interface SortPosition {
  readonly name: string;
  /**
   * For each field of the order, the encoded value that decides, see {@link keysInValues}; undefined without a value.
   */
  readonly keys: readonly (string | undefined)[];
}

export interface SortEntry extends SortPosition {
  readonly id: number;
}

/** The positions of objects, in the order of their ids; deleted objects are left out. */
export async function readSortEntries(
  snapshot: Snapshot,
  table: Table,
  ids: readonly number[],
  order: readonly SortField[],
): Promise<SortEntry[]> {
  const entries: SortEntry[] = [];
  await visitRecords(snapshot, table, ids, (id, record) => {
    if (record !== undefined) entries.push(sortEntryIn(id, record, order));
  });
  return entries;
}

/** @param record the object's stored record */
export function sortEntryIn(id: number, record: Buffer, order: readonly SortField[]): SortEntry {
  return { id, name: nameIn(record), keys: order.length === 0 ? [] : keysInValues(valuesIn(record), order) };
}

export function positionIn({ name, values }: IndexRecord, order: readonly SortField[]): SortPosition {
  const keys = order.map(({ indexId, direction }) =>
    values
      .get(indexId)
      ?.at(direction === 'asc' ? 0 : -1)
      ?.toString('latin1'),
  );
  return { name, keys };
}

export function idsInOrder(entries: readonly SortEntry[]): number[] {
  return entries.map(({ id }) => id);
}

/** The encoded value of the first field. */
export function getLeadingValue({ keys: [key] }: SortPosition): Buffer | undefined {
  return key === undefined ? undefined : Buffer.from(key, 'latin1');
}

/** The order of {@link walkIndex}, by several indexes; names decide last. */
export function compareSortPositions(
  order: readonly SortField[],
  nameDirection: Direction = 'asc',
): (a: SortPosition, b: SortPosition) => number {
  return (a, b) => {
    for (let i = 0; i < order.length; i++) {
      const byValue = compareKeys(a.keys[i], b.keys[i]);
      if (byValue !== 0) return order[i]?.direction === 'asc' ? byValue : -byValue;
    }
    return nameDirection === 'asc' ? compareNames(a.name, b.name) : compareNames(b.name, a.name);
  };
}

/** An absent value comes first. */
export function compareKeys(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return (a === undefined ? 0 : 1) - (b === undefined ? 0 : 1);
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Names are ASCII, so code units have the order of code points. */
export function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
