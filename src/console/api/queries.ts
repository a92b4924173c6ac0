import { MutationCache, QueryClient } from '@tanstack/react-query';
import { connection } from './connection.js';
import { ApiError } from './errors.js';

const AGAIN_MS = 1_000;
const TRIES = 60;

/** The data from the service, shared by the whole page. */
export const queries = new QueryClient({
  mutationCache: new MutationCache({
    onError: (error) => {
      // An offered action is no longer allowed.
      if (error instanceof ApiError && error.code === 403)
        void queries.invalidateQueries({ queryKey: ['rights'] });
    },
  }),
  defaultOptions: {
    queries: {
      // The service may be on this machine, which needs no network.
      networkMode: 'always',
      staleTime: 1_000,
      // The service answers 503 for temporary states, such as a model whose indexes are being built.
      retry: (count, error) => error instanceof ApiError && error.code === 503 && count < TRIES,
      retryDelay: (_tries, error) => (error instanceof ApiError ? error.retryAfterMs : undefined) ?? AGAIN_MS,
    },
    mutations: { networkMode: 'always' },
  },
});

// Changes while the connection was lost were not received.
connection.subscribe(() => {
  if (connection.get() === 'online') void queries.invalidateQueries();
});
