import type { Cause } from '../../../errors.js';
import { deepEqual } from '../../../lib/json/json.js';
import { isGroup, isReservedGroup } from '../../../model/names-and-labels.js';
import type { JsonObject } from '../../../model/object.js';
import type { CheckDefault } from './check-schema.js';
import { checkConversion } from './conversion.js';
import { checkUpdate } from './check-update.js';
import { checkVersion } from './check-version.js';
import { APPROVAL, lacksApproval } from './approval.js';
import { readDefinition, type Definition, type DefinitionSpec } from '../definition.js';
import { fault, type FaultReason } from './fault.js';
import { checkNameForms } from './name-forms.js';

/**
 * Finds the faults of a CustomResourceDefinition.
 * @param crd with the defaults of {@link withDefinitionDefaults}
 * @param stored the definition that it replaces
 * @returns one cause for each fault; only those of wrong types when there are any. Paths in schemas have the form
 * `spec.versions[0].schema.openAPIV3Schema.properties[spec].type`
 */
export function checkDefinition(
  crd: JsonObject,
  checkDefault: CheckDefault,
  stored?: JsonObject,
): readonly Cause[] {
  const { definition, causes } = readDefinition(crd);
  if (causes.length > 0) return causes;
  const { spec = {} } = definition;
  const before = stored && readDefinition(stored).definition;
  return [
    ...RULES.filter(({ isBroken }) => isBroken(spec, definition)).map(({ at, reason, message }) =>
      fault(at, reason, message),
    ),
    ...checkNameForms(spec.names ?? {}, 'spec.names'),
    ...(spec.versions ?? []).flatMap((version, i) =>
      // Most writes change no schema, and the check of a large one takes long.
      deepEqual(version, before?.spec?.versions?.[i])
        ? []
        : checkVersion(version, `spec.versions[${i}]`, checkDefault),
    ),
    ...checkConversion(spec.conversion ?? {}, before),
    ...(before === undefined ? [] : checkUpdate(spec, before)),
  ];
}

interface DefinitionRule {
  readonly at: string;
  readonly reason: FaultReason;
  readonly message: string;
  readonly isBroken: (spec: DefinitionSpec, definition: Definition) => boolean;
}

const SCOPES = ['Cluster', 'Namespaced'];

const RULES: readonly DefinitionRule[] = [
  {
    at: 'metadata.name',
    reason: 'Invalid',
    message: 'must be <spec.names.plural>.<spec.group>, a lowercase DNS subdomain',
    isBroken: ({ group = '', names: { plural = '' } = {} }, { metadata: { name = '' } = {} }) =>
      name !== `${plural}.${group}` || !isGroup(name),
  },
  {
    at: `metadata.annotations[${APPROVAL}]`,
    reason: 'Required',
    message:
      'must be set for groups of Kubernetes: the address of the approval, or "unapproved" and the reason',
    isBroken: (_spec, definition) => lacksApproval(definition),
  },
  {
    at: 'spec.group',
    reason: 'Required',
    message: 'is required',
    isBroken: ({ group = '' }) => group === '',
  },
  {
    at: 'spec.group',
    reason: 'Invalid',
    message: 'must be a lowercase DNS subdomain with a dot, such as example.com',
    isBroken: ({ group = '' }) => group !== '' && !(isGroup(group) && group.includes('.')),
  },
  {
    at: 'spec.group',
    reason: 'Forbidden',
    message: 'belongs to the platform',
    isBroken: ({ group = '' }) => group !== '' && isReservedGroup(group),
  },
  {
    at: 'spec.scope',
    reason: 'Required',
    message: 'is required',
    isBroken: ({ scope = '' }) => scope === '',
  },
  {
    at: 'spec.scope',
    reason: 'NotSupported',
    message: `must be one of ${SCOPES.join(', ')}`,
    isBroken: ({ scope = '' }) => scope !== '' && !SCOPES.includes(scope),
  },
  {
    at: 'spec.versions',
    reason: 'Invalid',
    message: 'must have different names',
    isBroken: ({ versions = [] }) => new Set(versions.map(({ name }) => name)).size < versions.length,
  },
  {
    at: 'spec.versions',
    reason: 'Invalid',
    message: 'must have exactly one version with storage: true',
    isBroken: ({ versions = [] }) => versions.filter(({ storage }) => storage === true).length !== 1,
  },
  {
    at: 'spec.preserveUnknownFields',
    reason: 'Invalid',
    message: 'must not be true: set x-kubernetes-preserve-unknown-fields in the schema',
    isBroken: ({ preserveUnknownFields }) => preserveUnknownFields === true,
  },
];
