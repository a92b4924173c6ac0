import type { Models } from '../../service/models.js';
import type { ResourceRef } from '../../service/verbs.js';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';

function rbacModel(kind: string, plural: string): ResourceRef {
  return { group: RBAC_GROUP, version: 'v1', kind, plural };
}

export const CLUSTER_ROLES = rbacModel('ClusterRole', 'clusterroles');
export const CLUSTER_ROLE_BINDINGS = rbacModel('ClusterRoleBinding', 'clusterrolebindings');
export const NAMESPACE_ROLES = rbacModel('Role', 'roles');
export const NAMESPACE_ROLE_BINDINGS = rbacModel('RoleBinding', 'rolebindings');
export const SERVICE_ACCOUNTS: ResourceRef = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
};

/** Those models that are served: the kinds of Kubernetes may be switched off. */
export function servedOf(models: Pick<Models, 'find'>, all: readonly ResourceRef[]): readonly ResourceRef[] {
  return all.filter(({ group, version, plural }) => models.find(group, version, plural) !== undefined);
}
