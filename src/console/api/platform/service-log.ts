import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { arrayAt, textAt } from '../../lib/json.js';
import { getJson } from '../http.js';

/** A warning, an error, or a slow or failed request of the service. */
export interface ServiceEntry {
  /** RFC 3339. */
  readonly time: string;
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
}

interface ServiceLog {
  /** All entries since this time are kept, RFC 3339. */
  readonly keptSince: string;
  /** Oldest first. */
  readonly entries: readonly ServiceEntry[];
}

const AGAIN_MS = 3_000;

/** The log of the service between two times, or all of it. */
export function useServiceLog(from: string | undefined, to: string | undefined): UseQueryResult<ServiceLog> {
  const query = new URLSearchParams({ ...(from && { from }), ...(to && { to }) }).toString();
  return useQuery({
    queryKey: ['service log', query],
    queryFn: async ({ signal }): Promise<ServiceLog> => {
      const answer = await getJson(`/metrics/log${query === '' ? '' : `?${query}`}`, signal);
      return {
        keptSince: textAt(answer, 'keptSince') ?? '',
        entries: arrayAt(answer, 'entries') as readonly ServiceEntry[],
      };
    },
    refetchInterval: AGAIN_MS,
  });
}
