import { isRecord } from '../lib/json.js';
import type { ExtensionObject } from '../model/object.js';
import type { Resource } from '../model/resource.js';
import type { Page } from '../query/list-options.js';
import type { ListPage } from '../service/verbs.js';

/** Whether an answer is an object of some model. */
export function isExtensionObject(value: unknown): value is ExtensionObject {
  return (
    isRecord(value) &&
    typeof value.apiVersion === 'string' &&
    typeof value.kind === 'string' &&
    isRecord(value.metadata) &&
    typeof value.metadata.name === 'string'
  );
}

/** Whether an answer describes a model. */
export function isResource(value: unknown): value is Resource {
  return (
    isRecord(value) &&
    ['group', 'version', 'kind', 'plural', 'singular'].every((member) => typeof value[member] === 'string') &&
    ['shortNames', 'categories', 'columns', 'indexes'].every((member) => Array.isArray(value[member])) &&
    isRecord(value.schema)
  );
}

const PAGE_NUMBERS = ['page', 'size', 'total', 'totalPages'] as const satisfies readonly (keyof Page)[];
const PAGE_FLAGS = ['first', 'last', 'hasNext', 'hasPrevious'] as const satisfies readonly (keyof Page)[];

/** Whether an answer is a page of a list. */
export function isListPage(value: unknown): value is ListPage {
  return (
    isRecord(value) &&
    typeof value.apiVersion === 'string' &&
    typeof value.kind === 'string' &&
    isRecord(value.metadata) &&
    typeof value.metadata.resourceVersion === 'string' &&
    ['string', 'undefined'].includes(typeof value.metadata.continue) &&
    PAGE_NUMBERS.every((member) => typeof value[member] === 'number') &&
    PAGE_FLAGS.every((member) => typeof value[member] === 'boolean') &&
    Array.isArray(value.items) &&
    value.items.every(isExtensionObject)
  );
}
