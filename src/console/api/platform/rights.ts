import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { arrayAt, objectAt } from '../../lib/json.js';
import { postJson } from '../http.js';
import type { ModelRef } from '../models.js';
import { allows, allowsPath, getRule, type Rule, type Verb } from './rules.js';

const RULES_URL = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';
/** Rights rarely change; after a refusal they are read immediately. */
const AGAIN_MS = 30_000;
const RIGHTS_KEY = ['rights'] as const;

/** The rules of the current user, from the service. */
export function useRights(): UseQueryResult<readonly Rule[]> {
  return useQuery({
    queryKey: RIGHTS_KEY,
    queryFn: async ({ signal }) => {
      const review = await postJson(RULES_URL, {}, signal);
      const status = objectAt(review, 'status');
      return [...arrayAt(status, 'resourceRules'), ...arrayAt(status, 'nonResourceRules')].map(getRule);
    },
    staleTime: AGAIN_MS,
    refetchInterval: AGAIN_MS,
  });
}

/** Returns true when the current user may do an action. @param name of the object, for an action on one */
type MayDo = (verb: Verb, model: Pick<ModelRef, 'group' | 'plural'>, name?: string) => boolean;

/**
 * The rights of the current user, so that the page offers no action that would be refused. Every action counts as allowed while
 * they are unknown: the service refuses where necessary.
 */
export function useMayDo(): MayDo {
  const { data } = useRights();
  return (verb, { group, plural: resource }, name) =>
    data === undefined || data.some((rule) => allows(rule, { verb, group, resource, name }));
}

/** True when the current user may do one action, see {@link useMayDo}. */
export function useMay(...[verb, model, name]: Parameters<MayDo>): boolean {
  return useMayDo()(verb, model, name);
}

/** The same for reading paths without a model, such as `/metrics`. */
export function useMayReadPath(): (path: string) => boolean {
  const { data } = useRights();
  return (path) => data === undefined || data.some((rule) => allowsPath(rule, 'get', path));
}
