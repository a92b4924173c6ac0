import { decodeValue } from '../model/key-type.js';
import type { BoundCondition, BoundLimit } from './bound.js';

/** An object's encoded values in the index at a position; empty when it has none. `NAME` gives its name. */
export type Values = (index: number) => readonly Uint8Array[];

type TextBound = Extract<BoundCondition, { readonly op: 'text' }>;

/**
 * The meaning of a condition. Every plan must give the objects this is true for: it is the oracle of tests
 * and, compiled, the filter of the walk.
 */
export function matches(bound: BoundCondition, values: Values): boolean {
  switch (bound.op) {
    case 'all':
      return true;
    case 'none':
      return false;
    case 'and':
      return bound.of.every((part) => matches(part, values));
    case 'or':
      return bound.of.some((part) => matches(part, values));
    case 'not':
      return !matches(bound.of, values);
    case 'isNull':
      return values(bound.index).length === 0;
    case 'in':
      return values(bound.index).some((value) => bound.values.some((wanted) => wanted.equals(value)));
    case 'range':
      return values(bound.index).some((value) => above(value, bound.from) && below(value, bound.to));
    case 'prefix':
      return values(bound.index).some((value) => bound.prefix.equals(value.subarray(0, bound.prefix.length)));
    case 'text':
      return values(bound.index).some((value) => matchesText(bound, value));
    case 'any':
      return values(bound.index).some((value) => matches(bound.of, () => [value]));
  }
}

/** {@link matches} of one condition, prepared for asking often. */
export function compile(bound: BoundCondition): (values: Values) => boolean {
  switch (bound.op) {
    case 'and': {
      const parts = bound.of.map(compile);
      return (values) => parts.every((part) => part(values));
    }
    case 'or': {
      const parts = bound.of.map(compile);
      return (values) => parts.some((part) => part(values));
    }
    case 'not': {
      const part = compile(bound.of);
      return (values) => !part(values);
    }
    case 'in': {
      const { index } = bound;
      const holds = membership(bound.values);
      return (values) => values(index).some(holds);
    }
    case 'any': {
      const { index } = bound;
      const holds = compile(bound.of);
      return (values) => values(index).some((value) => holds(() => [value]));
    }
    default:
      return (values) => matches(bound, values);
  }
}

/** Whether a value is among sorted ones: by comparing with one, by bisection among many. */
function membership(sorted: readonly Buffer[]): (value: Uint8Array) => boolean {
  const [only, ...rest] = sorted;
  if (only !== undefined && rest.length === 0) return (value) => only.equals(value);
  return (value) => {
    let low = 0;
    let high = sorted.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const wanted = sorted[middle];
      const order = wanted === undefined ? 0 : Buffer.compare(wanted, value);
      if (order === 0) return wanted !== undefined;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return false;
  };
}

function above(value: Uint8Array, limit: BoundLimit | undefined): boolean {
  if (limit === undefined) return true;
  const order = Buffer.compare(value, limit.value);
  return order > 0 || (order === 0 && limit.inclusive);
}

function below(value: Uint8Array, limit: BoundLimit | undefined): boolean {
  if (limit === undefined) return true;
  const order = Buffer.compare(value, limit.value);
  return order < 0 || (order === 0 && limit.inclusive);
}

function matchesText({ kind, text, ignoreCase, after }: TextBound, value: Uint8Array): boolean {
  const start = after?.length ?? 0;
  if (after !== undefined && !after.equals(value.subarray(0, start))) return false;
  const decoded = String(decodeValue('string', value.subarray(start)));
  const own = ignoreCase ? decoded.toLowerCase() : decoded;
  switch (kind) {
    case 'startsWith':
      return own.startsWith(text);
    case 'endsWith':
      return own.endsWith(text);
    case 'contains':
      return own.includes(text);
  }
}
