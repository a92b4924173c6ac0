import { modelHint } from '../../model/schema/hints.js';
import { pathText, stored, text, total, type CoreKind } from '../kind.js';

export const ADMISSION_GROUP = 'admissionregistration.k8s.io';

function configuration(given: Pick<CoreKind, 'kind' | 'plural' | 'columns'> & Partial<CoreKind>): CoreKind {
  return stored({
    group: ADMISSION_GROUP,
    message: `api.admissionregistration.v1.${given.kind}`,
    scope: 'Cluster',
    full: 'active',
    categories: ['api-extensions'],
    ...given,
  });
}

const LACKS_STATUS = { lacksStatus: true } as const;
const WEBHOOKS = [total('Webhooks', '.webhooks[*]')];

/** Configurations of what is asked about writes, and policies about them. */
export const ADMISSION_KINDS: readonly CoreKind[] = [
  configuration({
    kind: 'MutatingWebhookConfiguration',
    ...LACKS_STATUS,
    hint: modelHint('plug', 'Ändernde Webhooks', 'Ändernder Webhook'),
    plural: 'mutatingwebhookconfigurations',
    columns: WEBHOOKS,
  }),
  configuration({
    kind: 'ValidatingAdmissionPolicy',
    hint: modelHint('filter', 'Prüfregeln', 'Prüfregel'),
    plural: 'validatingadmissionpolicies',
    columns: [
      total('Validations', '.spec.validations[*]'),
      pathText('ParamKind', ".spec.paramKind['apiVersion','kind']"),
    ],
  }),
  configuration({
    kind: 'ValidatingAdmissionPolicyBinding',
    ...LACKS_STATUS,
    hint: modelHint('link', 'Bindungen von Prüfregeln', 'Bindung einer Prüfregel'),
    plural: 'validatingadmissionpolicybindings',
    columns: [text('PolicyName', '.spec.policyName'), text('ParamRef', '.spec.paramRef.name')],
  }),
  configuration({
    kind: 'ValidatingWebhookConfiguration',
    ...LACKS_STATUS,
    hint: modelHint('plug', 'Prüfende Webhooks', 'Prüfender Webhook'),
    plural: 'validatingwebhookconfigurations',
    columns: WEBHOOKS,
  }),
];
