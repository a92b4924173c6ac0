import { useQueries } from '@tanstack/react-query';
import { createContext, useMemo } from 'react';
import type { Model } from '../../../api/models.js';
import { useReferenceTargets } from '../../../api/reference-targets.js';
import type { TableRow } from '../../../api/tables.js';
import { NAMES_MAX, titlesQuery } from '../../../api/titles.js';
import { getCell, type ListColumn } from '../columns/columns.js';
import { getDecimals } from './decimals.js';
import { getTexts } from './values.js';

/** Facts about all values of a column. */
interface ColumnValues {
  /** The model whose objects they name; undefined when it is not served. */
  readonly target?: Model | undefined;
  /** The known titles of these objects, by name. */
  readonly titles?: ReadonlyMap<string, string>;
  readonly decimals?: number;
}

type ValuesById = ReadonlyMap<string, ColumnValues>;

/** By the id of the column. */
export const ColumnValuesContext = createContext<ValuesById>(new Map());

/** The facts about the columns of a page: the titles of all objects that its rows name, and the decimals of numbers. */
export function useColumnValues(
  model: Model | undefined,
  columns: readonly ListColumn[],
  rows: readonly TableRow[],
): ValuesById {
  const targets = useReferenceTargets(model);
  const parts = useMemo(
    () =>
      columns
        .filter(({ kind }) => kind === 'reference')
        .flatMap((column) => {
          const names = [...new Set(rows.flatMap((row) => getTexts(getCell(column, row))))].sort();
          const starts = Array.from({ length: Math.ceil(names.length / NAMES_MAX) }, (_, i) => i * NAMES_MAX);
          return starts.map((at) => ({
            id: column.id,
            target: targets.get(column.id),
            names: names.slice(at, at + NAMES_MAX),
          }));
        }),
    [columns, rows, targets],
  );
  const found = useQueries({
    queries: parts.map(({ target, names }) => titlesQuery(target, names)),
    combine: getData,
  });
  return useMemo(() => {
    const byColumn = new Map<string, ColumnValues>();
    for (const column of columns.filter(({ kind }) => kind === 'number'))
      byColumn.set(column.id, { decimals: getDecimals(rows.map((row) => getCell(column, row))) });
    for (const [i, { id, target }] of parts.entries()) {
      const before = byColumn.get(id)?.titles ?? [];
      byColumn.set(id, { target, titles: new Map([...before, ...(found[i] ?? [])]) });
    }
    return byColumn;
  }, [columns, rows, parts, found]);
}

function getData<T>(results: readonly { readonly data: T }[]): readonly T[] {
  return results.map(({ data }) => data);
}
