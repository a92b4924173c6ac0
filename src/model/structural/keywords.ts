import { linearRegExp, type LinearRegExp } from '../../lib/linear-reg-exp.js';
import type { Json, JsonObject } from '../object.js';
import type { KeywordCheck } from '../schema/keyword.js';
import { getList } from '../schema/schema-walk.js';
import { checkMaxLength, checkMinLength, isOneOf } from '../validate/counted-checks.js';
import { findFormat, isInt32, isInt64 } from './formats.js';

type Params = Readonly<Record<string, unknown>>;

/** A keyword that limits a value by itself. */
export interface Check<T> {
  readonly keyword: string;
  /** Returns the parameters of the violation; undefined for a valid value. */
  readonly find: (value: T) => Params | undefined;
}

/** The checks of a schema node, by the type of the value. */
export interface Checks {
  /** The accepted types; undefined for any. */
  readonly types: readonly string[] | undefined;
  /** For a value of any type. */
  readonly every: readonly Check<unknown>[];
  readonly string: readonly Check<string>[];
  readonly number: readonly Check<number>[];
  readonly array: readonly Check<readonly unknown[]>[];
  readonly object: readonly Check<object>[];
  readonly required: readonly string[];
}

export function makeChecks(schema: JsonObject): Checks {
  return {
    types: getTypes(schema),
    every: enumCheck(schema.enum),
    string: [
      ...lengthCheck('maxLength', schema.maxLength, checkMaxLength),
      ...lengthCheck('minLength', schema.minLength, checkMinLength),
      ...patternCheck(schema.pattern),
      ...formatCheck(schema),
    ],
    number: numberChecks(schema),
    array: [
      ...limit<readonly unknown[]>('maxItems', schema.maxItems, (items, max) => items.length <= max),
      ...limit<readonly unknown[]>('minItems', schema.minItems, (items, min) => items.length >= min),
    ],
    object: [
      ...limit<object>('maxProperties', schema.maxProperties, (object, max) => size(object) <= max),
      ...limit<object>('minProperties', schema.minProperties, (object, min) => size(object) >= min),
    ],
    required: getList(schema.required).filter((name) => typeof name === 'string'),
  };
}

function getTypes(schema: JsonObject): readonly string[] | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  return typeof schema.type === 'string' ? [schema.type] : undefined;
}

function limit<T>(
  keyword: string,
  bound: Json | undefined,
  fits: (value: T, bound: number) => boolean,
  params: Params = { limit: bound },
): readonly Check<T>[] {
  if (typeof bound !== 'number') return [];
  return [{ keyword, find: (value) => (fits(value, bound) ? undefined : params) }];
}

function lengthCheck(
  keyword: string,
  bound: Json | undefined,
  check: (limit: Json) => KeywordCheck,
): readonly Check<string>[] {
  return typeof bound === 'number' ? [{ keyword, find: check(bound) }] : [];
}

function size(object: object): number {
  return Object.keys(object).length;
}

function enumCheck(values: Json | undefined): readonly Check<unknown>[] {
  if (!Array.isArray(values)) return [];
  const params = { allowedValues: values };
  // As in Kubernetes, null is not one of them even when it is listed.
  const isListed = isOneOf(values.filter((value) => value !== null));
  return [{ keyword: 'enum', find: (value) => (isListed(value) ? undefined : params) }];
}

function patternCheck(pattern: Json | undefined): readonly Check<string>[] {
  if (typeof pattern !== 'string' || pattern === '') return [];
  let compiled: Pick<LinearRegExp, 'test'> | undefined;
  const find = (text: string): Params | undefined =>
    (compiled ??= compilePattern(pattern)).test(text) ? undefined : { pattern };
  return [{ keyword: 'pattern', find }];
}

/** A pattern that cannot be compiled matches no text, as in Kubernetes. */
function compilePattern(pattern: string): Pick<LinearRegExp, 'test'> {
  try {
    return linearRegExp(pattern);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { test: () => false };
  }
}

function formatCheck({ format, type = 'string' }: JsonObject): readonly Check<string>[] {
  const isValid = typeof format === 'string' && type === 'string' ? findFormat(format) : undefined;
  return isValid === undefined ? [] : fits('format', isValid, { format });
}

function fits<T>(keyword: string, isValid: (value: T) => boolean, params: Params): readonly Check<T>[] {
  return [{ keyword, find: (value) => (isValid(value) ? undefined : params) }];
}

const MULTIPLE_ERROR_MAX = 1e-6;

function numberChecks(schema: JsonObject): readonly Check<number>[] {
  const { minimum, maximum, multipleOf } = schema;
  const isAbove = schema.exclusiveMinimum === true;
  const isBelow = schema.exclusiveMaximum === true;
  return [
    ...sizeChecks(schema),
    ...(isAbove
      ? limit<number>('exclusiveMinimum', minimum, (n, min) => n > min, { comparison: '>', limit: minimum })
      : limit<number>('minimum', minimum, (n, min) => n >= min, { comparison: '>=', limit: minimum })),
    ...(isBelow
      ? limit<number>('exclusiveMaximum', maximum, (n, max) => n < max, { comparison: '<', limit: maximum })
      : limit<number>('maximum', maximum, (n, max) => n <= max, { comparison: '<=', limit: maximum })),
    ...limit<number>('multipleOf', multipleOf, isMultiple, { multipleOf }),
  ];
}

function isMultiple(n: number, of: number): boolean {
  return Math.abs(Math.round(n / of) - n / of) <= MULTIPLE_ERROR_MAX;
}

/** Integers have at most 64 bits, with any other format too. */
function sizeChecks({ type, format }: JsonObject): readonly Check<number>[] {
  if (type === 'number' && format === 'float')
    return fits('format', (n) => Number.isFinite(Math.fround(n)), { format });
  if (type !== 'integer') return [];
  // A fraction is a violation of the type.
  return format === 'int32'
    ? fits('format', (n) => isInt32(Math.trunc(n)), { format })
    : fits('format', (n) => isInt64(Math.trunc(n)), { format: 'int64' });
}
