import { ALL, type Condition, type Scalar } from './condition.js';

/** Options of text comparisons. */
export interface TextOptions {
  /** Ignores the case of letters. Default false. */
  readonly ignoreCase?: boolean;
}

type TextOp = 'startsWith' | 'endsWith' | 'contains';

function text(op: TextOp, field: string, value: string, options: TextOptions = {}): Condition {
  return { op, field, text: value, ignoreCase: options.ignoreCase ?? false };
}

export function not(condition: Condition): Condition {
  return { op: 'not', of: condition };
}

function within(field: string, values: readonly Scalar[]): Condition {
  return { op: 'in', field, values };
}

/**
 * Builds conditions that selectors cannot express. The result is plain data that can be stored and nested. Fields are
 * names of indexes, or `metadata.name`; values are checked against the index's key type when the condition is used. A
 * field with several values meets a comparison when any of them does; a field without a value meets only `isNull` and
 * negated conditions.
 */
export const Queries = {
  /** All conditions hold; without conditions, every object matches. */
  and(...conditions: readonly Condition[]): Condition {
    return { op: 'and', of: conditions };
  },
  /** At least one condition holds; without conditions, no object matches. */
  or(...conditions: readonly Condition[]): Condition {
    return { op: 'or', of: conditions };
  },
  /** Matches exactly the other objects of the model. */
  not,
  equal(field: string, value: Scalar): Condition {
    return within(field, [value]);
  },
  /** The complement of `equal`, so an absent value also matches. */
  notEqual(field: string, value: Scalar): Condition {
    return not(within(field, [value]));
  },
  /** @param inclusive true when `value` itself matches; default false */
  greaterThan(field: string, value: Scalar, inclusive = false): Condition {
    return { op: 'range', field, from: { value, inclusive } };
  },
  /** @param inclusive true when `value` itself matches; default false */
  lessThan(field: string, value: Scalar, inclusive = false): Condition {
    return { op: 'range', field, to: { value, inclusive } };
  },
  /** One value is between both limits; nothing matches when `from` is greater than `to`. */
  // eslint-disable-next-line max-params -- a public signature
  between(field: string, from: Scalar, fromInclusive: boolean, to: Scalar, toInclusive: boolean): Condition {
    return {
      op: 'range',
      field,
      from: { value: from, inclusive: fromInclusive },
      to: { value: to, inclusive: toInclusive },
    };
  },
  /** Matches any of the values; an empty list matches no object. */
  in(field: string, values: Iterable<Scalar>): Condition {
    return within(field, [...values]);
  },
  /** Matches objects without a value in the field. */
  isNull(field: string): Condition {
    return { op: 'isNull', field };
  },
  /** Matches objects with a value in the field. */
  isNotNull(field: string): Condition {
    return not({ op: 'isNull', field });
  },
  /**
   * Matches every object of the model, with or without a value in that index; see `isNotNull` for objects with a
   * value.
   */
  all(_field?: string): Condition {
    return ALL;
  },
  /** Requires an index of strings, like `endsWith` and `contains`. */
  startsWith(field: string, start: string, options?: TextOptions): Condition {
    return text('startsWith', field, start, options);
  },
  endsWith(field: string, end: string, options?: TextOptions): Condition {
    return text('endsWith', field, end, options);
  },
  contains(field: string, part: string, options?: TextOptions): Condition {
    return text('contains', field, part, options);
  },
  /**
   * Matches objects whose reference names an object that meets the condition. Only lists can have it.
   * @param field the path of the reference
   * @param condition on the fields of the target
   */
  ref(field: string, condition: Condition): Condition {
    return { op: 'ref', field, of: condition };
  },
  labelEqual(key: string, value: string): Condition {
    return { op: 'labelIn', key, values: [value] };
  },
  labelIn(key: string, values: Iterable<string>): Condition {
    return { op: 'labelIn', key, values: [...values] };
  },
  labelExists(key: string): Condition {
    return { op: 'labelExists', key };
  },
  /** Matches every object. */
  empty(): Condition {
    return ALL;
  },
};
