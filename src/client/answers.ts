import { isRecord } from '../lib/json/json.js';
import type { ExtensionObject } from '../model/object.js';
import type { Resource } from '../model/resource.js';
import type {
  BookmarkObject,
  DependentList,
  HistoryPage,
  ListExplanation,
  ListPage,
  ModelHistoryPage,
  ReferrerList,
} from '../service/verbs.js';

/** The expected form of a value: a type, a test, forms that each item of a list has, or forms of members of an object. */
export type Form =
  | 'string'
  | 'number'
  | 'boolean'
  | ((value: unknown) => boolean)
  | readonly Form[]
  | { readonly [member: string]: Form };

function hasForm(value: unknown, form: Form): boolean {
  if (typeof form === 'function') return form(value);
  if (typeof form === 'string') return typeof value === form;
  if (isList(form))
    return Array.isArray(value) && value.every((item) => form.every((itemForm) => hasForm(item, itemForm)));
  return isRecord(value) && Object.entries(form).every(([member, of]) => hasForm(value[member], of));
}

function isList(form: object): form is readonly Form[] {
  return Array.isArray(form);
}

/** A test of values by a form. */
export function ofForm<T>(form: Form): (value: unknown) => value is T {
  return (value): value is T => hasForm(value, form);
}

function optional(form: Form): Form {
  return (value) => value === undefined || hasForm(value, form);
}

const ANY: Form = () => true;

/** The form of an object whose members of these names are texts. */
function texts(...members: readonly string[]): Readonly<Record<string, Form>> {
  return Object.fromEntries(members.map((member) => [member, 'string']));
}

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

export const isBookmark = ofForm<BookmarkObject>({
  ...texts('apiVersion', 'kind'),
  metadata: texts('resourceVersion'),
});

/** True when an answer describes a model. */
export const isResource = ofForm<Resource>({
  ...texts('group', 'version', 'kind', 'plural', 'singular'),
  shortNames: [ANY],
  categories: [ANY],
  columns: [ANY],
  indexes: [ANY],
  schema: {},
});

const hasGroups = ofForm({ groupsTotal: 'number', groups: [{ key: {}, count: 'number' }] });

const hasPage = ofForm<ListPage>({
  ...texts('apiVersion', 'kind'),
  metadata: { resourceVersion: 'string', continue: optional('string') },
  page: 'number',
  size: 'number',
  total: 'number',
  totalPages: 'number',
  first: 'boolean',
  last: 'boolean',
  hasNext: 'boolean',
  hasPrevious: 'boolean',
  items: [isExtensionObject],
  facets: optional((facets) => isRecord(facets) && hasForm(Object.values(facets), [[{ count: 'number' }]])),
});

export function isListPage(value: unknown): value is ListPage {
  return hasPage(value) && (value.groups === undefined || hasGroups(value));
}

const CHANGE: Form = { ...texts('resourceVersion', 'time', 'verb'), changes: [texts('path')] };
const PAST = { oldest: 'string', continue: optional('string') } as const;

/** True when an answer is a part of an object's history. */
export const isHistoryPage = ofForm<HistoryPage>({ metadata: PAST, items: [CHANGE] });

/** True when an answer is a part of a model's history. */
export const isModelHistoryPage = ofForm<ModelHistoryPage>({
  metadata: PAST,
  items: [CHANGE, { name: 'string', before: optional(isExtensionObject) }],
});

const NAMED: Form = { ...texts('group', 'version', 'kind', 'plural'), total: 'number', names: [ANY] };

export const isReferrerList = ofForm<ReferrerList>({ items: [NAMED, texts('field', 'onDelete')] });

export const isDependentList = ofForm<DependentList>({
  items: [NAMED, { shared: 'number', deleting: 'number' }],
});

const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string';

/** True when an answer explains a list. */
export const isListExplanation = ofForm<ListExplanation>({
  kind: (kind) => kind === 'ListExplanation',
  ...texts('resource', 'condition', 'method', 'description', 'bounds'),
  total: 'number',
  entriesRead: 'number',
  recordsRead: 'number',
  objectsRead: 'number',
  index: isTextOrNull,
  direction: isTextOrNull,
  filters: [texts('condition', 'from')],
  search: optional(texts('from')),
  aggregates: optional([texts('field', 'from')]),
  alternatives: [texts('method', 'reason')],
});
