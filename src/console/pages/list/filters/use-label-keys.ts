import { useQuery } from '@tanstack/react-query';
import { getPath, type ModelRef } from '../../../api/models.js';
import { readTable } from '../../../api/tables.js';

/** The number of objects that are searched for keys of labels. */
const SAMPLE = '200';
const KEYS_STALE_MS = 60_000;
const NO_KEYS: readonly string[] = [];

/** The label keys of the newest objects, the most frequent first. */
export function useLabelKeys(model: ModelRef): readonly string[] {
  const path = getPath(model);
  const { data } = useQuery({
    queryKey: ['label keys', path],
    queryFn: async ({ signal }) => {
      const request = new URLSearchParams({ limit: SAMPLE, sort: 'metadata.creationTimestamp,desc' });
      const { rows } = await readTable(path, request, signal);
      const counts = new Map<string, number>();
      for (const { object } of rows)
        for (const key of Object.keys(object.metadata.labels ?? {}))
          counts.set(key, (counts.get(key) ?? 0) + 1);
      return [...counts].sort(([, a], [, b]) => b - a).map(([key]) => key);
    },
    staleTime: KEYS_STALE_MS,
  });
  return data ?? NO_KEYS;
}
