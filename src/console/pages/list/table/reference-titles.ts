import { useQueries } from '@tanstack/react-query';
import { createContext, useMemo } from 'react';
import type { Model } from '../../../api/models.js';
import { useReferenceTargets } from '../../../api/reference-targets.js';
import type { TableRow } from '../../../api/tables.js';
import { NAMES_MAX, titlesQuery } from '../../../api/titles.js';
import { getCell, type ListColumn } from '../columns/columns.js';
import { getTexts } from './values.js';

/** The known titles of the objects that a column names. */
interface ReferenceColumn {
  /** Undefined when their model is not served. */
  readonly target: Model | undefined;
  /** Their titles, by name. */
  readonly titles: ReadonlyMap<string, string>;
}

const NO_COLUMNS: ReadonlyMap<string, ReferenceColumn> = new Map();

/** By the id of the column. */
export const ReferenceTitles = createContext(NO_COLUMNS);

/** The titles of all objects that the rows of a page name. */
export function useReferenceColumns(
  model: Model | undefined,
  columns: readonly ListColumn[],
  rows: readonly TableRow[],
): ReadonlyMap<string, ReferenceColumn> {
  const targets = useReferenceTargets(model);
  const parts = useMemo(
    () =>
      columns
        .filter(({ kind }) => kind === 'reference')
        .flatMap((column) => {
          const names = new Set(rows.flatMap((row) => getTexts(getCell(column, row))));
          const target = targets.get(column.id);
          return inParts([...names].sort(), NAMES_MAX).map((part) => ({ id: column.id, target, part }));
        }),
    [columns, rows, targets],
  );
  const found = useQueries({
    queries: parts.map(({ target, part }) => titlesQuery(target, part)),
    combine: getData,
  });
  return useMemo(() => {
    const byColumn = new Map<string, ReferenceColumn>();
    for (const [i, { id, target }] of parts.entries()) {
      const before = byColumn.get(id)?.titles ?? [];
      byColumn.set(id, { target, titles: new Map([...before, ...(found[i] ?? [])]) });
    }
    return byColumn;
  }, [parts, found]);
}

function getData<T>(results: readonly { readonly data: T }[]): readonly T[] {
  return results.map(({ data }) => data);
}

function inParts<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}
