import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { arrayAt } from '../lib/json.js';
import { getJson } from './http.js';
import { qualifiedPlural, type ModelRef } from './models.js';

/** Objects of a model that an object owns. */
export interface ModelDependents extends ModelRef {
  readonly total: number;
  /** How many of them have another owner as well. */
  readonly shared: number;
  /** The first of them; none where they may not be listed. */
  readonly names: readonly string[];
}

const LIMIT = '10';
const AGAIN_MS = 5_000;

/** What an object owns, by model. */
export function useDependents(model: ModelRef, name: string): UseQueryResult<readonly ModelDependents[]> {
  const search = new URLSearchParams({ resource: qualifiedPlural(model), name, limit: LIMIT });
  const url = `/apis/api.platform.run/v1alpha1/dependents?${search.toString()}`;
  return useQuery({
    queryKey: ['dependents', url],
    queryFn: async ({ signal }) => arrayAt(await getJson(url, signal), 'items') as readonly ModelDependents[],
    refetchInterval: AGAIN_MS,
  });
}
