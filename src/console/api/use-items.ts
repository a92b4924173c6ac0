import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { arrayAt } from '../lib/json.js';
import { getJson } from './http.js';

const AGAIN_MS = 5_000;

/** The items of a response, read again at an interval. @param key the first part of the query's key */
export function useItems<T>(key: string, url: string, everyMs = AGAIN_MS): UseQueryResult<readonly T[]> {
  return useQuery({
    queryKey: [key, url],
    queryFn: async ({ signal }) => arrayAt(await getJson(url, signal), 'items') as readonly T[],
    refetchInterval: everyMs,
  });
}
