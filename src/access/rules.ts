import { formatExcerpt, ServiceError } from '../errors.js';
import { namePartsOf, splitFullName } from '../model/full-name.js';
import { GENERATED_SUBRESOURCES } from '../model/subresource.js';
import type { BatchItem, ResourceRef, UndoneItem } from '../service/verbs.js';

/** An action on an object or a model, or on a path that is neither. */
export type Action =
  | {
      readonly verb: string;
      readonly group: string;
      /** Rules do not depend on it, nor on the namespace. */
      readonly version?: string;
      readonly namespace?: string;
      /** Plural. */
      readonly resource: string;
      /** The part below an object: `status`, or a segment of a plugin's endpoint. */
      readonly subresource?: string;
      /** Undefined for a collection. */
      readonly name?: string;
      /**
       * True when the answer keeps to the filters and the fields of rules. Default: it does not, so rules with either do not allow
       * the action.
       */
      readonly isLimitable?: true;
    }
  | { readonly verb: string; readonly path: string };

/**
 * Allows actions that match all its members. It covers resources (`apiGroups` and `resources`), other paths (`nonResourceURLs`), or
 * both.
 */
export interface AccessRule {
  readonly apiGroups?: readonly string[];
  /** `persons`, `persons/status`; `*` means all. */
  readonly resources?: readonly string[];
  /** Only these objects; all when absent or empty. A collection has no name, so it does not match a list of names. */
  readonly resourceNames?: readonly string[];
  /** `/metrics`; `*` is allowed at the end. */
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
  /** Only objects that meet this CEL expression over indexes, `user` and `groups`. Absent: all. */
  readonly filter?: string;
  readonly fields?: RuleFields;
}

/** Dotted paths of fields. */
export interface RuleFields {
  /** Absent: all may be read. */
  readonly read?: readonly string[];
  /** Absent: all may be written. */
  readonly write?: readonly string[];
}

/** All rights. */
export const ALL_RULES: readonly AccessRule[] = [
  { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
  { nonResourceURLs: ['*'], verbs: ['*'] },
];

/** True for a rule that is only about some objects, or some fields of objects. */
export function isLimited({ filter, fields }: AccessRule): boolean {
  return filter !== undefined || fields !== undefined;
}

const ALL = '*';

/** True when one of the rules allows the action. */
export function isAllowed(rules: readonly AccessRule[], action: Action): boolean {
  return rules.some((rule) => allows(rule, action));
}

/** True when a rule allows an action, or a part of it if the action is limitable. */
export function allows(rule: AccessRule, action: Action): boolean {
  if (!includes(rule.verbs, action.verb)) return false;
  if ('path' in action)
    return !isLimited(rule) && (rule.nonResourceURLs ?? []).some((url) => covers(url, action.path));
  if (isLimited(rule) && action.isLimitable !== true) return false;
  const { group, resource, subresource, name } = action;
  const whole = subresource === undefined ? resource : `${resource}/${subresource}`;
  if (!includes(rule.apiGroups, group) || !includes(rule.resources, whole)) return false;
  const { resourceNames = [] } = rule;
  return resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name));
}

function includes(allowed: readonly string[] = [], wanted: string): boolean {
  return allowed.includes(ALL) || allowed.includes(wanted);
}

function covers(url: string, path: string): boolean {
  return url.endsWith(ALL) ? path.startsWith(url.slice(0, -1)) : path === url;
}

/** The action in words: `get persons/status "ada" in group "demo.example.com"`. */
export function describeAction(action: Action): string {
  if ('path' in action) return `${action.verb} the path ${formatExcerpt(action.path)}`;
  const { verb, group, resource, subresource, name } = action;
  const whole = subresource === undefined ? resource : `${resource}/${subresource}`;
  const whose = name === undefined ? '' : ` "${formatExcerpt(name)}"`;
  return `${verb} ${formatExcerpt(whole)}${whose} in group "${formatExcerpt(group)}"`;
}

/** The error for an action that no rule allows. @param who `user "ada"` */
export function refuseAction(who: string, action: Action, help = ''): ServiceError {
  const details =
    'path' in action ? {} : { group: action.group, ...(action.name !== undefined && { name: action.name }) };
  return new ServiceError('Forbidden', `${who} may not ${describeAction(action)}${help}`, details);
}

/**
 * The action of a verb on the objects of a model, or on one of them.
 * @param name the full name; rules judge the name alone
 */
export function actionOn(
  verb: string,
  { group, plural }: Pick<ResourceRef, 'group' | 'plural'>,
  name?: string,
): Action {
  return { verb, group, resource: plural, ...(name !== undefined && { name: splitFullName(name).name }) };
}

/** {@link actionOn} with the version and the namespace, for records. */
export function placedAction(
  verb: string,
  model: Pick<ResourceRef, 'group' | 'version' | 'plural'>,
  name?: string,
): Action {
  const action = { ...actionOn(verb, model, name), version: model.version };
  return name === undefined ? action : { ...action, ...namePartsOf(name) };
}

/** The action of one write of an undo. */
export function actionOfUndone({ verb, resource, name }: UndoneItem): Action {
  return placedAction(verb, resource, verb === 'create' ? undefined : name);
}

/** The action of an item of a batch. */
export function actionOfItem(item: BatchItem): Action {
  return placedAction(item.verb, item.resource, 'name' in item ? item.name : undefined);
}

/** Paths below objects whose answers keep to the limits of rules; the others are endpoints of plugins. */
const LIMITABLE: ReadonlySet<string> = new Set([...GENERATED_SUBRESOURCES, 'scale', 'finalize']);

/** The action of an answer that keeps to the filters and the fields of rules. */
export function limitable(action: Action): Action {
  if ('path' in action) return action;
  const { subresource } = action;
  return subresource === undefined || LIMITABLE.has(subresource) ? { ...action, isLimitable: true } : action;
}

/** True when all objects of a model may be listed. Otherwise answers about other objects do not name its objects. */
export function mayList(rules: readonly AccessRule[], model: Pick<ResourceRef, 'group' | 'plural'>): boolean {
  return isAllowed(rules, actionOn('list', model));
}
