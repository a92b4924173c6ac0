import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { getJson } from '../../../api/http.js';
import { getPath, type ModelRef } from '../../../api/models.js';

export type Method = 'walk' | 'ranks' | 'sort' | 'relevance';
export type Source = 'memory' | 'index' | 'records';

/** The service's plan for a list. */
export interface Explanation {
  readonly condition: string;
  readonly method: Method;
  /** Null when the matches are sorted. */
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
    /** In index entries; null when it was not possible. */
    readonly cost: number | null;
    readonly reason: string;
  }[];
}

/** @param request the parameters of the list */
export function useExplanation(model: ModelRef, request: URLSearchParams): UseQueryResult<Explanation> {
  const asked = new URLSearchParams(request);
  asked.set('explain', 'true');
  const url = `${getPath(model)}?${asked.toString()}`;
  return useQuery({
    queryKey: ['explanation', url],
    queryFn: async ({ signal }) => (await getJson(url, signal)) as Explanation,
  });
}
