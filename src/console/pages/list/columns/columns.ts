import type { Model } from '../../../api/models.js';
import { findLabelKey } from '../../../api/selectors.js';
import type { TableColumn, TableRow } from '../../../api/tables.js';
import { getModelHints } from '../../../lib/hints.js';
import { getMember } from '../../../lib/json.js';
import { t } from '../../../texts.js';
import { getColumnTitle, getFieldTitle, getKind, type FieldKind } from '../fields.js';
import { getFieldPath, sortableFields } from '../parameters.js';

/** The first column, with the names and titles of objects. */
export const NAME = 'metadata.name';

/** A column that a list can display. */
export interface ListColumn {
  /** The dotted path of its field, or `metadata.labels["key"]`. */
  readonly id: string;
  readonly title: string;
  readonly kind: FieldKind;
  /** The position in the service's rows; undefined when the cell is read from the object. */
  readonly at: number | undefined;
  /** The index that sorts by it. */
  readonly sort: string | undefined;
  /** True for a time of which only the age matters. */
  readonly isAge: boolean;
  /** True when it is displayed before the user has chosen columns. */
  readonly isUsual: boolean;
}

/** The times that the service adds to the columns of a model. */
const OF_SERVICE: Readonly<Record<string, string>> = {
  Age: 'metadata.creationTimestamp',
  Updated: 'metadata.updateTimestamp',
};
/** A declared column of one of these fields is not repeated by the service. */
const EVERYWHERE: readonly string[] = ['metadata.name', 'metadata.creationTimestamp'];

/** The columns of the service's answer, and those that the user chose among all fields and labels. */
export function getColumns(
  model: Model | undefined,
  defined: readonly TableColumn[],
  chosen: readonly string[],
): readonly ListColumn[] {
  const columns = getDefinedColumns(model, defined);
  const known = new Set(columns.map(({ id }) => id));
  return [...columns, ...chosen.filter((id) => !known.has(id)).map((id) => getFieldColumn(model, id))];
}

function getDefinedColumns(model: Model | undefined, defined: readonly TableColumn[]): readonly ListColumn[] {
  const { title: titlePath, columns: hinted } = getModelHints(model?.schema ?? {});
  const own = (model?.columns ?? []).filter((column) => !EVERYWHERE.includes(getFieldPath(column)));
  const ids = new Set<string>();
  return defined.map((column, at) => {
    const { name, type, priority } = column;
    const isFirst = at === 0;
    // The first column has the titles, and the name of their column.
    const declared = isFirst ? own.find((one) => getFieldPath(one) === titlePath) : own[at - 1];
    const path = declared === undefined ? OF_SERVICE[name] : getFieldPath(declared);
    const id = withNumber(isFirst ? NAME : (path ?? name), ids);
    const isHinted = hinted.length > 0 ? hinted.includes(id) : priority === 0;
    return {
      id,
      title: declared === undefined ? t(isFirst ? 'Name' : name) : getColumnTitle(declared),
      kind: isFirst ? 'text' : getDefinedKind(model, column, id),
      at,
      sort: findSort(model, id),
      isAge: declared === undefined && !isFirst && type === 'date',
      isUsual: isFirst || (isHinted && id !== titlePath),
    };
  });
}

/** Two columns may be of one field. */
function withNumber(id: string, ids: Set<string>): string {
  let unique = id;
  for (let i = 2; ids.has(unique); i++) unique = `${id}#${i}`;
  ids.add(unique);
  return unique;
}

function getDefinedKind(model: Model | undefined, { type }: TableColumn, id: string): FieldKind {
  if (type === 'date' || type === 'boolean') return type;
  if (type === 'integer' || type === 'number') return 'number';
  return model === undefined ? 'text' : getKind(model.schema, id);
}

/** A column of a field or a label that the service's answer does not have. */
function getFieldColumn(model: Model | undefined, id: string): ListColumn {
  return {
    id,
    title: getFieldTitle(model, id),
    kind: model === undefined ? 'label' : getKind(model.schema, id),
    at: undefined,
    sort: findSort(model, id),
    isAge: false,
    isUsual: false,
  };
}

function findSort(model: Model | undefined, id: string): string | undefined {
  return sortableFields(model).find((name) => name === id);
}

/** The index by which the first column sorts: that of titles, if there is one. */
export function getNameSort(model: Model | undefined): string {
  const { title } = getModelHints(model?.schema ?? {});
  return (title === undefined ? undefined : findSort(model, title)) ?? NAME;
}

/** True when cells, or the titles of objects, need more than the service's rows. */
export function needsObjects(model: Model | undefined, shown: readonly string[]): boolean {
  if (model === undefined) return false;
  const { title } = getModelHints(model.schema);
  const paths = new Set([NAME, ...Object.values(OF_SERVICE), ...model.columns.map(getFieldPath)]);
  const isMissing = (id: string): boolean =>
    !paths.has(id.replace(/#\d+$/, '')) && findLabelKey(id) === undefined;
  return [...shown, ...(title === undefined ? [] : [title])].some(isMissing);
}

/** The value of a column in a row: one, or an array. */
export function getCell({ id, at }: Pick<ListColumn, 'id' | 'at'>, { cells, object }: TableRow): unknown {
  if (at !== undefined) return cells[at];
  const key = findLabelKey(id);
  if (key !== undefined) return getMember(object.metadata.labels, key);
  return valueAt(object, id.split('.'));
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  if (Array.isArray(value)) {
    const found = value.flatMap((item) => valueAt(item, path) ?? []);
    return found.length === 0 ? undefined : found;
  }
  const [name, ...rest] = path;
  return name === undefined ? value : valueAt(getMember(value, name), rest);
}

/** The title of a row's object; undefined without one. */
export function getRowTitle(
  model: Model | undefined,
  columns: readonly ListColumn[],
  row: TableRow,
): string | undefined {
  const { title } = getModelHints(model?.schema ?? {});
  if (title === undefined) return undefined;
  const value = getCell(columns.find(({ id }) => id === title) ?? { id: title, at: undefined }, row);
  return typeof value === 'string' && value.trim() !== '' && value !== row.object.metadata.name
    ? value
    : undefined;
}
