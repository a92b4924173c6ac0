import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import type { ModelRef } from '../models.js';
import { patchObject } from '../objects.js';

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
    mutationFn: (enabled: boolean) => patchObject(model, name, { spec: { enabled } }),
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
}
