import { ApiError } from '../../api/errors.js';
import type { Column, Model } from '../../api/models.js';
import { nameBegins } from '../../api/selectors.js';
import { MAIN_VIEW, type View } from '../../routes/route.js';

/** The URL of a list has the parameters of the request to the service, with the same names; only `namePrefix` is the page's. */

/** The parameters that select objects. */
export const CONDITIONS = ['labelSelector', 'fieldSelector', 'filter'] as const;
export type Condition = (typeof CONDITIONS)[number];
/** The parameter with the beginning of the names. It is separate from the filter, so that one can be wrong without the other. */
export const NAME_PREFIX = 'namePrefix';
/** The parameter with the words to find in the texts of objects. */
export const SEARCH = 'search';
/** The parameters of fields that are applied while the user types. */
const TYPED = [SEARCH, NAME_PREFIX] as const;

export const SIZES = ['20', '50', '100', '500'] as const;
const SIZE = '50';
/** The limit of rows on a page; more are of no use, and slow. */
const SIZE_MAX = 500;

/** The parameters with the object that is open in the drawer, its view, and the saved view that the page shows. They are the page's. */
export const OPEN = 'open';
export const OPEN_VIEW = 'view';
export const SAVED = 'saved';

const OTHERS = ['sort', 'page', 'size', 'limit', 'continue'];

export function getRequest(parameters: URLSearchParams): URLSearchParams {
  const request = getConditions(parameters);
  for (const [name, value] of parameters) if (OTHERS.includes(name)) request.append(name, value);
  // A list by cursor states its own limit.
  if (!request.has('limit') && !request.has('continue')) request.set('size', String(getSize(parameters)));
  return request;
}

/** True when both request the same rows. */
export function isSameRequest(one: URLSearchParams, other: URLSearchParams): boolean {
  return getRequest(one).toString() === getRequest(other).toString();
}

/** True when they differ only in the text of one field: the user is typing it. */
export function isSameSearch(one: URLSearchParams, other: URLSearchParams): boolean {
  return TYPED.some(
    (name) =>
      one.has(name) &&
      other.has(name) &&
      isSameRequest(withParameter(one, name, ''), withParameter(other, name, '')),
  );
}

export function getSize(parameters: URLSearchParams): number {
  const size = Number(parameters.get('size') ?? SIZE);
  return Number.isInteger(size) && size > 0 ? Math.min(size, SIZE_MAX) : SIZE_MAX;
}

/** The parameters of the request that select objects. */
export function getConditions(parameters: URLSearchParams): URLSearchParams {
  const chosen = getWatched(parameters);
  const words = parameters.get(SEARCH) ?? '';
  if (words.trim() !== '') chosen.append(SEARCH, words);
  return chosen;
}

/**
 * The conditions that can be watched. The words of a search cannot: scores depend on all objects. A watch without them reports
 * more changes than necessary, and misses those of scores only.
 */
export function getWatched(parameters: URLSearchParams): URLSearchParams {
  const chosen = new URLSearchParams();
  for (const name of CONDITIONS) for (const value of parameters.getAll(name)) chosen.append(name, value);
  const prefix = parameters.get(NAME_PREFIX) ?? '';
  if (prefix !== '') chosen.append('filter', nameBegins(prefix));
  return chosen;
}

/**
 * The parameters that select objects and set their order, for reading all of them by cursor. The order is never that of relevance:
 * scores change with other objects, and then a cursor would miss some.
 */
export function getWholeList(parameters: URLSearchParams): URLSearchParams {
  const whole = getConditions(parameters);
  const sort = parameters.getAll('sort');
  for (const value of sort.length === 0 && whole.has(SEARCH) ? ['metadata.name'] : sort)
    whole.append('sort', value);
  return whole;
}

/** The parameters with other values. Undefined removes a parameter. */
export function withValues(
  parameters: URLSearchParams,
  values: Readonly<Record<string, string | undefined>>,
): URLSearchParams {
  const changed = new URLSearchParams(parameters);
  for (const [name, value] of Object.entries(values))
    if (value === undefined) changed.delete(name);
    else changed.set(name, value);
  return changed;
}

