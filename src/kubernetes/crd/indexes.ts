import { getMessage, type Cause } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import { readJsonPath, valuesAt } from '../../lib/json/json-path.js';
import type { DataIndex } from '../../model/declare/data-model.js';
import { BUILT_IN_INDEX_NAMES } from '../../model/declare/index-spec.js';
import type { ExtensionObject } from '../../model/object.js';
import { KEY_TYPES, type KeyType } from '../../model/resource.js';
import type { Definition, DefinitionVersion } from './definition.js';

/** The annotation of a definition with further indexes: a JSON array of `{field, type, multi, unique}`. */
export const INDEXES = 'xsvc.platform.run/indexes';

const FIELD = `metadata.annotations[${INDEXES}]`;

/** Indexes of the fields that selectors of Kubernetes may name. */
export function selectableIndexes({ selectableFields = [] }: DefinitionVersion): DataIndex[] {
  return selectableFields.map(({ jsonPath = '' }) =>
    indexOf({ path: jsonPath, keyType: 'string', multi: false, unique: false }, asText),
  );
}

/** The indexes that an annotation of a definition declares, or its faults. */
export function declaredIndexes(annotations: Readonly<Record<string, string>> = {}): {
  readonly indexes: readonly DataIndex[];
  readonly causes: readonly Cause[];
} {
  const { [INDEXES]: text } = annotations;
  if (text === undefined) return { indexes: [], causes: [] };
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    return { indexes: [], causes: [fault(`must be JSON: ${getMessage(error)}`)] };
  }
  if (!Array.isArray(given)) return { indexes: [], causes: [fault('must be an array of {"field", "type"}')] };
  const known = new Set<string>(BUILT_IN_INDEX_NAMES);
  const found = given.map((one: unknown, i) => readIndex(one, i, known));
  return {
    indexes: found.flatMap((one) => ('index' in one ? [one.index] : [])),
    causes: found.flatMap((one) => ('cause' in one ? [one.cause] : [])),
  };
}

/** The place in a definition that declares an index. */
export function findIndexField({ metadata = {}, spec = {} }: Definition, name: string): string {
  if (declaredIndexes(metadata.annotations).indexes.some((index) => index.name === name)) return FIELD;
  const { versions = [] } = spec;
  const at = versions.findIndex(({ storage }) => storage === true);
  const position = versions[at]?.selectableFields?.findIndex(({ jsonPath }) => jsonPath === `.${name}`);
  return `spec.versions[${at}].selectableFields[${position ?? 0}].jsonPath`;
}

type Found = { readonly index: DataIndex } | { readonly cause: Cause };

function readIndex(given: unknown, position: number, known: Set<string>): Found {
  const bad = (message: string): Found => ({ cause: fault(`item ${position}: ${message}`) });
  if (!isRecord(given)) return bad('must be an object');
  const { field, type, multi = false, unique = false, ...rest } = given;
  const [other] = Object.keys(rest);
  if (other !== undefined) return bad(`unknown member ${JSON.stringify(other)}`);
  if (typeof field !== 'string' || !field.startsWith('.'))
    return bad('field must be a path, such as ".spec.size"');
  const keyType = KEY_TYPES.find((one) => one === type);
  if (keyType === undefined) return bad(`type must be one of ${KEY_TYPES.join(', ')}`);
  if (typeof multi !== 'boolean' || typeof unique !== 'boolean')
    return bad('multi and unique must be booleans');
  try {
    readJsonPath(field);
  } catch (error) {
    return bad(`field: ${getMessage(error)}`);
  }
  const index = indexOf({ path: field, keyType, multi, unique });
  if (known.has(index.name)) return bad(`the field ${index.name} has an index already`);
  known.add(index.name);
  return { index };
}

interface FieldIndex {
  readonly path: string;
  readonly keyType: KeyType;
  readonly multi: boolean;
  readonly unique: boolean;
}

/** An index is named by its field, without the dot. */
function indexOf(
  { path, ...declared }: FieldIndex,
  convert: (value: unknown) => unknown = (value) => value,
): DataIndex {
  const way = readJsonPath(path);
  const read = (object: ExtensionObject): unknown[] =>
    valuesAt(object, way)
      .flat()
      .filter((value) => value !== null)
      .map(convert);
  return {
    name: path.slice(1),
    ...declared,
    order: 'ASC',
    sparse: false,
    source: `path ${path}`,
    read: declared.multi ? read : (object) => read(object)[0],
  };
}

/** Selectors compare texts. */
function asText(value: unknown): unknown {
  return typeof value === 'boolean' || typeof value === 'number' ? String(value) : value;
}

function fault(message: string): Cause {
  return { field: FIELD, reason: 'FieldValueInvalid', message };
}
