import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { arrayAt } from '../lib/json.js';
import { getJson } from './http.js';
import { qualifiedPlural, type ModelRef } from './models.js';

/** Objects of a model that refer to an object by one field. */
export interface FieldReferrers extends ModelRef {
  readonly field: string;
  /** The effect of the object's deletion on them. */
  readonly onDelete: 'restrict' | 'cascade' | 'clear';
  readonly total: number;
  /** The first names. */
  readonly names: readonly string[];
}

const LIMIT = '10';
const AGAIN_MS = 5_000;

/** The referrers of an object, for each field that may refer to it. */
export function useReferrers(model: ModelRef, name: string): UseQueryResult<readonly FieldReferrers[]> {
  const search = new URLSearchParams({ resource: qualifiedPlural(model), name, limit: LIMIT });
  const url = `/apis/api.platform.run/v1alpha1/referrers?${search.toString()}`;
  return useQuery({
    queryKey: ['referrers', url],
    queryFn: async ({ signal }) => arrayAt(await getJson(url, signal), 'items') as readonly FieldReferrers[],
    refetchInterval: AGAIN_MS,
  });
}
