import { ApiError } from '../../api/errors.js';
import type { Column, Index, Model } from '../../api/models.js';

/** What the URL of a list says is what the service is asked for: the parameters have the same names. */

/** Those that choose objects. */
export const CONDITIONS = ['labelSelector', 'fieldSelector', 'filter'] as const;
export type Condition = (typeof CONDITIONS)[number];

export const SIZES = ['20', '50', '100', '500'] as const;
const SIZE = '50';
/** More rows than that are of no use on a page, and make it slow. */
const SIZE_MAX = 500;

/** Parts of the page that are opened besides the rows, by the parameter of the API that they show the answer to. */
export type Part = 'facets' | 'explain';

const KNOWN: readonly string[] = [...CONDITIONS, 'sort', 'page', 'size', 'limit', 'continue'];

/** What the service is asked for. */
export function getRequest(parameters: URLSearchParams): URLSearchParams {
  const request = new URLSearchParams();
  for (const [name, value] of parameters) if (KNOWN.includes(name)) request.append(name, value);
  // Who walks by cursor has said how far.
  if (!request.has('limit') && !request.has('continue')) request.set('size', String(getSize(parameters)));
  return request;
}

/** Whether both ask for the same rows. */
export function isSameRequest(one: URLSearchParams, other: URLSearchParams): boolean {
  return getRequest(one).toString() === getRequest(other).toString();
}

export function getSize(parameters: URLSearchParams): number {
  const size = Number(parameters.get('size') ?? SIZE);
  return Number.isInteger(size) && size > 0 ? Math.min(size, SIZE_MAX) : SIZE_MAX;
}

/** Those of the parameters that choose objects. */
export function getConditions(parameters: URLSearchParams): URLSearchParams {
  const chosen = new URLSearchParams();
  for (const name of CONDITIONS) for (const value of parameters.getAll(name)) chosen.append(name, value);
  return chosen;
}

/** Those that choose objects and say their order. */
export function getWholeList(parameters: URLSearchParams): URLSearchParams {
  const whole = getConditions(parameters);
  for (const value of parameters.getAll('sort')) whole.append('sort', value);
  return whole;
}

/** The parameters with another value, and from the first page on. An empty value takes the parameter away. */
export function withParameter(parameters: URLSearchParams, name: string, value: string): URLSearchParams {
  const changed = new URLSearchParams(parameters);
  for (const one of ['page', 'limit', 'continue']) changed.delete(one);
  if (value === '') changed.delete(name);
  else changed.set(name, value);
  return changed;
}

/** The parameters with everything listed. */
export function withoutConditions(parameters: URLSearchParams): URLSearchParams {
  return CONDITIONS.reduce((rest, name) => withParameter(rest, name, ''), parameters);
}

/** Whether a part of the page is open that tells more of the list. */
export function isShown(parameters: URLSearchParams, part: Part): boolean {
  return parameters.has(part);
}

/** The parameters with such a part open, and what it shows; undefined: without it. The page of the list stays. */
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

/** The parameters of a list from its beginning: walked by cursor, or by number. */
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

/** The parameters with the next part of a list that is walked by cursor; undefined: with the first one. */
export function withCursor(parameters: URLSearchParams, cursor: string | undefined): URLSearchParams {
  const changed = new URLSearchParams(parameters);
  if (cursor === undefined) changed.delete('continue');
  else changed.set('continue', cursor);
  return changed;
}

export type Direction = 'asc' | 'desc';

/** What the list is sorted by first. */
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

/** Ascending first, then descending, then as it was before. */
export function withSort(
  parameters: URLSearchParams,
  model: Model | undefined,
  field: string,
): URLSearchParams {
  const now = getSort(parameters, model);
  if (now?.field !== field) return withParameter(parameters, 'sort', `${field},asc`);
  return withParameter(parameters, 'sort', now.direction === 'asc' ? `${field},desc` : '');
}

/** The indexes that lists can be sorted by; names come first. */
export function sortableFields(model: Model | undefined): readonly string[] {
  const indexes: readonly Index[] = model?.indexes ?? [];
  const names = indexes.filter(({ sparse }) => !sparse).map(({ name }) => name);
  return ['metadata.name', ...names.filter((name) => name !== 'metadata.name')];
}

/** Columns that every table has at its ends. */
const ENDS: Readonly<Record<string, string>> = {
  Name: 'metadata.name',
  Age: 'metadata.creationTimestamp',
};

/** The index that a column shows the values of. */
export function findField(model: Model | undefined, column: string): string | undefined {
  const declared: Column | undefined = model?.columns.find(({ name }) => name === column);
  const field = declared === undefined ? ENDS[column] : declared.jsonPath.replace(/^\./, '');
  return sortableFields(model).find((name) => name === field);
}

/** The condition that the service cannot read, and why. */
export interface Fault {
  readonly field: Condition;
  readonly message: string;
}

/** Which of the conditions a refusal is about: the message names it, or something in it, or it is the only one. */
export function fieldOfError(error: unknown, parameters: URLSearchParams): Fault | undefined {
  if (!(error instanceof ApiError) || error.code !== 400) return undefined;
  const { message } = error;
  const given = CONDITIONS.filter((name) => parameters.has(name));
  const [, quoted = ''] = /"([^"]+)"/.exec(message) ?? [];
  const named =
    given.find((name) => message.includes(name)) ??
    given.find((name) => quoted !== '' && parameters.get(name)?.includes(quoted) === true);
  const field = named ?? (given.length === 1 && !parameters.has('sort') ? given[0] : undefined);
  return field === undefined ? undefined : { field, message };
}
