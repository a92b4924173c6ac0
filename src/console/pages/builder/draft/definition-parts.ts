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
export type IndexItem = JsonObject & { readonly field: string };

/** The indexes in the annotation of a definition. */
export function indexItems(definition: JsonObject): readonly IndexItem[] {
  const text = textAt(annotationsOf(definition), INDEXES);
  try {
    const given: unknown = JSON.parse(text ?? '[]');
    return (Array.isArray(given) ? given : []).filter(isIndexItem);
  } catch {
    return [];
  }
}

function isIndexItem(value: unknown): value is IndexItem {
  return isObject(value) && typeof value.field === 'string';
}

/** The paths of the text index. */
export function searchPaths(definition: JsonObject): readonly string[] {
  const text = textAt(annotationsOf(definition), SEARCH) ?? '';
  return text
    .split(',')
    .map((path) => path.trim())
    .filter((path) => path !== '');
}

export function annotationsOf(definition: JsonObject): JsonObject {
  return objectAt(objectAt(definition, 'metadata'), 'annotations');
}

export function versionsOf(definition: JsonObject): readonly JsonObject[] {
  return arrayAt(objectAt(definition, 'spec'), 'versions').filter(isObject);
}

/** The position of the storage version. */
export function storageAt(definition: JsonObject): number {
  return Math.max(
    0,
    versionsOf(definition).findIndex(({ storage }) => storage === true),
  );
}

/** The schema of whole objects in the storage version. */
export function rootSchema(definition: JsonObject): JsonObject {
  const version = versionsOf(definition)[storageAt(definition)];
  return objectAt(objectAt(version, 'schema'), 'openAPIV3Schema');
}

export function specSchema(definition: JsonObject): JsonObject {
  return objectAt(objectAt(rootSchema(definition), 'properties'), 'spec');
}

/** The columns of the storage version, and the fields that selectors of Kubernetes may name. */
export function columnsOf(definition: JsonObject, member: ColumnMember): readonly JsonObject[] {
  return arrayAt(versionsOf(definition)[storageAt(definition)], member).filter(isObject);
}

type ColumnMember = 'additionalPrinterColumns' | 'selectableFields';

export function pathIn(column: JsonObject): string {
  return textAt(column, 'jsonPath') ?? '';
}
