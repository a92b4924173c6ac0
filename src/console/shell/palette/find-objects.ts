import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { getJson } from '../../api/http.js';
import { getPath, type Model } from '../../api/models.js';
import { getSearches } from '../../api/names.js';
import type { StoredObject } from '../../api/objects.js';
import { getTitle } from '../../api/titles.js';
import { nameBegins } from '../../api/selectors.js';
import { arrayAt } from '../../lib/json.js';
import { useSettled } from '../../lib/use-settled.js';
import { useRoute } from '../../routes/use-route.js';

interface FoundObject {
  readonly model: Model;
  readonly name: string;
  readonly title: string | undefined;
}

/** The limit of objects from one model. */
const OBJECTS_MAX = '5';
/** The limit of models, because each needs a request. */
const MODELS_MAX = 12;

/**
 * Objects whose names begin with the typed text, or whose titles contain it where an index has the titles. `persons an` searches only
 * persons; without the name of a model, the current model is first.
 */
export function useFoundObjects(typed: string, models: readonly Model[]) {
  const route = useRoute();
  const current = 'model' in route ? getPath(route.model) : '';
  const { wanted, among } = readTyped(useSettled(typed.trim()), models);
  const near = [...among].sort((a, b) => Number(getPath(b) === current) - Number(getPath(a) === current));
  const asked =
    wanted === ''
      ? []
      : near.slice(0, MODELS_MAX).flatMap((model) =>
          getSearches(model, nameBegins(wanted.toLowerCase()), wanted).map((request) => ({
            model,
            request,
          })),
        );
  const results = useQueries({
    queries: asked.map(({ model, request }) => {
      const url = `${getPath(model)}?${new URLSearchParams({ limit: OBJECTS_MAX, ...request }).toString()}`;
      return {
        queryKey: ['found', url],
        queryFn: async ({ signal }: { signal: AbortSignal }) =>
          arrayAt(await getJson(url, signal), 'items') as readonly StoredObject[],
        placeholderData: keepPreviousData,
      };
    }),
  });
  const found = new Map<string, FoundObject>();
  for (const [i, { data = [], isPlaceholderData }] of results.entries()) {
    const one = asked[i];
    // Results for an earlier text may not match any more.
    if (one === undefined || isPlaceholderData) continue;
    for (const object of data) {
      const { name } = object.metadata;
      found.set(`${getPath(one.model)}/${name}`, {
        model: one.model,
        name,
        title: getTitle(one.model, object),
      });
    }
  }
  return { found: [...found.values()], isSearching: results.some(({ isFetching }) => isFetching) };
}

/** A word before others may be the name of a model. */
function readTyped(
  typed: string,
  models: readonly Model[],
): { readonly wanted: string; readonly among: readonly Model[] } {
  const [first = '', ...rest] = typed.split(/\s+/);
  const named = first.toLowerCase();
  const among = models.filter(({ plural, singular }) => plural.startsWith(named) || singular === named);
  if (rest.length === 0 || among.length === 0) return { wanted: typed, among: models };
  return { wanted: rest.join(' '), among };
}
