import { isRecord } from '../../lib/json/json.js';
import { isEmptySelector, matchesLabels } from '../../model/label-selector.js';
import type { ExtensionObject } from '../../model/object.js';
import { accountUser } from './account-user.js';
import { CLUSTER_ROLES, NAMESPACE_ROLES, RBAC_GROUP } from './models.js';

/** True for a role or a binding of Kubernetes. */
export function isRbac({ apiVersion }: Pick<ExtensionObject, 'apiVersion'>): boolean {
  return apiVersion.startsWith(`${RBAC_GROUP}/`);
}

/**
 * Identifies a role or a binding among all of its sort: the name of one of the platform, and for one of Kubernetes the
 * kind, the namespace and the name.
 */
export function grantKey(object: ExtensionObject): string {
  const { kind, metadata } = object;
  return isRbac(object) ? rbacKey(kind, metadata.namespace ?? '', metadata.name) : metadata.name;
}

/** Names of the platform have no slash. */
function rbacKey(kind: string, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`;
}

/** True for the key of a role or a binding of Kubernetes. */
export function isRbacKey(key: string): boolean {
  return key.includes('/');
}

/** The role that a binding refers to. */
export interface RoleRef {
  readonly plural: string;
  readonly key: string;
  readonly name: string;
}

/** The role of a binding of Kubernetes. A binding in a namespace may give a role of the cluster there. */
export function roleRefOf({ roleRef, metadata }: ExtensionObject): RoleRef {
  const { kind, name } = isRecord(roleRef) ? roleRef : {};
  const known = kind === CLUSTER_ROLES.kind ? CLUSTER_ROLES : NAMESPACE_ROLES;
  const namespace = known === CLUSTER_ROLES ? '' : (metadata.namespace ?? '');
  return { plural: known.plural, key: rbacKey(known.kind, namespace, String(name)), name: String(name) };
}

/** The user or group that a subject of Kubernetes stands for; undefined for another kind. */
export function subjectOf(
  subject: unknown,
  bindingNamespace: string | undefined,
): { readonly kind: 'User' | 'Group'; readonly name: string } | undefined {
  if (!isRecord(subject) || typeof subject.name !== 'string') return undefined;
  const { kind, name } = subject;
  if (kind === 'User' || kind === 'Group') return { kind, name };
  const namespace = subject.namespace ?? bindingNamespace;
  if (kind !== 'ServiceAccount' || typeof namespace !== 'string') return undefined;
  return { kind: 'User', name: accountUser(namespace, name) };
}

/** The selectors of a role that combines others; undefined for a role with its own rules. */
export function aggregationOf({ aggregationRule }: ExtensionObject): readonly unknown[] | undefined {
  if (!isRecord(aggregationRule)) return undefined;
  const { clusterRoleSelectors } = aggregationRule;
  const selectors: readonly unknown[] = Array.isArray(clusterRoleSelectors) ? clusterRoleSelectors : [];
  return selectors;
}

/** The keys of the roles that a combining role has the rules of. */
export function aggregated(
  role: ExtensionObject,
  roles: ReadonlyMap<string, ExtensionObject>,
): readonly string[] {
  const selectors = aggregationOf(role) ?? [];
  return [...roles]
    .filter(([, other]) => isRbac(other) && other.kind === CLUSTER_ROLES.kind && other !== role)
    .filter(([, { metadata }]) => selectors.some((selector) => isMatch(selector, metadata.labels ?? {})))
    .map(([key]) => key);
}

/** An empty selector selects nothing here, so that nobody combines all roles by mistake. */
function isMatch(selector: unknown, labels: Readonly<Record<string, string>>): boolean {
  return !isEmptySelector(selector) && matchesLabels(selector, labels);
}
