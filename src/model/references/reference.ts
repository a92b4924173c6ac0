import type { Path } from '../../lib/json/json-difference.js';
import { cloneJson, getOwn, isRecord } from '../../lib/json/json.js';
import type { ExtensionObject, Json } from '../object.js';

/**
 * The effect of deleting an object on the objects that refer to it: the deletion is refused, they are deleted too, or
 * they lose the value.
 */
export const DELETE_POLICIES = ['restrict', 'cascade', 'clear'] as const;
export type DeletePolicy = (typeof DELETE_POLICIES)[number];

/** The schema keyword for the target of a field's values. */
export const REFERENCE = 'x-xsvc-reference';

/** A model, for any version. */
export interface ModelKind {
  readonly group: string;
  readonly kind: string;
}

/** The content of a keyword {@link REFERENCE} for display; undefined when it cannot be used. */
export function shownReference(keyword: Json | undefined): (ModelKind & { onDelete: string }) | undefined {
  if (!isRecord(keyword)) return undefined;
  const { group, kind, onDelete = 'restrict' } = keyword;
  if (typeof group !== 'string' || typeof kind !== 'string' || typeof onDelete !== 'string') return undefined;
  return { group, kind, onDelete };
}

/** One step of the path to a value: a field; with `isList` the path continues at each item of its list. */
export interface ReferenceStep {
  readonly field: string;
  readonly isList: boolean;
}

/** A field of a model whose values are names of objects of another model, or of the same; see `targetName`. */
export interface ModelReference extends ModelKind {
  /** Dotted path; also the name of the index that holds its values. */
  readonly field: string;
  readonly steps: readonly ReferenceStep[];
  readonly onDelete: DeletePolicy;
}

/** A name in a reference, and its place. */
export interface ReferenceValue {
  readonly at: Path;
  readonly name: string;
}

/** True when an object may have several values of a reference. */
export function isMulti({ steps }: ModelReference): boolean {
  return steps.some(({ isList }) => isList);
}

/** The names in a field of an object, in order. Values that are not texts are skipped: the schema refuses them. */
export function referenceValues({ steps }: ModelReference, object: ExtensionObject): ReferenceValue[] {
  let reached: { readonly at: Path; readonly value: unknown }[] = [{ at: [], value: object }];
  for (const { field, isList } of steps)
    reached = reached.flatMap(({ at, value }) => {
      const member = isRecord(value) ? getOwn(value, field) : undefined;
      const path = [...at, field];
      if (!isList) return [{ at: path, value: member }];
      return Array.isArray(member)
        ? member.map((item: unknown, i) => ({ at: [...path, i], value: item }))
        : [];
    });
  return reached.flatMap(({ at, value }) => (typeof value === 'string' ? [{ at, name: value }] : []));
}

/** Copies an object without a value of a reference: removes the field, or the matching items of its list. */
export function withoutReference(
  { steps }: ModelReference,
  object: ExtensionObject,
  unwanted: string,
): ExtensionObject {
  const copy = cloneJson(object);
  clear(copy, steps, unwanted);
  return copy;
}

function clear(value: unknown, [step, ...rest]: readonly ReferenceStep[], unwanted: string): void {
  if (step === undefined || !isRecord(value)) return;
  const { field, isList } = step;
  const member = getOwn(value, field);
  if (rest.length > 0) {
    for (const item of isList && Array.isArray(member) ? (member as unknown[]) : [member])
      clear(item, rest, unwanted);
  } else if (!isList) {
    if (member === unwanted) delete value[field];
  } else if (Array.isArray(member)) {
    value[field] = member.filter((item) => item !== unwanted);
  }
}
