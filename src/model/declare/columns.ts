import { badRequest, type ServiceError } from '../../errors.js';
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

/** The first and the last column of every table. */
const EVERYWHERE: readonly string[] = ['.metadata.name', '.metadata.creationTimestamp'];

/** The columns between name and age. Omits those two when the model declares them. */
export function ownColumns({ columns }: Pick<Resource, 'columns'>): readonly Column[] {
  return columns.filter(({ jsonPath }) => !EVERYWHERE.includes(jsonPath));
}

const UPDATED = { name: 'updated', jsonPath: '.metadata.updateTimestamp' };

/** True when wide tables of a model get the column `Updated` after the age, because it declares no such column. */
export function hasUpdatedColumn({ columns }: Pick<Resource, 'columns'>): boolean {
  return !columns.some(
    ({ name, jsonPath }) => jsonPath === UPDATED.jsonPath || name.toLowerCase() === UPDATED.name,
  );
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
  const { name, jsonPath, type, priority, description } = column;
  if (typeof name !== 'string' || name === '') throw bad('name must be text');
  if (typeof jsonPath !== 'string' || !/^[.[]/.test(jsonPath))
    throw bad('jsonPath must be text that starts with "."');
  const known = COLUMN_TYPES.find((one) => one === type);
  if (known === undefined) throw bad(`type must be one of ${COLUMN_TYPES.join(', ')}`);
  if (priority !== undefined && (typeof priority !== 'number' || !Number.isInteger(priority)))
    throw bad('priority must be an integer');
  return {
    name,
    jsonPath,
    type: known,
    ...(priority !== undefined && { priority }),
    ...(typeof description === 'string' && { description }),
  };
}

function badColumn(model: ModelClass, index: number, text: string): ServiceError {
  return badRequest(`static columns of class ${model.name}: column ${index + 1}: ${text}`);
}
