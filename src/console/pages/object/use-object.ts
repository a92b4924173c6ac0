import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import { NotServed } from '../../api/errors.js';
import { getJson } from '../../api/http.js';
import { objectPath, getPath, type ModelRef } from '../../api/models.js';
import { fieldIs } from '../../api/selectors.js';
import type { StoredObject } from '../../api/objects.js';
import { useChanges } from '../../api/watch.js';
import { coalesce } from '../../lib/coalesce.js';

const PAUSE_MS = 300;
const AGAIN_MS = 2_000;

/** An object, kept up to date. */
export function useObject(model: ModelRef, name: string): UseQueryResult<StoredObject> {
  const client = useQueryClient();
  const path = objectPath(model, name);
  const found = useQuery({
    queryKey: ['object', path],
    queryFn: async ({ signal }) => (await getJson(path, signal)) as StoredObject,
    // A plugin that starts again changes none of its objects, so no watch reports it.
    refetchInterval: ({ state }) => (state.error instanceof NotServed ? AGAIN_MS : false),
  });
  const readAgain = useMemo(
    () =>
      coalesce(
        () =>
          Promise.all([
            client.invalidateQueries({ queryKey: ['object', path] }),
            client.invalidateQueries({ queryKey: ['history', path] }),
          ]),
        PAUSE_MS,
      ),
    [client, path],
  );
  // Watches the list for the one name, so that a new object of the same name is reported.
  const parameters = useMemo(
    () => new URLSearchParams({ fieldSelector: fieldIs('metadata.name', name) }),
    [name],
  );
  useChanges({ path: getPath(model), parameters, revision: found.data?.metadata.resourceVersion }, readAgain);
  return found;
}
