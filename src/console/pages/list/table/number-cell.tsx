import { createContext, use, type ReactNode } from 'react';
import type { TableRow } from '../../../api/tables.js';
import { getCell, type ListColumn } from '../columns/columns.js';

/** The number of decimals of each column of numbers, by the id of the column. */
export const Decimals = createContext<ReadonlyMap<string, number>>(new Map());

/** More decimals come from the arithmetic of computers; such numbers stay as they are. */
const DECIMALS_MAX = 6;

/** The most decimals of any number in a column, so that all have equally many. */
export function getDecimals(
  columns: readonly ListColumn[],
  rows: readonly TableRow[],
): ReadonlyMap<string, number> {
  const numbers = columns.filter(({ kind }) => kind === 'number');
  return new Map(
    numbers.map((column) => [
      column.id,
      Math.max(0, ...rows.map((row) => countDecimals(getCell(column, row)) ?? 0)),
    ]),
  );
}

/** Undefined for a value that is not written with few decimals. */
function countDecimals(value: unknown): number | undefined {
  const [, decimals] = /^-?\d+(?:\.(\d+))?$/.exec(String(value)) ?? [undefined, undefined];
  if (typeof value !== 'number' || (decimals?.length ?? 0) > DECIMALS_MAX) return undefined;
  return decimals?.length ?? 0;
}

/** A number with the decimals of its column. */
export function NumberCell({
  column,
  value,
}: {
  readonly column: string;
  readonly value: number;
}): ReactNode {
  const decimals = use(Decimals).get(column);
  const isPlain = decimals === undefined || countDecimals(value) === undefined;
  return isPlain ? String(value) : value.toFixed(decimals);
}
