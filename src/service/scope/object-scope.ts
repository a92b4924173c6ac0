import type { FieldSet } from '../../lib/json/field-set.js';
import { SYSTEM_METADATA } from '../../model/object.js';
import type { Resource } from '../../model/resource.js';
import { NONE } from '../../query/filter/leaves.js';
import { allOf, type Condition } from '../../query/condition.js';
import { ObjectFields } from './object-fields.js';

/** Objects of a model, and the fields of them that a sender may read or write. */
export interface ScopePart {
  /** @param stored the version in which the model is stored: its names of indexes hold for all versions */
  readonly conditionIn: (stored: Resource) => Condition;
  /** Undefined: all fields. */
  readonly fields: FieldSet | undefined;
  /** The only names in the part, which the condition has too. Undefined: any name. */
  readonly names?: ReadonlySet<string> | undefined;
}

/** The part of a model that a sender may read or write: objects that are in any of the parts. */
export interface ObjectScope {
  /** Equal for equal scopes. */
  readonly key: string;
  readonly parts: readonly ScopePart[];
}

/** The scope of a sender in a version of a model; undefined when the sender has the whole model. */
export type FindScope = (resource: Resource) => ObjectScope | undefined;

/** The parts of other models that the sender of a read may see. */
export interface RelatedScopes {
  /** Of models that are listed. @throws ServiceError `Forbidden` without any right */
  readonly list: FindScope;
  /** Of objects that references lead to; without any right, it has no parts. */
  readonly get: FindScope;
}

/** It names fields that a sender may not see, and has their values in sets. */
const MANAGERS = 'managedFields';

/** Fields that identify an object, and those that only the service sets. Every scope has them. */
const ALWAYS = [
  'apiVersion',
  'kind',
  ...['name', 'namespace', 'generateName', ...SYSTEM_METADATA]
    .filter((field) => field !== MANAGERS)
    .map((field) => `metadata.${field}`),
];

/** The set of fields that paths name, with those that every scope has. */
export function fieldSetOf(paths: readonly string[]): FieldSet {
  return new ObjectFields([...ALWAYS, ...paths]);
}

/** The objects of a scope. @param stored the version in which the model is stored */
export function conditionOf({ parts }: ObjectScope, stored: Resource): Condition {
  const [first, ...rest] = parts.map(({ conditionIn }) => conditionIn(stored));
  if (first === undefined) return NONE;
  return rest.length === 0 ? first : { op: 'or', of: [first, ...rest] };
}

/** False for an object that is certainly not in a scope. @param name without the namespace */
export function mayBeIn({ parts }: ObjectScope, name: string): boolean {
  return parts.some(({ names }) => names?.has(name) ?? true);
}

/** True when a scope hides fields of some objects. */
export function hidesFields({ parts }: ObjectScope): boolean {
  return parts.some(({ fields }) => fields !== undefined);
}

/** The objects and fields that are in both scopes. */
export function bothScopes(a: ObjectScope | undefined, b: ObjectScope | undefined): ObjectScope | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const parts = a.parts.flatMap((one) =>
    b.parts.map((other) => ({
      conditionIn: (stored: Resource) => allOf([one.conditionIn(stored), other.conditionIn(stored)]),
      fields: bothFields(one.fields, other.fields),
    })),
  );
  return { key: `${a.key} ${b.key}`, parts };
}

function bothFields(a: FieldSet | undefined, b: FieldSet | undefined): FieldSet | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return new ObjectFields([
    ...a.paths.filter((path) => b.contains(path)),
    ...b.paths.filter((path) => a.contains(path)),
  ]);
}
