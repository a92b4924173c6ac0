import type { Path } from '../../lib/json/json-difference.js';
import { cloneJson, getOwn, isRecord } from '../../lib/json/json.js';
import type { ExtensionObject, Json } from '../object.js';

/** What the deletion of an object does to those that refer to it: it is refused, they go too, or they lose the value. */
export const DELETE_POLICIES = ['restrict', 'cascade', 'clear'] as const;
export type DeletePolicy = (typeof DELETE_POLICIES)[number];

/** The keyword of a schema that says what the values of a field refer to. */
export const REFERENCE = 'x-xsvc-reference';

/** A model, whatever the version. */
export interface ModelKind {
  readonly group: string;
  readonly kind: string;
}

/** What a keyword {@link REFERENCE} says, for people; undefined when it says nothing that can be used. */
export function shownReference(keyword: Json | undefined): (ModelKind & { onDelete: string }) | undefined {
  if (!isRecord(keyword)) return undefined;
  const { group, kind, onDelete = 'restrict' } = keyword;
  if (typeof group !== 'string' || typeof kind !== 'string' || typeof onDelete !== 'string') return undefined;
  return { group, kind, onDelete };
}

/** One step of the way to a value: a field, and whether it leads on to each item of the list that it holds. */
export interface ReferenceStep {
  readonly field: string;
  readonly isList: boolean;
}

/** A field of a model whose values are names of objects of another model, or of the same. */
export interface ModelReference extends ModelKind {
  /** Dotted path; also the name of the index that holds its values. */
  readonly field: string;
  readonly steps: readonly ReferenceStep[];
  readonly onDelete: DeletePolicy;
}

/** A name that an object refers to, and where it stands. */
export interface ReferenceValue {
  readonly at: Path;
  readonly name: string;
}

/** Whether an object may have several values of a reference. */
export function isMulti({ steps }: ModelReference): boolean {
  return steps.some(({ isList }) => isList);
}

/** The names in a field of an object, in its order. What is no text is passed over: the schema refuses it. */
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

/** A copy of an object in which a field refers to a name no more: the field is removed, or the items of its list. */
export function withoutReference(
  { steps }: ModelReference,
  object: ExtensionObject,
  name: string,
): ExtensionObject {
  const copy = cloneJson(object);
  clear(copy, steps, name);
  return copy;
}

function clear(value: unknown, [step, ...rest]: readonly ReferenceStep[], name: string): void {
  if (step === undefined || !isRecord(value)) return;
  const { field, isList } = step;
  const member = getOwn(value, field);
  if (rest.length > 0) {
    for (const item of isList && Array.isArray(member) ? (member as unknown[]) : [member])
      clear(item, rest, name);
  } else if (!isList) {
    if (member === name) delete value[field];
  } else if (Array.isArray(member)) {
    value[field] = member.filter((item) => item !== name);
  }
}
