import type { KindRules } from '../kinds/kind-check.js';

/** A phase of new objects, which no process changes. */
function bornAs(status: object): KindRules {
  return {
    prepare: (object, stored) => {
      if (stored === undefined) object.status = { ...status };
    },
  };
}

/** Names of roles and bindings have colons. */
const SEGMENT: KindRules = { names: 'segment' };

/** The rules of the kinds that `--kubernetes full` adds, by kind. A kind without an entry has only its message. */
export const FULL_RULES: Readonly<Record<string, KindRules>> = {
  ClusterRole: SEGMENT,
  ClusterRoleBinding: SEGMENT,
  PersistentVolume: bornAs({ phase: 'Pending' }),
  PersistentVolumeClaim: bornAs({ phase: 'Pending' }),
  Pod: bornAs({ phase: 'Pending' }),
  Role: SEGMENT,
  RoleBinding: SEGMENT,
  Service: { names: 'label', ...bornAs({ loadBalancer: {} }) },
};
