import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { getJson } from '../../../api/http.js';
import { getPath, type ModelRef } from '../../../api/models.js';

export type Method = 'walk' | 'ranks' | 'sort';
export type Source = 'memory' | 'index' | 'records';

/** How the service answers a list. */
export interface Explanation {
  readonly condition: string;
  readonly method: Method;
  /** Null where the matches are sorted. */
  readonly index: string | null;
  readonly direction: 'asc' | 'desc' | null;
  readonly filters: readonly {
    readonly condition: string;
    readonly from: Source;
    readonly matches: number;
  }[];
  readonly total: number;
  readonly entriesRead: number;
  readonly recordsRead: number;
  readonly objectsRead: number;
  readonly alternatives: readonly {
    readonly method: Method;
    /** In index entries; null where it was not possible. */
    readonly cost: number | null;
    readonly reason: string;
  }[];
}

/** @param request what the list is asked for */
export function useExplanation(model: ModelRef, request: URLSearchParams): UseQueryResult<Explanation> {
  const asked = new URLSearchParams(request);
  asked.set('explain', 'true');
  const url = `${getPath(model)}?${asked.toString()}`;
  return useQuery({
    queryKey: ['explanation', url],
    queryFn: async ({ signal }) => (await getJson(url, signal)) as Explanation,
  });
}
