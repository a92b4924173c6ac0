import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { getModelHints } from '../lib/hints.js';
import { arrayAt, getMember, objectAt, textAt } from '../lib/json.js';
import { getJson } from './http.js';
import { getPath, type Model } from './models.js';

/** The title of an object: the value of the field that its model names; undefined without one. */
export function getTitle(model: Pick<Model, 'schema'> | undefined, object: unknown): string | undefined {
  const field = model === undefined ? undefined : getModelHints(model.schema).title;
  if (field === undefined) return undefined;
  const value = field.split('.').reduce(getMember, object);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** The limit of names in one request, because they are part of its URL. */
const NAMES_MAX = 100;

/** The titles of objects of a model, by name. Objects without a title, and those that may not be read, are missing. */
export function useTitles(model: Model | undefined, names: readonly string[]): ReadonlyMap<string, string> {
  const asked = useMemo(() => [...new Set(names)].sort().slice(0, NAMES_MAX), [names]);
  const hasTitle = model !== undefined && getModelHints(model.schema).title !== undefined;
  const { data } = useQuery({
    queryKey: ['titles', model === undefined ? '' : getPath(model), asked],
    queryFn: ({ signal }) => readTitles(model, asked, signal),
    enabled: hasTitle && asked.length > 0,
    placeholderData: (before) => before,
  });
  return data ?? NONE;
}

const NONE: ReadonlyMap<string, string> = new Map();

async function readTitles(
  model: Model | undefined,
  names: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  if (model === undefined) return NONE;
  const request = new URLSearchParams({
    fieldSelector: `metadata.name in (${names.join(',')})`,
    limit: String(names.length),
  });
  const list = await getJson(`${getPath(model)}?${request.toString()}`, signal);
  return new Map(
    arrayAt(list, 'items').flatMap((object) => {
      const name = textAt(objectAt(object, 'metadata'), 'name');
      const title = getTitle(model, object);
      return name === undefined || title === undefined ? [] : [[name, title] as const];
    }),
  );
}
