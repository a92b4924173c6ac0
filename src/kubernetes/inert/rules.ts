import { VALIDATING_POLICY, VALIDATING_POLICY_BINDING } from '../admission/policies/policy-rules.js';
import { WEBHOOK_CONFIGURATION } from '../admission/webhook-rules.js';
import type { KindRules } from '../kinds/kind-check.js';
import { CLUSTER_ROLE, CLUSTER_ROLE_BINDING, ROLE, ROLE_BINDING } from './rbac-rules.js';

/** A phase of new objects, which no process changes. */
function bornAs(status: object): KindRules {
  return {
    prepare: (object, stored) => {
      if (stored === undefined) object.status = { ...status };
    },
  };
}

/** The rules of the kinds that `--kubernetes full` adds, by kind. A kind without an entry has only its message. */
export const FULL_RULES: Readonly<Record<string, KindRules>> = {
  ClusterRole: CLUSTER_ROLE,
  ClusterRoleBinding: CLUSTER_ROLE_BINDING,
  MutatingWebhookConfiguration: WEBHOOK_CONFIGURATION,
  PersistentVolume: bornAs({ phase: 'Pending' }),
  PersistentVolumeClaim: bornAs({ phase: 'Pending' }),
  Pod: bornAs({ phase: 'Pending' }),
  Role: ROLE,
  RoleBinding: ROLE_BINDING,
  Service: { names: 'label', ...bornAs({ loadBalancer: {} }) },
  ValidatingAdmissionPolicy: VALIDATING_POLICY,
  ValidatingAdmissionPolicyBinding: VALIDATING_POLICY_BINDING,
  ValidatingWebhookConfiguration: WEBHOOK_CONFIGURATION,
};
