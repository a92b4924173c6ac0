import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { send } from '../http.js';
import { objectPath, type ModelRef } from '../models.js';

/**
 * Sets `spec.enabled` of an object.
 * @param queryKey of the queries that are read again
 */
export function useEnable(
  model: ModelRef,
  name: string,
  queryKey: readonly string[],
): UseMutationResult<Response, Error, boolean> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (enabled: boolean) =>
      send(objectPath(model, name), {
        method: 'PATCH',
        body: { spec: { enabled } },
        headers: { 'Content-Type': 'application/merge-patch+json' },
      }),
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
}
