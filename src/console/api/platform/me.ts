import { useQuery } from '@tanstack/react-query';
import { objectAt, textAt } from '../../lib/json.js';
import { postJson } from '../http.js';

const URL = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const ANONYMOUS = 'system:anonymous';

/** The name of the current user; undefined while it is unknown, and without authentication. */
export function useMe(): string | undefined {
  const { data } = useQuery({
    queryKey: ['me'],
    queryFn: async ({ signal }) => {
      const review = await postJson(URL, {}, signal);
      return textAt(objectAt(objectAt(review, 'status'), 'userInfo'), 'username') ?? ANONYMOUS;
    },
    staleTime: Infinity,
  });
  return data === ANONYMOUS ? undefined : data;
}
