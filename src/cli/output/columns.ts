import { formatAge } from '../../lib/time/age.js';
import { evaluate, formatText, type JsonPath } from '../../lib/json/json-path.js';
import { cellReader, NAME, tableColumns as columnsOf } from '../../model/declare/columns.js';
import type { ExtensionObject } from '../../model/object.js';
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

/** NAMESPACE on request, the columns of the model, and LABELS on request. */
export function tableColumns(
  resource: Pick<Resource, 'columns' | 'origin'>,
  { wide, showLabels, now, namespaces = false, qualifier }: ColumnOptions,
): TableColumn[] {
  const prefix = qualifier === undefined ? '' : `${qualifier}/`;
  return [
    ...(namespaces ? [NAMESPACE_COLUMN] : []),
    ...columnsOf(resource)
      .filter(({ priority = 0 }) => wide || priority <= 0)
      .map((column) => {
        const cell = getCell(column, now);
        const isName = column.jsonPath === NAME.jsonPath;
        return {
          title: column.name.toUpperCase(),
          cell: isName ? (object: ExtensionObject) => prefix + cell(object) : cell,
        };
      }),
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

function getCell(column: Column, nowMs: number): (value: object) => string {
  const read = cellReader(column);
  return (object) => {
    const value = read(object, (time) => formatAge(time, nowMs));
    return value === null ? NONE : formatText(value);
  };
}

function getLabels({ metadata: { labels = {} } }: ExtensionObject): string {
  const pairs = Object.keys(labels)
    .sort()
    .map((key) => `${key}=${labels[key] ?? ''}`);
  return pairs.length === 0 ? NONE : pairs.join(',');
}
