import { createHash } from 'node:crypto';
import { formatExcerpt, invalid, getMessage, type ServiceError } from '../../errors.js';
import { createInstance } from './instance.js';
import { bytesOfValue, inCaseOf } from '../key-type.js';
import type { ExtensionObject } from '../object.js';
import { isMulti, referenceValues, type ModelReference } from '../references/reference.js';
import type { IndexDeclaration } from '../resource.js';
import { formatValue } from '../validate/violation.js';
import { encodeDocument, WORDS_FORMAT } from '../words.js';
import type { ModelClass } from './model-class.js';
import type { Index } from './scheme.js';

/** A declared index that is not bound to a model yet. */
export interface IndexDefinition extends IndexDeclaration {
  /** Receives an instance of the model class. */
  readonly indexFunc: (object: never) => unknown;
}

/**
 * Binds a declared index to its model. The result is the runtime index.
 * @param text changes when the function does; by default that of the function
 */
export function bindIndex(
  definition: IndexDefinition,
  model: ModelClass,
  text: string = Function.prototype.toString.call(definition.indexFunc),
): Index {
  const { indexFunc, ...declaration } = definition;
  const call: (object: object) => unknown = (object) => Reflect.apply(indexFunc, undefined, [object]);
  return {
    ...declaration,
    fingerprint: getFingerprint(declaration, text),
    values: (object) =>
      contributed(declaration, object, () => call(dressed(model, object)), 'the index function must return'),
  };
}

/** An index of the platform. `version` replaces the text of the function, which changes with each build. */
export function builtInIndex(
  declaration: IndexDeclaration,
  version: number,
  read: (object: ExtensionObject) => unknown,
): Index {
  return readerIndex(declaration, `built-in ${version}`, read);
}

/** An index whose function gets plain objects. `text` changes when the function does. */
export function readerIndex(
  declaration: IndexDeclaration,
  text: string,
  read: (object: ExtensionObject) => unknown,
): Index {
  return {
    ...declaration,
    fingerprint: getFingerprint(declaration, text),
    values: (object) => contributed(declaration, object, () => read(object), 'the value must be'),
  };
}

/**
 * The declared indexes of a model, and the indexes of its references.
 * @param conflict the error for a declared index that a reference cannot use
 */
export function withReferenceIndexes(
  declared: readonly Index[],
  references: readonly ModelReference[],
  conflict: (reference: ModelReference) => Error,
): readonly Index[] {
  const indexes = new Map(declared.map((index) => [index.name, index]));
  for (const reference of references) {
    const index = referenceIndex(reference, indexes.get(reference.field));
    if (index === undefined) throw conflict(reference);
    indexes.set(reference.field, index);
  }
  return [...indexes.values()];
}

/**
 * The index of a reference. A declared index with the same name adds the properties that a reference lacks, such as
 * uniqueness.
 * @returns undefined when the declared index has another type or ignores case
 */
export function referenceIndex(reference: ModelReference, declared?: IndexDeclaration): Index | undefined {
  const multi = isMulti(reference);
  const { unique = false, order = 'ASC', keyType = 'string', ignoreCase = false } = declared ?? {};
  if (keyType !== 'string' || ignoreCase || (declared !== undefined && declared.multi !== multi))
    return undefined;
  const declaration: IndexDeclaration = {
    name: reference.field,
    keyType,
    multi,
    unique,
    order,
    sparse: false,
  };
  const read = (object: ExtensionObject): string | string[] | undefined => {
    const names = referenceValues(reference, object).map(({ name }) => name);
    return multi ? names : names[0];
  };
  return readerIndex(declaration, `reference ${JSON.stringify(reference.steps)}`, read);
}

export function declarationOnly({
  name,
  keyType,
  multi,
  unique,
  order,
  sparse,
  ignoreCase,
}: IndexDeclaration): IndexDeclaration {
  return { name, keyType, multi, unique, order, sparse, ...(ignoreCase === true && { ignoreCase }) };
}

