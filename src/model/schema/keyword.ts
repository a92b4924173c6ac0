import type { Json } from '../object.js';

/** The kind of a keyword's value. A `bound` is a number, or the boolean of OpenAPI 3.0. */
export type ValueKind =
  | ('text' | 'flag' | 'count' | 'number' | 'positive' | 'bound' | 'value' | 'values' | 'reference' | 'type')
  | ('format' | 'pattern' | 'names' | 'name map' | 'fields' | 'patterns' | 'hints')
  | ('schema' | 'schemas' | 'schema or schemas' | 'schema map');

/** Returns the parameters of the violation; undefined for a valid value. */
export type KeywordCheck = (value: unknown) => Readonly<Record<string, unknown>> | undefined;

export interface Keyword {
  readonly name: string;
  /** The type of the values that it limits; absent for any. */
  readonly of?: 'string' | 'number' | 'array' | 'object';
  readonly value: ValueKind;
  /** The change that accepts less: a higher number, a lower number, or any change but its removal. */
  readonly tighter?: 'higher' | 'lower' | 'set';
  /** The keyword whose value must not be greater. */
  readonly notBelow?: string;
  /** Its text in the output of `explain`, before the value. Absent: not printed. */
  readonly explain?: string;
  /** The message of a violation, with parameters in braces. Absent: derived from the other members. */
  readonly message?: string;
  /** The end of the violation's reason. Absent: `Invalid`. */
  readonly reason?: 'Required' | 'NotSupported' | 'Forbidden';
  /** True when `@Schema` has it as an attribute with the same value. */
  readonly isOption?: true;
  /** True when it accepts every value. */
  readonly isNote?: true;
  /** True when OpenAPI 3.0.3 does not have it, although it has values of this kind. */
  readonly notInOpenApi?: true;
  /** Its check, when the validator's library has none, or a slow one. */
  readonly check?: (given: Json) => KeywordCheck;
}

interface NumberKind {
  readonly accepts: (value: Json) => boolean;
  readonly expected: string;
}

const isNumber = (value: Json): value is number => typeof value === 'number';

export const NUMBERS = {
  count: {
    accepts: (value) => isNumber(value) && Number.isInteger(value) && value >= 0,
    expected: 'an integer of at least 0',
  },
  number: { accepts: isNumber, expected: 'a number' },
  positive: { accepts: (value) => isNumber(value) && value > 0, expected: 'a positive number' },
  bound: {
    accepts: (value) => isNumber(value) || typeof value === 'boolean',
    expected: 'a number or boolean',
  },
} as const satisfies Partial<Record<ValueKind, NumberKind>>;
