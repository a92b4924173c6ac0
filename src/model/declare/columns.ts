import { badRequest, type ServiceError } from '../../errors.js';
import { formatText, parseJsonPath, valuesAt } from '../../lib/json/json-path.js';
import type { Json, JsonObject } from '../object.js';
import type { Column, Resource } from '../resource.js';
import { getEntries, isJsonObject, schemaParts } from '../schema/schema-walk.js';
import type { ModelClass } from './model-class.js';

/** Greatest number of columns of a model that declares none. */
export const DEFAULT_COLUMNS_MAX = 4;

const COLUMN_TYPES = ['string', 'integer', 'number', 'boolean', 'date'] as const;

/**
 * The table columns of a model: its `static columns`, otherwise the first scalar fields of `spec` in the order of the
 * schema.
 * @throws ServiceError `BadRequest` with the class and the column, when a declared column is not valid
 */
export function getColumns(model: ModelClass, schema: JsonObject): readonly Column[] {
  const declared: unknown = 'columns' in model ? model.columns : undefined;
  if (declared === undefined) return defaultColumns(schema);
  if (!Array.isArray(declared)) throw badRequest(`static columns of class ${model.name} must be an array`);
  return declared.map((column: unknown, i) => checkedColumn(column, (text) => badColumn(model, i, text)));
}

export const NAME: Column = {
  name: 'Name',
  jsonPath: '.metadata.name',
  type: 'string',
  description: 'Name of the object, unique within its model.',
};
const AGE: Column = {
  name: 'Age',
  jsonPath: '.metadata.creationTimestamp',
  type: 'date',
  description: 'Time since the object was created.',
};
const UPDATED: Column = {
  name: 'Updated',
  jsonPath: "['metadata.updateTimestamp','metadata.creationTimestamp']",
  type: 'date',
  priority: 1,
  description: 'Time since the last stored change of the object.',
};

/** The columns of a table of models: the name, the declared columns, the age, and the last change in a wide table. */
export function modelColumns({ columns }: Pick<Resource, 'columns'>): readonly Column[] {
  const middle = columns.filter(({ jsonPath }) => jsonPath !== NAME.jsonPath && jsonPath !== AGE.jsonPath);
  const hasUpdated = columns.some(
    ({ name, jsonPath }) => jsonPath === '.metadata.updateTimestamp' || name.toLowerCase() === 'updated',
  );
  return [NAME, ...middle, AGE, ...(hasUpdated ? [] : [UPDATED])];
}

/**
 * The columns of a table: those of {@link modelColumns}, or as a kube-apiserver has them. There a definition with columns
 * has no others beside the name. A kind of Kubernetes has the name first, unless it declares the name itself, and the age
 * before the columns of wide tables, unless it declares the name or the time of creation.
 */
export function tableColumns(resource: Pick<Resource, 'columns' | 'origin'>): readonly Column[] {
  const { origin, columns } = resource;
  if (origin === undefined) return modelColumns(resource);
  if (origin === 'definition') return [NAME, ...(columns.length === 0 ? [AGE] : columns)];
  const has = (path: string): boolean => columns.some(({ jsonPath }) => jsonPath === path);
  const isWide = ({ priority = 0 }: Column): boolean => priority > 0;
  return [
    ...(has(NAME.jsonPath) ? [] : [NAME]),
    ...columns.filter((column) => !isWide(column)),
    ...(has(NAME.jsonPath) || has(AGE.jsonPath) ? [] : [AGE]),
    ...columns.filter(isWide),
  ];
}

const CELL_FORMS = ['count', 'list', 'path', 'lowerPath'] as const;

/** Texts that are not empty as a cell. */
const JOINED: Record<Exclude<NonNullable<Column['cell']>, 'count'>, (texts: readonly string[]) => string> = {
  list: (texts) => [...new Set(texts)].join(', '),
  path: (texts) => texts.join('/'),
  lowerPath: ([firstText = '', ...texts]) => [firstText.toLowerCase(), ...texts].join('/'),
};

/** @param time RFC 3339 */
type TimeFormat = (time: string) => string;

/**
 * Reads the cells of a column. Without a special form: all values in a column of texts; the first one in any other, where a
 * number or a boolean is unchanged in a column of that type. Null without a value.
 */
export function cellReader({
  jsonPath,
  type,
  cell,
}: Column): (object: object, formatTime: TimeFormat) => Json {
  const path = parseJsonPath(jsonPath);
  return (object, formatTime) => {
    const values = path === undefined ? [] : valuesAt(object, path);
    if (cell === 'count') return values.length;
    const [firstValue] = values;
    if (firstValue === undefined) return null;
    if (cell !== undefined) return JOINED[cell](values.map(formatText).filter((text) => text !== ''));
    if (type === 'string') return values.map(formatText).join(',');
    if (type === 'date') return formatTime(formatText(firstValue));
    if (typeof firstValue === 'boolean' && type === 'boolean') return firstValue;
    return typeof firstValue === 'number' && type !== 'boolean' ? firstValue : formatText(firstValue);
  };
}

function defaultColumns(schema: JsonObject): Column[] {
  const spec = isJsonObject(schema.properties) ? schema.properties.spec : undefined;
  const properties = schemaParts(schema, spec).flatMap((part) => getEntries(part.properties));
  return properties
    .flatMap(([name, field]) => {
      const type = columnType(schema, field);
      return type === undefined ? [] : [{ name, jsonPath: `.spec${memberPath(name)}`, type }];
    })
    .slice(0, DEFAULT_COLUMNS_MAX);
}

function memberPath(name: string): string {
  return /^[A-Za-z_$][\w$-]*$/.test(name) ? `.${name}` : `['${name.replace(/['\\]/g, '\\$&')}']`;
}

/** Only scalars that are not secret can be columns. */
function columnType(root: JsonObject, field: Json | undefined): Column['type'] | undefined {
  const parts = schemaParts(root, field);
  const formats = parts.map((part) => part.format);
  if (formats.includes('password')) return undefined;
  const types = parts.flatMap((part) => part.type ?? []).filter((type) => type !== 'null');
  if (types[0] === 'string')
    return formats.includes('date-time') || formats.includes('date') ? 'date' : 'string';
  return COLUMN_TYPES.find((type) => type === types[0]);
}

function checkedColumn(column: unknown, bad: (text: string) => ServiceError): Column {
  if (!isJsonObject(column)) throw bad('must be an object');
  const { name, jsonPath, type, priority, description, cell } = column;
  if (typeof name !== 'string' || name === '') throw bad('name must be text');
  if (typeof jsonPath !== 'string' || !/^(?:\.\s*\S|\[)/.test(jsonPath))
    throw bad('jsonPath must be text that starts with "." and a field');
  const known = COLUMN_TYPES.find((one) => one === type);
  if (known === undefined) throw bad(`type must be one of ${COLUMN_TYPES.join(', ')}`);
  if (priority !== undefined && (typeof priority !== 'number' || !Number.isInteger(priority)))
    throw bad('priority must be an integer');
  const form = CELL_FORMS.find((cellForm) => cellForm === cell);
  if (cell !== undefined && form === undefined) throw bad(`cell must be one of ${CELL_FORMS.join(', ')}`);
  return {
    name,
    jsonPath,
    type: known,
    ...(priority !== undefined && { priority }),
    ...(typeof description === 'string' && { description }),
    ...(form !== undefined && { cell: form }),
  };
}

function badColumn(model: ModelClass, index: number, text: string): ServiceError {
  return badRequest(`static columns of class ${model.name}: column ${index + 1}: ${text}`);
}
