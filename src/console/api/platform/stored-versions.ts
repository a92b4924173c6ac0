import { useQuery } from '@tanstack/react-query';
import { arrayAt } from '../../lib/json.js';
import { getJson } from '../http.js';
import { qualifiedPlural, type Model } from '../models.js';
import { useMay } from './rights.js';

/** The number of objects in a version. */
interface StoredVersion {
  readonly version: string;
  readonly objects: number;
}

const AGAIN_MS = 15_000;
/** The service may have to check all objects: pauses limit this to a twentieth of its time. */
const PAUSES = 20;

/** Only versions with stored objects; undefined while they are unknown. */
export function useStoredVersions(model: Model): readonly StoredVersion[] | undefined {
  const mayList = useMay('list', model);
  const search = new URLSearchParams({ resource: qualifiedPlural(model) });
  const url = `/apis/api.platform.run/v1alpha1/storedversions?${search.toString()}`;
  const { data } = useQuery({
    queryKey: ['stored-versions', url],
    queryFn: async ({ signal }) => {
      const from = performance.now();
      const items = arrayAt(await getJson(url, signal), 'items') as readonly StoredVersion[];
      return { items, tookMs: performance.now() - from };
    },
    enabled: mayList,
    refetchInterval: ({ state }) => Math.max(AGAIN_MS, PAUSES * (state.data?.tookMs ?? 0)),
  });
  return data?.items;
}
