import { formatAge } from '../../lib/time/age.js';
import { evaluate, parseJsonPath, formatText, valuesAt, type JsonPath } from '../../lib/json/json-path.js';
import { hasUpdatedColumn, ownColumns } from '../../model/declare/columns.js';
import { getUpdateTime, type ExtensionObject } from '../../model/object.js';
import type { Column, Resource } from '../../model/resource.js';

/** A column of a printed table: its title and the function for its cells. */
export interface TableColumn {
  readonly title: string;
  readonly cell: (object: ExtensionObject) => string;
}

export interface ColumnOptions {
  /** True to include columns of every priority, not only the default ones. */
  readonly wide: boolean;
  readonly showLabels: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** True for a first column with the namespaces. */
  readonly namespaces?: boolean;
  /** The resource before each name. Default: the name stands alone. */
  readonly qualifier?: string | undefined;
}

export const NONE = '<none>';

/** NAMESPACE on request, NAME, the columns of the model, AGE, UPDATED in a wide table, and LABELS on request. */
export function tableColumns(
  resource: Pick<Resource, 'columns'>,
  { wide, showLabels, now, namespaces = false, qualifier }: ColumnOptions,
): TableColumn[] {
  const prefix = qualifier === undefined ? '' : `${qualifier}/`;
  const declared = ownColumns(resource).filter(({ priority = 0 }) => wide || priority <= 0);
  return [
    ...(namespaces ? [NAMESPACE_COLUMN] : []),
    { title: 'NAME', cell: ({ metadata }) => `${prefix}${metadata.name}` },
    ...declared.map((column) => ({ title: column.name.toUpperCase(), cell: getCell(column, now) })),
    { title: 'AGE', cell: ({ metadata }) => formatAge(metadata.creationTimestamp, now) },
    ...(wide && hasUpdatedColumn(resource)
      ? [
          {
            title: 'UPDATED',
            cell: ({ metadata }: ExtensionObject) => formatAge(getUpdateTime(metadata), now),
          },
        ]
      : []),
    ...(showLabels ? [LABELS_COLUMN] : []),
  ];
}

/** Functions for the cells of declared columns, for any value in the shape of an object. */
export function columnCells(columns: readonly Column[], now: number): ((value: object) => string)[] {
  return columns.map((column) => getCell(column, now));
}

/** A column of `-o custom-columns`: the unchanged value at a path. */
export function pathColumn(title: string, path: JsonPath): TableColumn {
  return {
    title,
    cell: (object) => {
      const values = evaluate(object, path).map((value) => (value === null ? NONE : formatText(value)));
      return values.length === 0 ? NONE : values.join(',');
    },
  };
}

const NAMESPACE_COLUMN: TableColumn = {
  title: 'NAMESPACE',
  cell: ({ metadata }) => metadata.namespace ?? NONE,
};

export const LABELS_COLUMN: TableColumn = { title: 'LABELS', cell: getLabels };

function getCell({ jsonPath, type }: Column, now: number): (value: object) => string {
  const path = parseJsonPath(jsonPath);
  if (path === undefined) return () => NONE;
  return (object) => {
    const values = valuesAt(object, path);
    if (values.length === 0) return NONE;
    if (type === 'string') return values.map(formatText).join(',');
    return type === 'date' ? formatAge(formatText(values[0]), now) : formatText(values[0]);
  };
}

function getLabels({ metadata: { labels = {} } }: ExtensionObject): string {
  const pairs = Object.keys(labels)
    .sort()
    .map((key) => `${key}=${labels[key] ?? ''}`);
  return pairs.length === 0 ? NONE : pairs.join(',');
}
