import { useQuery } from '@tanstack/react-query';
import { readRecentMetrics, type Reading } from '../../api/platform/recent-metrics.js';
import { Store, useStore } from '../../lib/store.js';

const AGAIN_MS = 2_000;
const HOUR_MS = 3_600_000;

/** Kept while other pages are open. */
const readings = new Store<readonly Reading[]>([]);

/** The metrics of the last hour: those that the service kept, and frequent ones while the page is open. */
export function useReadings() {
  const { error } = useQuery({
    queryKey: ['readings'],
    queryFn: async ({ signal }) => {
      const known = readings.get();
      const more = await readRecentMetrics(known.at(-1)?.time, signal);
      const last = more.at(-1)?.timeMs ?? 0;
      readings.set([...known, ...more].filter(({ timeMs }) => timeMs >= last - HOUR_MS));
      return last;
    },
    refetchInterval: AGAIN_MS,
  });
  return { readings: useStore(readings), error };
}
