import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { getPath, type Model } from '../../api/models.js';
import { readTable } from '../../api/tables.js';
import { useSettled } from '../../lib/use-settled.js';
import { useRoute } from '../../routes/use-route.js';

interface FoundObject {
  readonly model: Model;
  readonly name: string;
}

interface FoundObjects {
  readonly found: readonly FoundObject[];
  readonly isSearching: boolean;
}

/** The limit of names from one model. */
const NAMES_MAX = '5';
/** The limit of models, because each needs a request. */
const MODELS_MAX = 12;

/**
 * Objects whose names begin with the typed text. `persons an` searches only persons; without the name of a model, the current model
 * is first.
 */
export function useFoundObjects(typed: string, models: readonly Model[]): FoundObjects {
  const route = useRoute();
  const current = 'model' in route ? getPath(route.model) : '';
  const { prefix, among } = readTyped(useSettled(typed.trim()), models);
  const near = [...among].sort((a, b) => Number(getPath(b) === current) - Number(getPath(a) === current));
  const asked = prefix === '' ? [] : near.slice(0, MODELS_MAX);
  const results = useQueries({
    queries: asked.map((model) => ({
      queryKey: ['names', getPath(model), 'prefix', prefix],
      queryFn: ({ signal }: { signal: AbortSignal }) => readTable(getPath(model), getRequest(prefix), signal),
      placeholderData: keepPreviousData,
    })),
  });
  return {
    found: results.flatMap(({ data }, i) => {
      const model = asked[i];
      // Results for an earlier text may not match any more.
      const rows = (data?.rows ?? []).filter(({ object }) => object.metadata.name.startsWith(prefix));
      return model === undefined ? [] : rows.map(({ object }) => ({ model, name: object.metadata.name }));
    }),
    isSearching: results.some(({ isFetching }) => isFetching),
  };
}

/** Names of objects have no spaces, so a word before one is the name of a model. */
function readTyped(
  typed: string,
  models: readonly Model[],
): { readonly prefix: string; readonly among: readonly Model[] } {
  const [first = '', ...rest] = typed.toLowerCase().split(/\s+/);
  if (rest.length === 0) return { prefix: first, among: models };
  const among = models.filter(({ plural, singular }) => plural.startsWith(first) || singular === first);
  return { prefix: rest.join(' '), among };
}

function getRequest(prefix: string): URLSearchParams {
  return new URLSearchParams({
    limit: NAMES_MAX,
    filter: `metadata.name.startsWith(${JSON.stringify(prefix)})`,
  });
}
