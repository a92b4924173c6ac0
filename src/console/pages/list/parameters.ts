import { ApiError } from '../../api/errors.js';
import type { Column, Index, Model } from '../../api/models.js';
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

/** The parameters with the object that is open in the drawer, and its view. They are the page's. */
export const OPEN = 'open';
export const OPEN_VIEW = 'view';

/** The parameters with an open object; undefined closes it. */
export function withOpen(
  parameters: URLSearchParams,
  name: string | undefined,
  view: View = MAIN_VIEW,
): URLSearchParams {
  const changed = new URLSearchParams(parameters);
  changed.delete(OPEN);
  changed.delete(OPEN_VIEW);
  if (name !== undefined) changed.set(OPEN, name);
  if (name !== undefined && view !== MAIN_VIEW) changed.set(OPEN_VIEW, view);
  return changed;
}

/** The parameter with the name of the saved view that the page shows. It is the page's. */
export const SAVED = 'saved';

/** Panels of the page in addition to the rows, by the parameter of the API whose result they display. */
export type Part = 'facets' | 'explain';

const OTHERS = ['sort', 'page', 'size', 'limit', 'continue'];

/** The parameters of the request. */
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

/** Sets a parameter and returns to the first page. An empty value removes the parameter. */
export function withParameter(parameters: URLSearchParams, name: string, value: string): URLSearchParams {
  const changed = new URLSearchParams(parameters);
  for (const one of ['page', 'limit', 'continue']) changed.delete(one);
  if (value === '') changed.delete(name);
  else changed.set(name, value);
  return changed;
}

/** The parameters without conditions. */
export function withoutConditions(parameters: URLSearchParams): URLSearchParams {
  return [...CONDITIONS, ...TYPED].reduce((rest, name) => withParameter(rest, name, ''), parameters);
}

/** True when a panel with details of the list is open. */
export function isShown(parameters: URLSearchParams, part: Part): boolean {
  return parameters.has(part);
}

/** The parameters with an open panel and its value; undefined closes it. The page of the list does not change. */
export function withPart(
  parameters: URLSearchParams,
  part: Part,
  value: string | undefined,
): URLSearchParams {
  const changed = new URLSearchParams(parameters);
  if (value === undefined) changed.delete(part);
  else changed.set(part, value);
  return changed;
}

/** The parameters of a list's beginning: by cursor, or by number. */
export function withWalk(parameters: URLSearchParams, isByCursor: boolean): URLSearchParams {
  const size = isByCursor ? String(getSize(parameters)) : (parameters.get('limit') ?? SIZE);
  const changed = new URLSearchParams(parameters);
  for (const one of ['page', 'size', 'limit', 'continue']) changed.delete(one);
  changed.set(isByCursor ? 'limit' : 'size', size);
  return changed;
}

export function withPage(parameters: URLSearchParams, page: number): URLSearchParams {
  const changed = new URLSearchParams(parameters);
  if (page === 1) changed.delete('page');
  else changed.set('page', String(page));
  return changed;
}

/** The parameters of the next part of a list by cursor; undefined: of the first one. */
export function withCursor(parameters: URLSearchParams, cursor: string | undefined): URLSearchParams {
  const changed = new URLSearchParams(parameters);
  if (cursor === undefined) changed.delete('continue');
  else changed.set('continue', cursor);
  return changed;
}

export type Direction = 'asc' | 'desc';

/** The first sort key of the list. */
export function getSort(
  parameters: URLSearchParams,
  model: Model | undefined,
): { readonly field: string; readonly direction: Direction } | undefined {
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
  const indexes: readonly Index[] = model?.indexes ?? [];
  const names = indexes.filter(({ sparse }) => !sparse).map(({ name }) => name);
  return ['metadata.name', ...names.filter((name) => name !== 'metadata.name')];
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
