import { modelHint } from '../../model/schema/hints.js';
import type { Column } from '../../model/resource.js';
import { CREATED_AT, pathText, stored, text, type CoreKind } from '../kind.js';

const subjects = (name: string, kind: string): Column => ({
  ...text(name, `.subjects[?(@.kind=="${kind}")].name`, 1),
  cell: 'list',
});
const BINDING_COLUMNS = [
  pathText('Role', ".roleRef['kind','name']"),
  subjects('Users', 'User'),
  subjects('Groups', 'Group'),
  subjects('ServiceAccounts', 'ServiceAccount'),
];

function rbac(given: Pick<CoreKind, 'kind' | 'plural' | 'scope'> & Partial<CoreKind>): CoreKind {
  const group = 'rbac.authorization.k8s.io';
  return stored({ group, message: `api.rbac.v1.${given.kind}`, full: 'active', lacksStatus: true, ...given });
}

/** The roles and bindings of Kubernetes. They give rights. */
export const RBAC_KINDS: readonly CoreKind[] = [
  rbac({
    kind: 'ClusterRole',
    hint: modelHint('key', 'Rollen für alle Namensräume', 'Rolle für alle Namensräume'),
    plural: 'clusterroles',
    scope: 'Cluster',
    columns: CREATED_AT,
  }),
  rbac({
    kind: 'ClusterRoleBinding',
    hint: modelHint('link', 'Rollenbindungen für alle Namensräume', 'Rollenbindung für alle Namensräume'),
    plural: 'clusterrolebindings',
    scope: 'Cluster',
    columns: BINDING_COLUMNS,
  }),
  rbac({
    kind: 'Role',
    hint: modelHint('key', 'Rollen eines Namensraums', 'Rolle eines Namensraums'),
    plural: 'roles',
    scope: 'Namespaced',
    columns: CREATED_AT,
  }),
  rbac({
    kind: 'RoleBinding',
    hint: modelHint('link', 'Rollenbindungen eines Namensraums', 'Rollenbindung eines Namensraums'),
    plural: 'rolebindings',
    scope: 'Namespaced',
    columns: BINDING_COLUMNS,
  }),
];
