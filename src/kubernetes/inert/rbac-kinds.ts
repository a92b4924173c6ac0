import { modelHint } from '../../model/schema/hints.js';
import { date, stored, text, type CoreKind } from '../kind.js';

const BINDING_COLUMNS = [text('Role', '.roleRef.name'), text('Subjects', '.subjects[*].name', 1)];

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
    columns: [date('Created At', '.metadata.creationTimestamp')],
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
    columns: [date('Created At', '.metadata.creationTimestamp')],
  }),
  rbac({
    kind: 'RoleBinding',
    hint: modelHint('link', 'Rollenbindungen eines Namensraums', 'Rollenbindung eines Namensraums'),
    plural: 'rolebindings',
    scope: 'Namespaced',
    columns: BINDING_COLUMNS,
  }),
];
