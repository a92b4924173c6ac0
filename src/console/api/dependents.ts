import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { arrayAt } from '../lib/json.js';
import { getJson } from './http.js';
import { qualifiedPlural, type ModelRef } from './models.js';

/** The dependents of an object, of one model. */
export interface ModelDependents extends ModelRef {
  readonly total: number;
  /** The number of them that have another owner as well. */
  readonly shared: number;
  /** The first names; empty when they may not be listed. */
  readonly names: readonly string[];
}

const LIMIT = '10';
const AGAIN_MS = 5_000;

/** The dependents of an object, by model. */
export function useDependents(model: ModelRef, name: string): UseQueryResult<readonly ModelDependents[]> {
  const search = new URLSearchParams({ resource: qualifiedPlural(model), name, limit: LIMIT });
  const url = `/apis/api.platform.run/v1alpha1/dependents?${search.toString()}`;
  return useQuery({
    queryKey: ['dependents', url],
    queryFn: async ({ signal }) => arrayAt(await getJson(url, signal), 'items') as readonly ModelDependents[],
    refetchInterval: AGAIN_MS,
  });
}
