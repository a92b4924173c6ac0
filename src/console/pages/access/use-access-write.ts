import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';

/** A write of access objects; the displayed ones are read again after it. */
export function useAccessWrite<T>(
  write: () => Promise<T>,
  onDone: (result: T) => void,
): UseMutationResult<T> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: write,
    onSuccess: onDone,
    // A refusal may mean that they were changed.
    onSettled: () => client.invalidateQueries({ queryKey: ['access'] }),
  });
}
