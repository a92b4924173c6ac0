import type { Cause } from '../../errors.js';
import type { Definition, DefinitionSpec } from './definition.js';

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
  const names = (spec.versions ?? []).map(({ name }) => name);
  return [
    ...changed.map(({ at }) => invalid(at, 'must not be changed')),
    ...storedVersions.flatMap((version, i) =>
      names.includes(version)
        ? []
        : [
            invalid(
              `status.storedVersions[${i}]`,
              `objects of ${version} are stored: spec.versions must have it`,
            ),
          ],
    ),
  ];
}

function invalid(field: string, message: string): Cause {
  return { field, reason: 'FieldValueInvalid', message };
}
