import { objectAt, textAt, textsAt } from '../../lib/json.js';

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
  /** Its filter and its fields, as texts; empty for all objects and fields. */
  readonly limits: readonly string[];
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
    limits: getLimits(value),
  };
}

/** The filter and the fields of a rule. */
function getLimits(value: unknown): readonly string[] {
  const filter = textAt(value, 'filter');
  const fields = objectAt(value, 'fields');
  const ofFields = ['read', 'write'].filter((use) => use in fields);
  return [
    ...(filter === undefined ? [] : [filter]),
    ...ofFields.map((use) => `${use}: ${textsAt(fields, use).join(', ') || '–'}`),
  ];
}
