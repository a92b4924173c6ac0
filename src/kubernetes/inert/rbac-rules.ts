import { invalidValue, type Cause } from '../../errors.js';
import { deepEqual, isRecord } from '../../lib/json/json.js';
import type { ObjectDraft } from '../../model/object.js';
import { missingCause } from '../../model/validate/violation.js';
import { IMMUTABLE } from '../kinds/data.js';
import type { KindRules } from '../kinds/kind-check.js';

const GROUP = 'rbac.authorization.k8s.io';

/** Names of roles and bindings have colons. */
const names = 'segment';

export const CLUSTER_ROLE: KindRules = { names, validate: (role) => ruleFaults(role, true) };
export const ROLE: KindRules = { names, validate: (role) => ruleFaults(role, false) };
export const CLUSTER_ROLE_BINDING: KindRules = {
  names,
  validate: (binding, stored) => bindingFaults(binding, stored, ['ClusterRole']),
};
export const ROLE_BINDING: KindRules = {
  names,
  validate: (binding, stored) => bindingFaults(binding, stored, ['ClusterRole', 'Role']),
};

function ruleFaults({ rules }: ObjectDraft, hasPaths: boolean): readonly Cause[] {
  return itemsOf(rules).flatMap((rule, i) => {
    const at = (field: string): string => `rules[${i}].${field}`;
    const isEmpty = (field: string): boolean => itemsOf(rule[field]).length === 0;
    if (isEmpty('verbs')) return [missingCause(at('verbs'))];
    if (isEmpty('nonResourceURLs'))
      return ['apiGroups', 'resources'].filter(isEmpty).map((field) => missingCause(at(field)));
    if (!hasPaths) return [invalidValue(at('nonResourceURLs'), 'must be absent: paths are in no namespace')];
    return isEmpty('apiGroups') && isEmpty('resources')
      ? []
      : [invalidValue(at('nonResourceURLs'), 'must not be in a rule with resources')];
  });
}

function bindingFaults(
  { roleRef, subjects }: ObjectDraft,
  stored: ObjectDraft | undefined,
  kinds: readonly string[],
): readonly Cause[] {
  const { apiGroup, kind, name } = isRecord(roleRef) ? roleRef : {};
  return [
    ...(apiGroup === GROUP ? [] : [invalidValue('roleRef.apiGroup', `must be "${GROUP}"`)]),
    ...(typeof kind === 'string' && kinds.includes(kind)
      ? []
      : [invalidValue('roleRef.kind', `must be ${kinds.join(' or ')}`)]),
    ...(name === undefined || name === '' ? [missingCause('roleRef.name')] : []),
    ...(stored === undefined || deepEqual(stored.roleRef, roleRef)
      ? []
      : [invalidValue('roleRef', `${IMMUTABLE}; delete the binding and make another one`)]),
    ...itemsOf(subjects).flatMap(subjectFaults),
  ];
}

/** The API groups of the kinds of subjects. */
const SUBJECT_GROUPS: ReadonlyMap<unknown, string> = new Map([
  ['User', GROUP],
  ['Group', GROUP],
  ['ServiceAccount', ''],
]);

function subjectFaults(
  { kind, name, namespace, apiGroup = '' }: Readonly<Record<string, unknown>>,
  i: number,
): readonly Cause[] {
  const at = (field: string): string => `subjects[${i}].${field}`;
  const group = SUBJECT_GROUPS.get(kind);
  if (group === undefined) return [invalidValue(at('kind'), 'must be User, Group or ServiceAccount')];
  return [
    ...(name === undefined || name === '' ? [missingCause(at('name'))] : []),
    ...(apiGroup === group
      ? []
      : [invalidValue(at('apiGroup'), `must be "${group}" for the kind ${String(kind)}`)]),
    ...(group === '' && (namespace === undefined || namespace === '') ? [missingCause(at('namespace'))] : []),
  ];
}

function itemsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return items.map((item) => (isRecord(item) ? item : {}));
}