function getFingerprint(index: IndexDeclaration, text: string): string {
  const { name, keyType, multi, unique, order, sparse, ignoreCase } = index;
  const parts = [name, keyType, multi, unique, order, sparse, text];
  if (keyType === 'text') parts.push(`words ${WORDS_FORMAT}`);
  const json = JSON.stringify(ignoreCase === true ? [...parts, 'ignoreCase'] : parts);
  return createHash('sha256').update(json).digest('hex');
}

/** @param demand the start of a message about a value of a wrong type */
function contributed(
  index: IndexDeclaration,
  object: ExtensionObject,
  read: () => unknown,
  demand: string,
): readonly Buffer[] {
  let given: unknown;
  try {
    given = read();
  } catch (error) {
    throw bad(index, object, `the index function failed: ${getMessage(error)}`);
  }
  if (given === undefined || given === null) return NO_VALUES;
  if (index.keyType === 'text') return documentOf(index, object, given, demand);
  if (!index.multi) return [checkedValue(index, object, given, demand)];
  if (!Array.isArray(given) && !(given instanceof Set)) {
    swallow(given);
    throw bad(index, object, `${demand} an array or a Set, got ${getName(given)}`);
  }
  const values: Buffer[] = [];
  for (const value of given) values.push(checkedValue(index, object, value, demand));
  if (values.length < 2) return values;
  values.sort((a, b) => a.compare(b));
  return values.filter((value, i) => i === 0 || !value.equals(values[i - 1] ?? value));
}

const NO_VALUES: readonly Buffer[] = [];

/** The document of an object in a text index (`words.ts`), from a text or several; absent ones have no words. */
function documentOf(
  index: IndexDeclaration,
  object: ExtensionObject,
  given: unknown,
  demand: string,
): readonly Buffer[] {
  const isList = Array.isArray(given) || given instanceof Set;
  const texts: string[] = [];
  for (const text of isList ? (given as Iterable<unknown>) : [given]) {
    if (typeof text === 'string') texts.push(text);
    else if (text !== undefined && text !== null) {
      swallow(text);
      throw bad(index, object, `${demand} a text or an array of texts, got ${getName(text)}`);
    }
  }
  const document = encodeDocument(texts);
  return document === undefined ? NO_VALUES : [document];
}

function checkedValue(
  index: IndexDeclaration,
  object: ExtensionObject,
  value: unknown,
  demand: string,
): Buffer {
  const bytes = bytesOfValue(index.keyType, inCaseOf(index, value));
  if (bytes !== undefined) return bytes;
  swallow(value);
  throw bad(index, object, `${demand} ${index.keyType}, got ${getName(value)}`);
}

/** A promise is refused. Its later rejection must not end the process. */
function swallow(value: unknown): void {
  if (value instanceof Promise) value.catch(() => undefined);
}

function getName(value: unknown): string {
  if (value instanceof Promise) return 'a promise';
  if (value instanceof Date) return 'a date out of range';
  return typeof value === 'function' ? 'a function' : formatValue(value);
}

function bad(index: IndexDeclaration, object: ExtensionObject, message: string): ServiceError {
  return invalid(`${object.kind} "${formatExcerpt(object.metadata.name)}"`, [
    { field: index.name, reason: 'FieldValueInvalid', message },
  ]);
}

/** All indexes of a model read the same object in succession; its instance is created once. */
let lastInstance:
  { readonly model: ModelClass; readonly object: object; readonly instance: object } | undefined;

/** The object as an instance of its class, so that getters and methods of the class work in index functions. */
function dressed(model: ModelClass, object: ExtensionObject): object {
  if (lastInstance?.object === object && lastInstance.model === model) return lastInstance.instance;
  const instance = createInstance(model, object);
  lastInstance = { model, object, instance };
  return instance;
}
