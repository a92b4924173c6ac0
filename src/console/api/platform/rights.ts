import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { arrayAt, objectAt, textsAt } from '../../lib/json.js';
import { postJson } from '../http.js';
import type { ModelRef } from '../models.js';

/** Allows actions that match all its members. */
export interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  /** `persons`, `persons/status`. */
  readonly resources: readonly string[];
  /** Only these objects; empty for all. */
  readonly resourceNames: readonly string[];
  /** `/metrics`; `*` is allowed at the end. */
  readonly nonResourceURLs: readonly string[];
}

export const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'] as const;
export type Verb = (typeof VERBS)[number];

/** An action on the objects of a model. */
export interface Action {
  readonly verb: string;
  readonly group: string;
  /** Plural, with an optional sub-resource: `persons/history`. */
  readonly resource: string;
  /** Undefined for actions without an object's name: list and create. */
  readonly name?: string | undefined;
}

const ALL = '*';

export function allows(rule: Rule, { verb, group, resource, name }: Action): boolean {
  const { verbs, apiGroups, resources, resourceNames } = rule;
  if (!has(verbs, verb) || !has(apiGroups, group) || !has(resources, resource)) return false;
  return resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name));
}

export function allowsPath({ verbs, nonResourceURLs }: Rule, verb: string, path: string): boolean {
  const covers = (url: string): boolean =>
    url.endsWith(ALL) ? path.startsWith(url.slice(0, -1)) : path === url;
  return has(verbs, verb) && nonResourceURLs.some(covers);
}

function has(allowed: readonly string[], wanted: string): boolean {
  return allowed.includes(ALL) || allowed.includes(wanted);
}

export function getRule(value: unknown): Rule {
  return {
    verbs: textsAt(value, 'verbs'),
    apiGroups: textsAt(value, 'apiGroups'),
    resources: textsAt(value, 'resources'),
    resourceNames: textsAt(value, 'resourceNames'),
    nonResourceURLs: textsAt(value, 'nonResourceURLs'),
  };
}

const RULES_URL = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';
/** Rights rarely change; after a refusal they are read immediately. */
const AGAIN_MS = 30_000;
export const RIGHTS_KEY = ['rights'] as const;

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
