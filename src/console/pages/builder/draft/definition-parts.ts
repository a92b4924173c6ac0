import { arrayAt, getMember, isObject, objectAt, textAt, type JsonObject } from '../../../lib/json.js';
import { HINTS } from './field-types.js';

/** The annotations with indexes and with the text index. */
export const INDEXES = 'xsvc.platform.run/indexes';
export const SEARCH = 'xsvc.platform.run/search';

/** The columns that hints name; undefined when they name none. */
export function hintedColumns(definition: JsonObject): readonly string[] | undefined {
  const columns = getMember(objectAt(rootSchema(definition), HINTS), 'columns');
  return Array.isArray(columns) ? columns.map(String) : undefined;
}

/** An index as the annotation declares it. */
type IndexItem = JsonObject & { readonly field: string };

export function indexItems(definition: JsonObject): readonly IndexItem[] {
  const isItem = (value: unknown): value is IndexItem => textAt(value, 'field') !== undefined;
  try {
    const given: unknown = JSON.parse(textAt(annotationsOf(definition), INDEXES) ?? '[]');
    return arrayAt({ given }, 'given').filter(isItem);
  } catch {
    return [];
  }
}

/** The paths of the text index. */
export function searchPaths(definition: JsonObject): readonly string[] {
  const paths = (textAt(annotationsOf(definition), SEARCH) ?? '').split(',').map((path) => path.trim());
  return paths.filter((path) => path !== '');
}

export function annotationsOf(definition: JsonObject): JsonObject {
  return objectAt(objectAt(definition, 'metadata'), 'annotations');
}

export function versionsOf(definition: JsonObject): readonly JsonObject[] {
  return arrayAt(objectAt(definition, 'spec'), 'versions').filter(isObject);
}

/** The position of the storage version. */
export function storageAt(definition: JsonObject): number {
  const at = versionsOf(definition).findIndex(({ storage }) => storage === true);
  return Math.max(0, at);
}

export function storageVersion(definition: JsonObject): JsonObject {
  return versionsOf(definition)[storageAt(definition)] ?? {};
}

/** The schema of whole objects in the storage version. */
export function rootSchema(definition: JsonObject): JsonObject {
  return objectAt(objectAt(storageVersion(definition), 'schema'), 'openAPIV3Schema');
}

export function specSchema(definition: JsonObject): JsonObject {
  return objectAt(objectAt(rootSchema(definition), 'properties'), 'spec');
}

/** The columns of the storage version. */
export function columnsOf(definition: JsonObject): readonly JsonObject[] {
  return arrayAt(storageVersion(definition), 'additionalPrinterColumns').filter(isObject);
}

export function pathIn(column: JsonObject): string {
  return textAt(column, 'jsonPath') ?? '';
}
