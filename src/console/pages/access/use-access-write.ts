import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';

/** Something that is written; what the page shows is read anew after it. */
export function useAccessWrite<T>(
  write: () => Promise<T>,
  onDone: (result: T) => void,
): UseMutationResult<T> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: write,
    onSuccess: async (result) => {
      onDone(result);
      await client.invalidateQueries({ queryKey: ['access'] });
    },
  });
}
