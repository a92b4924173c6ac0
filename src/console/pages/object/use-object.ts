import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { NotServed } from '../../api/errors.js';
import { getJson } from '../../api/http.js';
import { objectPath, getPath, type ModelRef } from '../../api/models.js';
import { fieldIs } from '../../api/selectors.js';
import type { StoredObject } from '../../api/objects.js';
import { useFollowed } from '../../api/watch.js';

const AGAIN_MS = 2_000;

/** An object, kept up to date. */
export function useObject(model: ModelRef, name: string): UseQueryResult<StoredObject> {
  const path = objectPath(model, name);
  const found = useQuery({
    queryKey: ['object', path],
    queryFn: async ({ signal }) => (await getJson(path, signal)) as StoredObject,
    // A plugin that starts again changes none of its objects, so no watch reports it.
    refetchInterval: ({ state }) => (state.error instanceof NotServed ? AGAIN_MS : false),
  });
  // Watches the list for the one name, so that a new object of the same name is reported.
  const parameters = new URLSearchParams({ fieldSelector: fieldIs('metadata.name', name) });
  const revision = found.data?.metadata.resourceVersion;
  useFollowed({ path: getPath(model), parameters, revision }, [
    ['object', path],
    ['history', path],
  ]);
  return found;
}
