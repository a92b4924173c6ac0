import { formatExcerpt, ServiceError } from '../errors.js';
import { isRecord } from '../lib/json/json.js';
import { namePartsOf } from '../model/full-name.js';
import { GENERATED_SUBRESOURCES } from '../model/subresource.js';
import type { BatchItem, MayList, ResourceRef, UndoneItem } from '../service/verbs.js';

/** An action on an object or a model. */
export interface ResourceAction {
  readonly verb: string;
  readonly group: string;
  /** Rules do not depend on it. */
  readonly version?: string;
  /** Undefined for cluster-scoped objects, and for collections of all namespaces. */
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
  /** True when errors must not name the object. */
  readonly isSecret?: true;
}

/** An action on an object or a model, or on a path that is neither. */
export type Action = ResourceAction | { readonly verb: string; readonly path: string };

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
  /** Only actions in this namespace; roles do not state it, a binding decides it. Absent: everywhere. */
  readonly namespace?: string;
}

/** Dotted paths of fields. */
export interface RuleFields {
  /** Absent: all may be read. */
  readonly read?: readonly string[];
  /** Absent: all may be written. */
  readonly write?: readonly string[];
}

export const ALL_RULES: readonly AccessRule[] = [
  { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
  { nonResourceURLs: ['*'], verbs: ['*'] },
];

/** True for a rule that is only about some objects, or some fields of objects. */
export function isLimited({ filter, fields }: AccessRule): boolean {
  return filter !== undefined || fields !== undefined;
}

/** True for a rule that is not about all objects, whatever their names are. */
export function isPartial(rule: AccessRule): boolean {
  return isLimited(rule) || rule.namespace !== undefined;
}

export function rulesIn(rules: readonly AccessRule[], namespace: string | undefined): readonly AccessRule[] {
  return rules.filter((rule) => rule.namespace === undefined || rule.namespace === namespace);
}

const ALL = '*';

export function isAllowed(rules: readonly AccessRule[], action: Action): boolean {
  return rules.some((rule) => allows(rule, action));
}

/** True when a rule allows an action, or a part of it if the action is limitable. */
export function allows(rule: AccessRule, action: Action): boolean {
  if (!includes(rule.verbs, action.verb)) return false;
  if ('path' in action)
    return !isLimited(rule) && (rule.nonResourceURLs ?? []).some((url) => covers(url, action.path));
  if (isLimited(rule) && action.isLimitable !== true) return false;
  if (rule.namespace !== undefined && rule.namespace !== namespaceOf(action)) return false;
  const { group, resource, subresource, name } = action;
  const whole = subresource === undefined ? resource : `${resource}/${subresource}`;
  const isNamed = includes(rule.resources, whole) || rule.resources?.includes(`${ALL}/${subresource ?? ''}`);
  if (!includes(rule.apiGroups, group) || isNamed !== true) return false;
  const { resourceNames = [] } = rule;
  return resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name));
}

/** A namespace is in itself, as in Kubernetes: a role in it can allow to read it. */
function namespaceOf({ group, resource, namespace, name }: ResourceAction) {
  return namespace ?? (group === '' && resource === 'namespaces' ? name : undefined);
}

/** True when the rules allow the action, in some namespace at least. */
export function isAllowedSomewhere(rules: readonly AccessRule[], action: Action): boolean {
  return rules.some(({ namespace: _, ...rule }) => allows(rule, action));
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
  const { verb, group, resource, subresource } = action;
  const { name, namespace } = action.isSecret === true ? {} : action;
  const whole = subresource === undefined ? resource : `${resource}/${subresource}`;
  const whose = name === undefined ? '' : ` "${formatExcerpt(name)}"`;
  const where = namespace === undefined ? '' : ` in namespace "${formatExcerpt(namespace)}"`;
  return `${verb} ${formatExcerpt(whole)}${whose} in group "${formatExcerpt(group)}"${where}`;
}

/** The error for an action that no rule allows. @param who `user "ada"` */
export function refuseAction(who: string, action: Action, help = ''): ServiceError {
  const details =
    'path' in action
      ? {}
      : {
          group: action.group,
          ...(action.name !== undefined && action.isSecret !== true && { name: action.name }),
        };
  return new ServiceError('Forbidden', `${who} may not ${describeAction(action)}${help}`, details);
}

/**
 * The action of a verb on the objects of a model, or on one of them.
 * @param name the full name
 */
export function actionOn(
  verb: string,
  model: Pick<ResourceRef, 'group' | 'plural' | 'scope'>,
  name?: string,
): ResourceAction {
  const { group, plural: resource } = model;
  return { verb, group, resource, ...(name !== undefined && namePartsOf(name, model)) };
}

/** The action of creating an object; its namespace is stated in it. */
export function creationOf(
  model: Pick<ResourceRef, 'group' | 'version' | 'plural' | 'scope'>,
  object: unknown,
): Action {
  const metadata = isRecord(object) ? object.metadata : undefined;
  const namespace = isRecord(metadata) ? metadata.namespace : undefined;
  const action = placedAction('create', model);
  return typeof namespace === 'string' ? { ...action, namespace } : action;
}

/** {@link actionOn} with the version, for records. */
export function placedAction(
  verb: string,
  model: Pick<ResourceRef, 'group' | 'version' | 'plural' | 'scope'>,
  name?: string,
): ResourceAction {
  return { ...actionOn(verb, model, name), version: model.version };
}

/**
 * The action of one write of an undo.
 * @param mayName whether the sender may know the names of objects of a model
 */
export function actionOfUndone({ verb, resource, name }: UndoneItem, mayName: MayList): Action {
  const action = {
    ...placedAction(verb, resource, name),
    ...(!mayName(resource) && { isSecret: true as const }),
  };
  if (verb !== 'create') return action;
  const { name: _, ...creation } = action;
  return creation;
}

export function actionOfItem(item: BatchItem): Action {
  if (item.verb === 'create') return creationOf(item.resource, item.object);
  return placedAction(item.verb, item.resource, item.name);
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
