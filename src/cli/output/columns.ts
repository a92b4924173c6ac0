import type { ExtensionObject } from '../../model/object.js';
import type { Column, Resource } from '../../model/resource.js';
import { formatAge } from './age.js';
import { parseJsonPath, textOf, valuesAt } from './json-path.js';

/** A column of a printed table: its title and how a cell comes out of an object. */
export interface TableColumn {
  readonly title: string;
  readonly cell: (object: ExtensionObject) => string;
}

export interface ColumnOptions {
  /** Columns of any priority, not only those that are always shown. */
  readonly wide: boolean;
  readonly showLabels: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export const NONE = '<none>';

/** What every table has at its ends; a model that declares one of them does not get it twice. */
const NAME_PATH = '.metadata.name';
const AGE_PATH = '.metadata.creationTimestamp';

/** NAME, the columns of the model, AGE, and LABELS when asked for. */
export function tableColumns(
  resource: Pick<Resource, 'columns'>,
  { wide, showLabels, now }: ColumnOptions,
): TableColumn[] {
  const declared = resource.columns.filter(
    ({ priority = 0, jsonPath }) =>
      (wide || priority <= 0) && jsonPath !== NAME_PATH && jsonPath !== AGE_PATH,
  );
  return [
    { title: 'NAME', cell: ({ metadata }) => metadata.name },
    ...declared.map((column) => ({ title: column.name.toUpperCase(), cell: cellOf(column, now) })),
    { title: 'AGE', cell: ({ metadata }) => formatAge(metadata.creationTimestamp, now) },
    ...(showLabels ? [{ title: 'LABELS', cell: labelsOf }] : []),
  ];
}

function cellOf({ jsonPath, type }: Column, now: number): TableColumn['cell'] {
  const path = parseJsonPath(jsonPath);
  if (path === undefined) return () => NONE;
  return (object) => {
    const values = valuesAt(object, path);
    if (values.length === 0) return NONE;
    return values.map((value) => (type === 'date' ? formatAge(textOf(value), now) : textOf(value))).join(',');
  };
}

function labelsOf({ metadata: { labels = {} } }: ExtensionObject): string {
  const pairs = Object.keys(labels)
    .sort()
    .map((key) => `${key}=${labels[key] ?? ''}`);
  return pairs.length === 0 ? NONE : pairs.join(',');
}
