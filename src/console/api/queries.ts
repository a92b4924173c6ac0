import { MutationCache, QueryClient } from '@tanstack/react-query';
import { connection } from './connection.js';
import { ApiError } from './errors.js';

const AGAIN_MS = 1_000;
const TRIES = 60;

/** What was read of the service, shared by all of the page. */
export const queries = new QueryClient({
  mutationCache: new MutationCache({
    onError: (error) => {
      // What was offered is not allowed any more.
      if (error instanceof ApiError && error.code === 403)
        void queries.invalidateQueries({ queryKey: ['rights'] });
    },
  }),
  defaultOptions: {
    queries: {
      // The service may be on this machine, which needs no network.
      networkMode: 'always',
      staleTime: 1_000,
      // It says so itself where something will be there in a moment, such as a model whose indexes are being built.
      retry: (count, error) => error instanceof ApiError && error.code === 503 && count < TRIES,
      retryDelay: (_tries, error) => (error instanceof ApiError ? error.retryAfterMs : undefined) ?? AGAIN_MS,
    },
    mutations: { networkMode: 'always' },
  },
});

// What changed while there was no connection was told to nobody.
connection.subscribe(() => {
  if (connection.get() === 'online') void queries.invalidateQueries();
});