/** Sets a parameter and returns to the first page. An empty value removes the parameter. */
export function withParameter(parameters: URLSearchParams, name: string, value: string): URLSearchParams {
  const first = { page: undefined, limit: undefined, continue: undefined };
  return withValues(parameters, { ...first, [name]: value === '' ? undefined : value });
}

/** The parameters with an open object; undefined closes it. */
export function withOpen(
  parameters: URLSearchParams,
  name: string | undefined,
  view: View = MAIN_VIEW,
): URLSearchParams {
  const isUsual = name === undefined || view === MAIN_VIEW;
  return withValues(parameters, { [OPEN]: name, [OPEN_VIEW]: isUsual ? undefined : view });
}

export function withoutConditions(parameters: URLSearchParams): URLSearchParams {
  return [...CONDITIONS, ...TYPED].reduce((rest, name) => withParameter(rest, name, ''), parameters);
}

/** The parameters of a list's beginning: by cursor, or by number. */
export function withWalk(parameters: URLSearchParams, isByCursor: boolean): URLSearchParams {
  const first = { page: undefined, size: undefined, limit: undefined, continue: undefined };
  const values = isByCursor
    ? { limit: String(getSize(parameters)) }
    : { size: parameters.get('limit') ?? SIZE };
  return withValues(parameters, { ...first, ...values });
}

/** The first sort key of the list. */
export function getSort(
  parameters: URLSearchParams,
  model: Model | undefined,
): { readonly field: string; readonly direction: 'asc' | 'desc' } | undefined {
  const [field = '', given] = (parameters.get('sort') ?? '').split(',');
  if (field === '') return undefined;
  const order = model?.indexes.find(({ name }) => name === field)?.order;
  const direction = given ?? (order === 'DESC' ? 'desc' : 'asc');
  return { field, direction: direction === 'desc' ? 'desc' : 'asc' };
}

/** Ascending first, then descending, then the former order. */
export function withSort(
  parameters: URLSearchParams,
  model: Model | undefined,
  field: string,
): URLSearchParams {
  const now = getSort(parameters, model);
  if (now?.field !== field) return withParameter(parameters, 'sort', `${field},asc`);
  return withParameter(parameters, 'sort', now.direction === 'asc' ? `${field},desc` : '');
}

/** The indexes by which lists can be sorted; names are first. */
export function sortableFields(model: Model | undefined): readonly string[] {
  const indexes = (model?.indexes ?? []).filter(({ sparse }) => !sparse);
  return [...new Set(['metadata.name', ...indexes.map(({ name }) => name)])];
}

/** The dotted path of a column's field, without steps for the items of arrays. */
export function getFieldPath({ jsonPath }: Pick<Column, 'jsonPath'>): string {
  return jsonPath.replace(/^\./, '').replaceAll('[*]', '');
}

/** The condition that the service cannot parse, and the error. */
export interface Fault {
  readonly field: Condition | typeof SEARCH;
  readonly message: string;
}

/** The condition of a refusal: the message names it, or a part of it, or it is the only one. */
export function fieldOfError(error: unknown, parameters: URLSearchParams): Fault | undefined {
  if (!(error instanceof ApiError) || error.code !== 400) return undefined;
  const { message } = error;
  const given = ([...CONDITIONS, SEARCH] as const).filter((name) => parameters.has(name));
  const [, quoted = ''] = /"([^"]+)"/.exec(message) ?? [];
  const named =
    given.find((name) => message.startsWith(`${name}:`)) ??
    given.find((name) => message.includes(name)) ??
    given.find((name) => quoted !== '' && parameters.get(name)?.includes(quoted) === true);
  const field = named ?? (given.length === 1 && !parameters.has('sort') ? given[0] : undefined);
  return field === undefined ? undefined : { field, message };
}
