import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { objectAt, textAt } from '../../lib/json.js';
import { readJson, send } from '../http.js';

const WHO_URL = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

/** The name of the current user; `system:anonymous` on a service that asks nobody for a token. */
export function useWho(): UseQueryResult<string> {
  return useQuery({
    queryKey: ['who'],
    queryFn: async ({ signal }) => {
      const review = await readJson(await send(WHO_URL, { method: 'POST', body: {}, signal }));
      return textAt(objectAt(objectAt(review, 'status'), 'userInfo'), 'username') ?? '';
    },
    staleTime: Infinity,
  });
}
