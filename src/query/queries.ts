import { ALL, type Condition, type Scalar } from './condition.js';

/** How a text is compared. */
export interface TextOptions {
  /** Letters match whatever their case. Default false. */
  readonly ignoreCase?: boolean;
}

type TextOp = 'startsWith' | 'endsWith' | 'contains';

function text(op: TextOp, field: string, value: string, options: TextOptions = {}): Condition {
  return { op, field, text: value, ignoreCase: options.ignoreCase ?? false };
}

function not(condition: Condition): Condition {
  return { op: 'not', of: condition };
}

function within(field: string, values: readonly Scalar[]): Condition {
  return { op: 'in', field, values };
}

/**
 * Builds conditions for what selectors cannot say. What it returns is plain data that can be kept and nested.
 * Fields are names of indexes, or `metadata.name`; values are checked against the index's key type when the
 * condition is used. A field with several values holds a comparison when any of them does, one without a
 * value holds only `isNull` and what is negated.
 */
export const Queries = {
  /** All of them hold; without any, every object does. */
  and(...conditions: readonly Condition[]): Condition {
    return { op: 'and', of: conditions };
  },
  /** At least one of them holds; without any, no object does. */
  or(...conditions: readonly Condition[]): Condition {
    return { op: 'or', of: conditions };
  },
  /** Exactly the other objects of the model. */
  not,
  equal(field: string, value: Scalar): Condition {
    return within(field, [value]);
  },
  /** The complement of `equal`, so an absent value differs. */
  notEqual(field: string, value: Scalar): Condition {
    return not(within(field, [value]));
  },
  /** @param inclusive whether `value` itself belongs to it; default false */
  greaterThan(field: string, value: Scalar, inclusive = false): Condition {
    return { op: 'range', field, from: { value, inclusive } };
  },
  /** @param inclusive whether `value` itself belongs to it; default false */
  lessThan(field: string, value: Scalar, inclusive = false): Condition {
    return { op: 'range', field, to: { value, inclusive } };
  },
  /** One value lies between both limits; nothing does when `from` is greater than `to`. */
  between(field: string, from: Scalar, fromInclusive: boolean, to: Scalar, toInclusive: boolean): Condition {
    return {
      op: 'range',
      field,
      from: { value: from, inclusive: fromInclusive },
      to: { value: to, inclusive: toInclusive },
    };
  },
  /** Any of the values; of an empty list, no object has one. */
  in(field: string, values: Iterable<Scalar>): Condition {
    return within(field, [...values]);
  },
  /** The object has no value there. */
  isNull(field: string): Condition {
    return { op: 'isNull', field };
  },
  /** The object has a value there. */
  isNotNull(field: string): Condition {
    return not({ op: 'isNull', field });
  },
  /** Every object of the model, with a value in that index or without; see `isNotNull` for the former. */
  all(_field?: string): Condition {
    return ALL;
  },
  /** Only for indexes of strings, like `endsWith` and `contains`. */
  startsWith(field: string, start: string, options?: TextOptions): Condition {
    return text('startsWith', field, start, options);
  },
  endsWith(field: string, end: string, options?: TextOptions): Condition {
    return text('endsWith', field, end, options);
  },
  contains(field: string, part: string, options?: TextOptions): Condition {
    return text('contains', field, part, options);
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
  /** No requirement: every object. */
  empty(): Condition {
    return ALL;
  },
};
