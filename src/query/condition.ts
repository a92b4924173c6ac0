/** A value that a condition compares with; it is parsed by the key type of the field's index. */
export type Scalar = string | boolean | number | bigint | Date;

export interface Limit {
  readonly value: Scalar;
  readonly inclusive: boolean;
}

/**
 * A condition on the objects of a list. `field` is the name of an index, or `metadata.name`. An object meets a
 * condition on a field when *any* of its values there does; an object without a value meets only `isNull`. `not` is
 * the exact complement among the model's objects, so an absent value differs from every value.
 */
export type Condition =
  | { readonly op: 'all' }
  | { readonly op: 'and' | 'or'; readonly of: readonly Condition[] }
  | { readonly op: 'not'; readonly of: Condition }
  | { readonly op: 'in'; readonly field: string; readonly values: readonly Scalar[] }
  | { readonly op: 'range'; readonly field: string; readonly from?: Limit; readonly to?: Limit }
  | { readonly op: 'isNull'; readonly field: string }
  | {
      readonly op: 'startsWith' | 'endsWith' | 'contains' | 'equals';
      readonly field: string;
      readonly text: string;
      readonly ignoreCase: boolean;
      /** Only values with this prefix count; the comparison reads the part after the prefix. */
      readonly after?: string;
    }
  /** One single value of the field meets the whole condition, in which every field is this one. */
  | { readonly op: 'any'; readonly field: string; readonly of: Condition }
  /** The objects that refer to one that meets a condition on its own model. */
  | RefCondition
  /** The objects of a namespace; only for namespaced models. */
  | { readonly op: 'namespace'; readonly namespace: string }
  | { readonly op: 'labelIn'; readonly key: string; readonly values: readonly string[] }
  | { readonly op: 'labelExists'; readonly key: string };

/** A condition on the targets of a reference. */
export interface RefCondition {
  readonly op: 'ref';
  /** The path of the reference. */
  readonly field: string;
  /** Fields are those of the target's model, in the version in which it is stored. */
  readonly of: Condition;
}

export const ALL: Condition = { op: 'all' };

export function allOf(conditions: readonly Condition[]): Condition {
  const [first, ...rest] = conditions;
  if (first === undefined) return ALL;
  return rest.length === 0 ? first : { op: 'and', of: conditions };
}

/** The number of comparisons in a condition; a list of values counts as one. */
export function conditionsIn(condition: Condition): number {
  switch (condition.op) {
    case 'all':
      return 0;
    case 'and':
    case 'or':
      return condition.of.reduce((sum, part) => sum + conditionsIn(part), 0);
    case 'not':
    case 'any':
    case 'ref':
      return conditionsIn(condition.of);
    default:
      return 1;
  }
}
