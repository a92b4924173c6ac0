import type { Cause } from '../../../errors.js';
import type { Definition, DefinitionSpec } from '../definition.js';
import { fault } from './fault.js';

interface FixedField {
  readonly at: string;
  /** True when it may change until the definition is established. */
  readonly isOfObjects: boolean;
  readonly get: (spec: DefinitionSpec) => string | undefined;
}

const FIXED: readonly FixedField[] = [
  { at: 'spec.scope', isOfObjects: true, get: ({ scope }) => scope },
  { at: 'spec.names.kind', isOfObjects: true, get: ({ names }) => names?.kind },
  { at: 'spec.group', isOfObjects: false, get: ({ group }) => group },
  { at: 'spec.names.plural', isOfObjects: false, get: ({ names }) => names?.plural },
];

/** Faults in the changes of a definition. */
export function checkUpdate(
  spec: DefinitionSpec,
  { spec: before = {}, status = {} }: Definition,
): readonly Cause[] {
  const { storedVersions = [], conditions = [] } = status;
  const isEstablished = conditions.some(({ type, status: is }) => type === 'Established' && is === 'True');
  const changed = FIXED.filter(
    ({ isOfObjects, get }) => (isEstablished || !isOfObjects) && get(spec) !== get(before),
  );
  const [names, namesBefore] = [namesOf(spec), namesOf(before)];
  // Clients may state any stored version in the status, as in Kubernetes. One that never was is not lost.
  const lost = [...storedVersions.entries()].filter(
    ([, version]) => namesBefore.includes(version) && !names.includes(version),
  );
  return [
    ...changed.map(({ at }) => fault(at, 'Invalid', 'must not be changed')),
    ...lost.map(([i, version]) =>
      fault(
        `status.storedVersions[${i}]`,
        'Invalid',
        `spec.versions must have ${version}: objects of it are stored`,
      ),
    ),
  ];
}

function namesOf({ versions = [] }: DefinitionSpec): readonly (string | undefined)[] {
  return versions.map(({ name }) => name);
}
