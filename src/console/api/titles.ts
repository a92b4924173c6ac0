import type { UseQueryOptions } from '@tanstack/react-query';
import { getModelHints } from '../lib/hints.js';
import { arrayAt, getMember } from '../lib/json.js';
import { getJson } from './http.js';
import { getPath, type Model } from './models.js';
import { getName } from './objects.js';

/** The title of an object: the value of the field that its model names; undefined without one. */
export function getTitle(model: Pick<Model, 'schema'> | undefined, object: unknown): string | undefined {
  const field = model === undefined ? undefined : getModelHints(model.schema).title;
  if (field === undefined) return undefined;
  const value = field.split('.').reduce(getMember, object);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** The limit of names in one request, because they are part of its URL. */
export const NAMES_MAX = 100;

/** The query of the titles of objects of a model, by name. Objects without a title, and those that may not be read, are missing. */
export function titlesQuery(
  model: Model | undefined,
  names: readonly string[],
): UseQueryOptions<ReadonlyMap<string, string>> {
  const asked = [...new Set(names)].sort().slice(0, NAMES_MAX);
  const hasTitle = model !== undefined && getModelHints(model.schema).title !== undefined;
  const path = model === undefined ? '' : getPath(model);
  return {
    queryKey: ['titles', path, asked],
    queryFn: ({ signal }) => readTitles(model, asked, signal),
    enabled: hasTitle && asked.length > 0,
    placeholderData: (before) => before,
    retry: false,
  };
}

/** The titles of some objects of a model, by name. @throws ApiError, Unreachable */
export async function readTitles(
  model: Model | undefined,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  if (model === undefined) return new Map();
  const request = { fieldSelector: `metadata.name in (${names.join(',')})`, limit: String(names.length) };
  const list = await getJson(`${getPath(model)}?${new URLSearchParams(request).toString()}`, signal);
  return new Map(
    arrayAt(list, 'items').flatMap((object) => {
      const title = getTitle(model, object);
      return title === undefined ? [] : [[getName(object), title] as const];
    }),
  );
}
