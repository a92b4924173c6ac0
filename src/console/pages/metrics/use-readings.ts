import { useQuery } from '@tanstack/react-query';
import { readSamples } from '../../api/platform/metrics.js';
import { Store, useStore } from '../../lib/store.js';
import { READ, getReading, type Reading } from './reading.js';

const AGAIN_MS = 2_000;
/** One hour. */
const KEPT = 1_800;

/** Kept while other pages are open; nothing is read meanwhile. */
const readings = new Store<readonly Reading[]>([]);

/** The metrics of the service while the page is open. */
export function useReadings() {
  const { error } = useQuery({
    queryKey: ['readings'],
    queryFn: async ({ signal }) => {
      const reading = getReading(await readSamples(READ, signal), Date.now());
      readings.set([...readings.get(), reading].slice(-KEPT));
      return reading.timeMs;
    },
    refetchInterval: AGAIN_MS,
  });
  return { readings: useStore(readings), error };
}
