import type { Model } from '../../../api/models.js';
import { withMember, type JsonObject } from '../../../lib/json.js';
import { schemaAt } from '../../../lib/schema.js';
import { getFieldTitle, getKindOfSchema, getScalarPaths, getValueSchema } from '../fields.js';

const NAME_PATH = 'metadata.name';

/** A field that a column of a file can fill. */
interface ImportField {
  readonly path: string;
  readonly title: string;
}

export function getImportFields(model: Model): readonly ImportField[] {
  const paths = getScalarPaths(model.schema).filter((path) => !path.startsWith('status.'));
  return [NAME_PATH, ...paths].map((path) => ({ path, title: getFieldTitle(model, path) }));
}

/** The path of the field for each column of a file, by the column's name; undefined for a column that is left out. */
export function guessMapping(
  head: readonly string[],
  fields: readonly ImportField[],
): readonly (string | undefined)[] {
  const used = new Set<string>();
  return head.map((name) => {
    const wanted = plain(name);
    const isFree = ({ path }: ImportField): boolean => !used.has(path);
    const tests: readonly ((field: ImportField) => boolean)[] = [
      ({ path }) => path === name,
      ({ title }) => plain(title) === wanted,
      ({ path }) => plain(path.split('.').at(-1) ?? '') === wanted,
    ];
    const found = tests.map((test) => fields.find((field) => isFree(field) && test(field)));
    const path = wanted === '' ? undefined : found.find((one) => one !== undefined)?.path;
    if (path !== undefined) used.add(path);
    return path;
  });
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_.-]+/g, '');
}

/** The object of a record. Empty cells leave their fields out. */
export function getObject(
  model: Model,
  paths: readonly (string | undefined)[],
  cells: readonly string[],
): JsonObject {
  return paths.reduce<JsonObject>((object, path, i) => {
    const cell = cells[i] ?? '';
    if (path === undefined || cell === '') return object;
    return withMember(object, path.split('.'), readCell(model.schema, path, cell));
  }, {});
}

const TRUE = /^(true|yes|1|x|✓)$/i;
const FALSE = /^(false|no|0|–|-)$/i;

/** A value that does not match its type stays text: the service says what is wrong. */
function readCell(root: JsonObject, path: string, cell: string): unknown {
  // Exports mark texts that a spreadsheet would run.
  const text = /^'[=@+\-\t\r]/.test(cell) ? cell.slice(1) : cell;
  if (schemaAt(root, path).type === 'array') {
    const items = text.startsWith('[') ? readJson(text) : text.split(',').map((item) => item.trim());
    return Array.isArray(items) ? items.map((item) => readScalar(root, path, item)) : text;
  }
  return readScalar(root, path, text);
}

function readScalar(root: JsonObject, path: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const kind = getKindOfSchema(getValueSchema(root, path));
  if (kind === 'boolean') return TRUE.test(value) ? true : FALSE.test(value) ? false : value;
  if (kind === 'number') return value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
  return value;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
