import { formatExcerpt, getMessage, type Cause } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import { readJsonPath, valuesAt } from '../../lib/json/json-path.js';
import type { DataIndex } from '../../model/declare/data-model.js';
import { BUILT_IN_INDEX_NAMES, TEXT_INDEX } from '../../model/declare/index-spec.js';
import type { ExtensionObject } from '../../model/object.js';
import { KEY_TYPES, type KeyType } from '../../model/resource.js';
import { formatValue } from '../../model/validate/violation.js';
import type { Definition, DefinitionVersion } from './definition.js';
import { findField, parseNames } from './rules/schema-path.js';

/** The annotation of a definition with further indexes: a JSON array of `{field, type, multi, unique}`. */
export const INDEXES = 'xsvc.platform.run/indexes';

/** The annotation of a definition with the fields of its text index: paths, separated by commas. */
export const SEARCH = 'xsvc.platform.run/search';

const TEXT_INDEX_NAME = 'search';
const FIELD = `metadata.annotations[${INDEXES}]`;
const SEARCH_FIELD = `metadata.annotations[${SEARCH}]`;

/** Indexes of the fields that selectors of Kubernetes may name. */
export function selectableIndexes({ selectableFields = [] }: DefinitionVersion): DataIndex[] {
  return selectableFields.map(({ jsonPath = '' }) =>
    indexOf({ path: jsonPath, keyType: 'string', multi: false, unique: false }, asText),
  );
}

/** Indexes that annotations declare, and the faults of these. */
interface Declared {
  readonly indexes: readonly DataIndex[];
  readonly causes: readonly Cause[];
}

const NONE: Declared = { indexes: [], causes: [] };

/** The indexes that the annotations of a definition declare, or their faults. */
export function declaredIndexes(annotations: Readonly<Record<string, string>> = {}): Declared {
  const fields = fieldIndexes(annotations[INDEXES]);
  const text = textIndex(annotations[SEARCH], fields.indexes);
  return { indexes: [...fields.indexes, ...text.indexes], causes: [...fields.causes, ...text.causes] };
}

function fieldIndexes(text: string | undefined): Declared {
  if (text === undefined) return NONE;
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

function textIndex(text: string | undefined, others: readonly DataIndex[]): Declared {
  if (text === undefined) return NONE;
  const bad = (message: string): Declared => ({
    indexes: [],
    causes: [{ field: SEARCH_FIELD, reason: 'FieldValueInvalid', message }],
  });
  const paths = text.split(',').map((path) => path.trim());
  const badPath = paths.find((path) => !/^\../.test(path));
  if (badPath !== undefined)
    return bad(`"${formatExcerpt(badPath)}" is not a path; expected paths such as ".spec.title,.spec.body"`);
  if (others.some(({ name }) => name === TEXT_INDEX_NAME))
    return bad(`the field ${TEXT_INDEX_NAME} has an index already, which has the name of the text index`);
  try {
    const ways = paths.map((path) => readJsonPath(path));
    const read = (object: ExtensionObject): unknown[] =>
      ways.flatMap((way) => valuesAt(object, way).flat().map(asText).filter(isText));
    const index = { name: TEXT_INDEX_NAME, ...TEXT_INDEX, source: `paths ${paths.join(',')}`, read };
    return { indexes: [index], causes: [] };
  } catch (error) {
    return bad(getMessage(error));
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** The place in a definition that declares an index. */
export function findIndexField({ metadata = {}, spec = {} }: Definition, name: string): string {
  const declared = declaredIndexes(metadata.annotations).indexes.find((index) => index.name === name);
  if (declared !== undefined) return declared.keyType === 'text' ? SEARCH_FIELD : FIELD;
  const { versions = [] } = spec;
  const at = versions.findIndex(({ storage }) => storage === true);
  const position = versions[at]?.selectableFields?.findIndex(({ jsonPath }) => jsonPath === `.${name}`);
  return `spec.versions[${at}].selectableFields[${position ?? 0}].jsonPath`;
}

/** Faults of indexes of fields that are objects by the schema. */
export function objectIndexFaults({ metadata = {}, spec = {} }: Definition): readonly Cause[] {
  const schema = spec.versions?.find(({ storage }) => storage === true)?.schema?.openAPIV3Schema ?? {};
  return declaredIndexes(metadata.annotations).indexes.flatMap(({ name, keyType }) => {
    const names = keyType === 'text' ? undefined : parseNames(`.${name}`);
    const isObject = names !== undefined && findField(schema, names)?.type === 'object';
    return isObject ? [fault(`field: ".${name}" is an object, which has no index`)] : [];
  });
}

/** Paths of whole objects, of nested fields at any depth (two dots), and with a blank, which would belong to the name. */
const NO_FIELD = /^\.(?:metadata|spec|status)?\s*$|\.\.|\s$/;

type Found = { readonly index: DataIndex } | { readonly cause: Cause };

function readIndex(given: unknown, position: number, known: Set<string>): Found {
  const bad = (message: string): Found => ({ cause: fault(`item ${position}: ${message}`) });
  if (!isRecord(given)) return bad('must be an object');
  const { field, type, multi = false, unique = false, ...rest } = given;
  const [other] = Object.keys(rest);
  if (other !== undefined) return bad(`unknown member ${JSON.stringify(other)}`);
  if (typeof field !== 'string' || !field.startsWith('.') || NO_FIELD.test(field))
    return bad(`field must be the path of one field, such as ".spec.size", got ${formatValue(field)}`);
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
