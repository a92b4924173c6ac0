import { badRequest, formatExcerpt } from '../errors.js';
import type { Resource } from '../model/resource.js';
import { ALL, type Condition } from './condition.js';
import { FACET_LIMIT_DEFAULT, FACET_LIMIT_MAX, readFacets } from './facets.js';
import { CONDITION_DEPTH_MAX, getField, LABELS } from './fields.js';
import type { ListOptions, ListRequest, SortKey } from './list-options.js';
import { parseFilter } from './filter/filter.js';
import { parseFieldSelector, parseLabelSelector } from './selector.js';

/** Greatest page number and page size. */
export const PAGE_MAX = 2_147_483_647;

/** URL parameters as HTTP servers parse them: repeated ones are lists. */
export type ListParameters = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Reads the texts of a list request against a model.
 * @param nowMs value of `now` in filters, in milliseconds since 1970
 * @throws ServiceError `BadRequest` for numbers out of range, syntax errors, fields without an index, a sort by
 * labels, and any error in a filter. Only `bind` checks the values of selectors and of `query`.
 */
export function readListOptions(options: ListOptions, resource: Resource, nowMs = Date.now()): ListRequest {
  const parts = [
    parseLabelSelector(asList(options.labelSelector)),
    parseFieldSelector(asList(options.fieldSelector)),
    options.query ?? ALL,
  ].filter((part) => part.op !== 'all');
  for (const part of parts) checkFields(part, resource);
  const texts = asList(options.filter);
  const filters = texts.map((text) => parseFilter({ text, resource, nowMs }));
  return {
    condition: combine([...parts, ...filters].filter((part) => part.op !== 'all')),
    identity: { condition: combine(parts), filters: texts },
    sort: readSort(asList(options.sort), resource),
    page: checkNumber('page', options.page ?? 1, 1),
    size: checkNumber('size', options.size ?? 0, 0),
    ...readLimit(options),
    facets: readFacets(asList(options.facets), resource),
    facetLimit: checkNumber('facetLimit', options.facetLimit ?? FACET_LIMIT_DEFAULT, 1),
  };
}

/** A limit of 0 means no limit, as Kubernetes clients send it. */
function readLimit(options: ListOptions): Pick<ListRequest, 'limit' | 'continue'> {
  const token = options.continue === '' ? undefined : options.continue;
  const limit = checkNumber('limit', options.limit ?? 0, 0);
  if (limit === 0 && token === undefined) return { limit: undefined, continue: undefined };
  if (options.page !== undefined || options.size !== undefined) {
    throw badRequest('limit and continue cannot be combined with page and size');
  }
  return { limit: limit === 0 ? PAGE_MAX : limit, continue: token };
}

/**
 * Reads the list parameters from a URL's query and ignores the others. Repeated selectors and sorts keep their order.
 * @throws ServiceError `BadRequest` that names the parameter and the value when it is not an integer, or is repeated.
 */
export function readListQuery(query: ListParameters): ListOptions {
  const page = readInteger(query, 'page');
  const size = readInteger(query, 'size');
  const limit = readInteger(query, 'limit');
  const facetLimit = readInteger(query, 'facetLimit');
  const token = asList(query.continue).at(-1);
  return {
    ...texts(query, 'labelSelector'),
    ...texts(query, 'fieldSelector'),
    ...texts(query, 'filter'),
    ...texts(query, 'sort'),
    ...texts(query, 'facets'),
    ...(page === undefined ? {} : { page }),
    ...(size === undefined ? {} : { size }),
    ...(limit === undefined ? {} : { limit }),
    ...(token === undefined ? {} : { continue: token }),
    ...(facetLimit === undefined ? {} : { facetLimit }),
  };
}

type TextParameter = 'labelSelector' | 'fieldSelector' | 'filter' | 'sort' | 'facets';

function texts(query: ListParameters, parameter: TextParameter): Pick<ListOptions, TextParameter> {
  const value = query[parameter];
  return value === undefined ? {} : { [parameter]: asList(value) };
}

function readInteger(query: ListParameters, parameter: Numbered): number | undefined {
  const value = query[parameter];
  if (value === undefined) return undefined;
  const [text, ...more] = asList(value);
  if (text === undefined) return undefined;
  if (more.length > 0) throw badRequest(`${parameter} occurs more than once`);
  if (!/^-?\d+$/.test(text)) throw badRequest(`${parameter}: "${formatExcerpt(text)}" is not an integer`);
  return checkNumber(parameter, Number(text), parameter === 'page' || parameter === 'facetLimit' ? 1 : 0);
}

type Numbered = 'page' | 'size' | 'limit' | 'facetLimit';

function checkNumber(parameter: Numbered, value: number, min: number): number {
  const max = parameter === 'facetLimit' ? FACET_LIMIT_MAX : Infinity;
  if (!Number.isInteger(value) || value < min || value > max)
    throw badRequest(
      `${parameter}: ${value} is not an integer from ${min}${max === Infinity ? '' : ` to ${max}`}`,
    );
  // A larger number has the same effect: no list is longer.
  return Math.min(value, PAGE_MAX);
}

function readSort(sorts: readonly string[], resource: Resource): SortKey[] {
  const keys = sorts.filter((text) => text.trim() !== '').map((text) => readSortKey(text, resource));
  // A repeated field cannot change the order.
  return keys.filter((key, at) => keys.findIndex((other) => other.field === key.field) === at);
}

function readSortKey(text: string, resource: Resource): SortKey {
  const [name = '', direction, ...more] = text.split(',').map((part) => part.trim());
  const word = direction?.toLowerCase();
  if (name === '' || more.length > 0 || (word !== undefined && word !== 'asc' && word !== 'desc')) {
    throw badRequest(`sort: "${formatExcerpt(text)}" is not of the form <field>[,asc|desc]`);
  }
  const { declaration } = getField(resource, name === 'name' ? 'metadata.name' : name);
  if (declaration.name === LABELS) throw badRequest('sort: metadata.labels cannot be sorted by');
  return { field: declaration.name, direction: word ?? (declaration.order === 'ASC' ? 'asc' : 'desc') };
}

function combine(parts: readonly Condition[]): Condition {
  const [first, ...rest] = parts;
  if (first === undefined) return ALL;
  return rest.length === 0 ? first : { op: 'and', of: parts };
}

function checkFields(condition: Condition, resource: Resource, depth = 0): void {
  if (depth > CONDITION_DEPTH_MAX) throw badRequest(`the query nests deeper than ${CONDITION_DEPTH_MAX}`);
  if (condition.op === 'not') {
    checkFields(condition.of, resource, depth + 1);
  } else if (condition.op === 'and' || condition.op === 'or') {
    for (const part of condition.of) checkFields(part, resource, depth + 1);
  } else if ('field' in condition) {
    getField(resource, condition.field);
  }
}

function asList(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}
