import { badRequest, formatExcerpt } from '../errors.js';
import type { Resource } from '../model/resource.js';
import { readGrouping } from './counts/aggregates.js';
import { ALL, allOf, type Condition } from './condition.js';
import { readExpand } from './expand.js';
import { readFacets } from './counts/facets.js';
import { CONDITION_DEPTH_MAX, getField, LABELS } from './fields.js';
import type { ListOptions, ListRequest, MutableListOptions, SortKey } from './list-options.js';
import { getListParameter, LIST_PARAMETERS, PAGE_MAX, type ListParameter } from './list-parameters.js';
import { parseFilter } from './filter/filter.js';
import type { FindTarget } from './filter/references.js';
import { readSearch } from './search/search-text.js';
import { parseFieldSelector, parseLabelSelector } from './selector.js';

/** URL parameters as HTTP servers parse them: repeated ones are lists. */
type UrlQuery = Readonly<Record<string, string | string[] | undefined>>;

const PAGE = getListParameter('page');
const SIZE = getListParameter('size');
const LIMIT = getListParameter('limit');
const FACET_LIMIT = getListParameter('facetLimit');
const GROUP_LIMIT = getListParameter('groupLimit');

/**
 * Reads the texts of a list request against a model.
 * @param nowMs value of `now` in filters, in milliseconds since 1970
 * @param target absent: conditions on the targets of references are refused
 * @throws ServiceError `BadRequest` for numbers out of range, syntax errors, fields without an index, a sort by
 * labels, and any error in a filter. Only `bind` checks the values of selectors and of `query`.
 */

export function readListOptions(
  options: ListOptions,
  resource: Resource,
  nowMs = Date.now(),
  target?: FindTarget,
): ListRequest {
  const { namespace } = options;
  const parts: readonly Condition[] = [
    namespace === undefined ? ALL : ({ op: 'namespace', namespace } as const),
    parseLabelSelector(asList(options.labelSelector)),
    parseFieldSelector(asList(options.fieldSelector)),
    options.query ?? ALL,
  ].filter((part) => part.op !== 'all');
  for (const part of parts) checkFields(part, resource);
  const texts = asList(options.filter);
  const filters = texts.map((text) => parseFilter({ text, resource, nowMs, target }));
  return {
    condition: allOf([...parts, ...filters].filter((part) => part.op !== 'all')),
    identity: { condition: allOf(parts), filters: texts },
    search: readSearch(options.search, resource),
    sort: readSort(asList(options.sort), resource),
    page: readNumber(PAGE, options.page),
    size: readNumber(SIZE, options.size),
    ...readLimit(options),
    facets: readFacets(asList(options.facets), resource),
    facetLimit: readNumber(FACET_LIMIT, options.facetLimit),
    expand: readExpand(options.expand),
    grouping: readGrouping(
      { aggregates: asList(options.aggregates), groupBy: asList(options.groupBy) },
      readNumber(GROUP_LIMIT, options.groupLimit),
      resource,
    ),
  };
}

/** A limit of 0 means no limit, as Kubernetes clients send it. */
function readLimit(options: ListOptions): Pick<ListRequest, 'limit' | 'continue'> {
  const token = options.continue === '' ? undefined : options.continue;
  const limit = readNumber(LIMIT, options.limit);
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
export function readListQuery(query: UrlQuery): ListOptions {
  const options: MutableListOptions = {};
  for (const parameter of LIST_PARAMETERS) {
    const value = query[parameter.name];
    if (value === undefined) continue;
    const texts = asList(value);
    const text = texts.at(-1);
    if (parameter.type === 'texts') options[parameter.name] = texts;
    else if (text === undefined) continue;
    else if (parameter.name === 'search' && texts.length > 1)
      throw badRequest('search occurs more than once');
    else if (parameter.type === 'text') options[parameter.name] = text;
    else if (texts.length > 1) throw badRequest(`${parameter.name} occurs more than once`);
    else options[parameter.name] = readInteger(parameter, text);
  }
  return options;
}

function readInteger(parameter: ListParameter, text: string): number {
  if (/^-?\d+$/.test(text)) return readNumber(parameter, Number(text));
  throw badRequest(`${parameter.name}: "${formatExcerpt(text)}" is not an integer`);
}

/** @throws ServiceError `BadRequest` that names the parameter and the value when it is out of range */
export function readNumber(parameter: ListParameter, number: number | undefined): number {
  const { name, min = 0, max = PAGE_MAX } = parameter;
  const value = number ?? parameter.default ?? min;
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw badRequest(`${name}: ${value} is not an integer from ${min} to ${max}`);
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
