import { ServiceError, type Cause } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import { keyFaults } from '../../model/names-and-labels.js';
import type { ObjectDraft } from '../../model/object.js';
import type { KindRules } from './kind-check.js';

/** Namespaces that always exist. */
export const SYSTEM_NAMESPACES: readonly string[] = [
  'default',
  'kube-node-lease',
  'kube-public',
  'kube-system',
];

/** Kept in `spec.finalizers` until a deleted namespace is empty. */
export const CONTENT_FINALIZER = 'kubernetes';
const NAME_LABEL = 'kubernetes.io/metadata.name';

export const NAMESPACE: KindRules = {
  names: 'label',
  finalizedBy: 'subresource',
  prepare: (object, stored, subresource) => {
    const { metadata } = object;
    if (metadata?.name !== undefined) metadata.labels = { ...metadata.labels, [NAME_LABEL]: metadata.name };
    if (stored === undefined) {
      object.spec = { finalizers: [...new Set([...specFinalizers(object), CONTENT_FINALIZER])] };
      object.status = { phase: 'Active' };
    } else if (subresource !== 'finalize') object.spec = { finalizers: [...specFinalizers(stored)] };
  },
  validate: (object) => specFinalizers(object).flatMap(finalizerFaults),
  deletion: {
    begin: (object) => {
      const { name } = object.metadata;
      if (SYSTEM_NAMESPACES.includes(name))
        throw new ServiceError('Forbidden', `the namespace "${name}" cannot be deleted`);
      const { status } = object;
      object.status = { ...(isRecord(status) && status), phase: 'Terminating' };
    },
    isHeld: (object) => specFinalizers(object).length > 0,
  },
};

/** The finalizers that only the subresource `finalize` writes. */
export function specFinalizers({ spec }: Pick<ObjectDraft, 'spec'>): readonly unknown[] {
  return isRecord(spec) && Array.isArray(spec.finalizers) ? spec.finalizers : [];
}

function finalizerFaults(finalizer: unknown, at: number): readonly Cause[] {
  const name = String(finalizer);
  const isGood = name === CONTENT_FINALIZER || (name.includes('/') && keyFaults(name).length === 0);
  const message = `must be "${CONTENT_FINALIZER}" or a name with a prefix, such as "example.com/name"`;
  return isGood ? [] : [{ field: `spec.finalizers[${at}]`, reason: 'FieldValueInvalid', message }];
}
