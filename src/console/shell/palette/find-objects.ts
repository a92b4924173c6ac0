import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { getJson } from '../../api/http.js';
import { getPath, type Model } from '../../api/models.js';
import type { StoredObject } from '../../api/objects.js';
import { getTitle } from '../../api/titles.js';
import { nameBegins } from '../../api/selectors.js';
import { getModelHints } from '../../lib/hints.js';
import { arrayAt } from '../../lib/json.js';
import { useSettled } from '../../lib/use-settled.js';
import { useRoute } from '../../routes/use-route.js';

interface FoundObject {
  readonly model: Model;
  readonly name: string;
  readonly title: string | undefined;
}

interface FoundObjects {
  readonly found: readonly FoundObject[];
  readonly isSearching: boolean;
}

/** The limit of objects from one model. */
const OBJECTS_MAX = '5';
/** The limit of models, because each needs a request. */
const MODELS_MAX = 12;

/**
 * Objects whose names begin with the typed text, or whose titles contain it where an index has the titles. `persons an` searches only
 * persons; without the name of a model, the current model is first.
 */
export function useFoundObjects(typed: string, models: readonly Model[]): FoundObjects {
  const route = useRoute();
  const current = 'model' in route ? getPath(route.model) : '';
  const { wanted, among } = readTyped(useSettled(typed.trim()), models);
  const near = [...among].sort((a, b) => Number(getPath(b) === current) - Number(getPath(a) === current));
  const asked =
    wanted === ''
      ? []
      : near
          .slice(0, MODELS_MAX)
          .flatMap((model) => getRequests(model, wanted).map((request) => ({ model, request })));
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

type Request = { readonly filter: string } | { readonly search: string };

/** Titles are found by an index: of texts, or of the titles themselves, whose letters it compares exactly. */
function getRequests(model: Model, wanted: string): readonly Request[] {
  const byName = nameBegins(wanted.toLowerCase());
  const words = getWords(wanted);
  if (words !== '' && model.indexes.some(({ keyType }) => keyType === 'text'))
    return [{ filter: byName }, { search: words }];
  const { title } = getModelHints(model.schema);
  if (!model.indexes.some(({ name, keyType }) => name === title && keyType === 'string'))
    return [{ filter: byName }];
  const capital = (begin: RegExp): string => wanted.replace(begin, (letter) => letter.toUpperCase());
  const written = new Set([wanted, capital(/^\S/u), capital(/(?<!\S)\S/gu)]);
  const byTitle = [...written].map((one) => `${title}.contains(${JSON.stringify(one)})`);
  return [{ filter: [byName, ...byTitle].join(' || ') }];
}

/** Words for a search, without its signs; the last one may be the beginning of a word. */
function getWords(wanted: string): string {
  return wanted.replace(/["-]/g, ' ').trim().replace(/\s+/g, ' ');
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
