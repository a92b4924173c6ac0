import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

interface Stoppable<T> {
  readonly start: () => void;
  readonly stop: () => void;
  readonly isRunning: boolean;
  /** Of the last work; undefined when it was stopped. */
  readonly result: T | undefined;
  /** Null without one. */
  readonly error: Error | null;
}

/** Work that the user can stop; it also ends with its part of the page. */
export function useStoppable<T>(work: (signal: AbortSignal) => Promise<T>): Stoppable<T> {
  const stopper = useRef<AbortController>(undefined);
  const stop = (): void => stopper.current?.abort();
  useEffect(() => stop, []);
  const { mutate, isPending, data, error } = useMutation({
    mutationFn: async () => {
      const { signal } = (stopper.current = new AbortController());
      try {
        return await work(signal);
      } catch (failure) {
        // A user who stopped it needs no error.
        if (signal.aborted) return undefined;
        throw failure;
      }
    },
  });
  return { start: () => mutate(), stop, isRunning: isPending, result: data, error };
}
