import type { Cause } from '../../errors.js';
import { referenceIndex } from '../../model/declare/index-function.js';
import { BUILT_IN_INDEX_NAMES } from '../../model/declare/index-spec.js';
import { readReferences } from '../../model/references/find.js';
import { isMulti, type ModelReference } from '../../model/references/reference.js';
import type { IndexDeclaration } from '../../model/resource.js';
import type { Definition, DefinitionVersion } from './definition.js';
import { declaredIndexes, INDEXES } from './indexes.js';
import { fault } from './rules/fault.js';

/** The references in the schema of a version, by the keyword `x-xsvc-reference`; faults of others as texts. */
export function referencesOf({ schema = {} }: DefinitionVersion): ReturnType<typeof readReferences> {
  return readReferences(schema.openAPIV3Schema ?? {});
}

/** Faults of the references of all versions, for a definition without other faults. */
export function referenceFaults({ metadata = {}, spec = {} }: Definition): readonly Cause[] {
  const { indexes } = declaredIndexes(metadata.annotations);
  return (spec.versions ?? []).flatMap((version, i) => {
    const { found, faults } = referencesOf(version);
    const unfit = found.flatMap((reference) => {
      return indexFaults(
        reference,
        indexes.find(({ name }) => name === reference.field),
      );
    });
    const field = `spec.versions[${i}].schema.openAPIV3Schema`;
    return [...faults, ...unfit].map((message) => fault(field, 'Invalid', message));
  });
}

function indexFaults(reference: ModelReference, declared: IndexDeclaration | undefined): readonly string[] {
  const { field } = reference;
  if (BUILT_IN_INDEX_NAMES.has(field)) return [`${field}: the metadata of objects cannot be a reference`];
  if (referenceIndex(reference, declared) !== undefined) return [];
  const multi = String(isMulti(reference));
  return [
    `${field}: its index in the annotation ${INDEXES} must have the type string and "multi": ${multi}, as the reference has`,
  ];
}
