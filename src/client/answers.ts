import { isRecord } from '../lib/json/json.js';
import type { ExtensionObject } from '../model/object.js';
import type { Resource } from '../model/resource.js';
import type { Page } from '../query/list-options.js';
import type {
  DependentList,
  HistoryPage,
  ListExplanation,
  ListPage,
  ModelHistoryPage,
  ReferrerList,
} from '../service/verbs.js';

/** True when an answer is an object of a model. */
export function isExtensionObject(value: unknown): value is ExtensionObject {
  return (
    isRecord(value) &&
    typeof value.apiVersion === 'string' &&
    typeof value.kind === 'string' &&
    isRecord(value.metadata) &&
    typeof value.metadata.name === 'string'
  );
}

/** True when an answer describes a model. */
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

/** True when an answer is a page of a list. */
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
    value.items.every(isExtensionObject) &&
    (value.facets === undefined || areFacets(value.facets)) &&
    (value.groups === undefined || areGroups(value))
  );
}

function areFacets(value: unknown): boolean {
  return (
    isRecord(value) &&
    Object.values(value).every(
      (counts) => areRecordsWith(counts, []) && counts.every(({ count }) => typeof count === 'number'),
    )
  );
}

function areGroups({ groups, groupsTotal }: Readonly<Record<string, unknown>>): boolean {
  return (
    typeof groupsTotal === 'number' &&
    areRecordsWith(groups, []) &&
    groups.every(({ key, count }) => isRecord(key) && typeof count === 'number')
  );
}

/** True when an answer is a part of an object's history. */
export function isHistoryPage(value: unknown): value is HistoryPage {
  return changesIn(value, CHANGE) !== undefined;
}

const CHANGE = ['resourceVersion', 'time', 'verb'];

/** The changes of a part of a history; undefined when it is none. @param texts members of a change that are texts */
function changesIn(
  value: unknown,
  texts: readonly string[],
): readonly Readonly<Record<string, unknown>>[] | undefined {
  if (!isRecord(value) || !isRecord(value.metadata)) return undefined;
  const { oldest, continue: token } = value.metadata;
  if (typeof oldest !== 'string' || !['string', 'undefined'].includes(typeof token)) return undefined;
  const { items } = value;
  if (!areRecordsWith(items, texts)) return undefined;
  return items.every(({ changes }) => areRecordsWith(changes, ['path'])) ? items : undefined;
}

/** True when an answer is a part of a model's history. */
export function isModelHistoryPage(value: unknown): value is ModelHistoryPage {
  const changes = changesIn(value, [...CHANGE, 'name']);
  return changes?.every(({ before }) => before === undefined || isExtensionObject(before)) === true;
}

export function isReferrerList(value: unknown): value is ReferrerList {
  return (
    isRecord(value) &&
    areRecordsWith(value.items, ['group', 'version', 'kind', 'plural', 'field', 'onDelete']) &&
    value.items.every(({ total, names }) => typeof total === 'number' && Array.isArray(names))
  );
}

export function isDependentList(value: unknown): value is DependentList {
  return (
    isRecord(value) &&
    areRecordsWith(value.items, ['group', 'version', 'kind', 'plural']) &&
    value.items.every(
      ({ total, shared, deleting, names }) =>
        [total, shared, deleting].every((count) => typeof count === 'number') && Array.isArray(names),
    )
  );
}

const EXPLAINED_TEXTS = [
  'resource',
  'condition',
  'method',
  'description',
  'bounds',
] as const satisfies readonly (keyof ListExplanation)[];
const EXPLAINED_NUMBERS = [
  'total',
  'entriesRead',
  'recordsRead',
  'objectsRead',
] as const satisfies readonly (keyof ListExplanation)[];

/** True when an answer explains a list. */
export function isListExplanation(value: unknown): value is ListExplanation {
  return (
    isRecord(value) &&
    value.kind === 'ListExplanation' &&
    EXPLAINED_TEXTS.every((member) => typeof value[member] === 'string') &&
    EXPLAINED_NUMBERS.every((member) => typeof value[member] === 'number') &&
    [value.index, value.direction].every((text) => text === null || typeof text === 'string') &&
    areRecordsWith(value.filters, ['condition', 'from']) &&
    (value.search === undefined || areRecordsWith([value.search], ['from'])) &&
    (value.aggregates === undefined || areRecordsWith(value.aggregates, ['field', 'from'])) &&
    areRecordsWith(value.alternatives, ['method', 'reason'])
  );
}

function areRecordsWith(
  values: unknown,
  texts: readonly string[],
): values is readonly Readonly<Record<string, unknown>>[] {
  const fits = (value: unknown): boolean =>
    isRecord(value) && texts.every((member) => typeof value[member] === 'string');
  return Array.isArray(values) && values.every(fits);
}
