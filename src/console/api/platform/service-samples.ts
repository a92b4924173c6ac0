import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { readSamples, type Samples } from './metrics.js';
import { useMayReadPath } from './rights.js';

const AGAIN_MS = 3_000;
const NAMES = /^xsvc_(objects|store_|log_|watchers)/;

/** The metrics of the service and its store; undefined when they are not allowed. */
export function useServiceSamples(everyMs = AGAIN_MS): UseQueryResult<Samples> {
  const enabled = useMayReadPath()('/metrics');
  return useQuery({
    enabled,
    queryKey: ['metrics'],
    queryFn: ({ signal }) => readSamples(NAMES, signal),
    refetchInterval: everyMs,
  });
}
