import { asBuffer } from '../lib/bytes.js';
import { lowerCase } from '../lib/lower-case.js';
import { decodeValue } from '../model/key-type.js';
import type { BoundCondition, BoundLimit } from './bound-condition.js';

/**
 * Returns an object's encoded values in the index at a position; empty without a value. For `NAME` it returns the
 * name.
 */
export type Values = (index: number) => readonly Uint8Array[];

/** The test of objects by a condition, for frequent calls. */
export function compile(bound: BoundCondition): (values: Values) => boolean {
  switch (bound.op) {
    case 'all':
      return () => true;
    case 'none':
      return () => false;
    case 'isNull':
      return (values) => values(bound.index).length === 0;
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
    default: {
      const { index } = bound;
      const holds = valueTest(bound);
      return (values) => values(index).some((value) => holds(new IndexedValue(value)));
    }
  }
}

/** One encoded value of an index. Its text is decoded at most once. */
export class IndexedValue {
  #text: string | undefined;

  constructor(readonly bytes: Uint8Array) {}

  get text(): string {
    return (this.#text ??= String(decodeValue('string', this.bytes)));
  }
}

export type ValueTest = (value: IndexedValue) => boolean;

type TextBound = Extract<BoundCondition, { readonly op: 'text' }>;

/** Compiles a condition whose fields are all the field of the value into a test of one value. */
export function valueTest(bound: BoundCondition): ValueTest {
  switch (bound.op) {
    case 'all':
      return () => true;
    case 'none':
    case 'isNull':
      return () => false;
    case 'and': {
      const parts = bound.of.map(valueTest);
      return (value) => parts.every((part) => part(value));
    }
    case 'or': {
      const parts = bound.of.map(valueTest);
      return (value) => parts.some((part) => part(value));
    }
    case 'not': {
      const part = valueTest(bound.of);
      return (value) => !part(value);
    }
    case 'any':
      return valueTest(bound.of);
    case 'in': {
      const holds = membership(bound.values);
      return ({ bytes }) => holds(bytes);
    }
    case 'text':
      return textTest(bound);
    case 'range':
      return ({ bytes }) => isWithin(bytes, bound.from, 1) && isWithin(bytes, bound.to, -1);
    case 'prefix': {
      const { prefix } = bound;
      return ({ bytes }) => prefix.equals(bytes.subarray(0, prefix.length));
    }
  }
}

/** @param sign 1 for lower limits, -1 for upper limits */
function isWithin(value: Uint8Array, limit: BoundLimit | undefined, sign: 1 | -1): boolean {
  if (limit === undefined) return true;
  const order = Buffer.compare(value, limit.value) * sign;
  return order > 0 || (order === 0 && limit.inclusive);
}

function textTest({ kind, text, ignoreCase, after }: TextBound): ValueTest {
  if (after === undefined) {
    if (ignoreCase) return (value) => compareText(kind, lowerCase(value.text), text, 0);
    return (value) => compareText(kind, value.text, text, 0);
  }
  const head = String(decodeValue('string', after));
  return (value) => {
    if (!value.text.startsWith(head)) return false;
    // Lower case may change the length of the head, so only the rest is converted.
    return ignoreCase
      ? compareText(kind, lowerCase(value.text.slice(head.length)), text, 0)
      : compareText(kind, value.text, text, head.length);
  };
}

/** @param from start of the part of the value that is compared */
function compareText(kind: TextBound['kind'], own: string, text: string, from: number): boolean {
  switch (kind) {
    case 'startsWith':
      return own.startsWith(text, from);
    case 'endsWith':
      return own.length - text.length >= from && own.endsWith(text);
    case 'contains':
      return own.includes(text, from);
    case 'equals':
      return own.length - text.length === from && own.endsWith(text);
  }
}

/** Values from which on a set of their texts is faster than a bisection. */
const SET_MIN = 64;

/** Tests membership in a sorted list: by comparison for one value, by bisection for several, in a set for many. */
function membership(sorted: readonly Buffer[]): (value: Uint8Array) => boolean {
  const [only, ...rest] = sorted;
  if (only !== undefined && rest.length === 0) return (value) => only.equals(value);
  if (sorted.length >= SET_MIN) {
    const texts = new Set(sorted.map(textOf));
    return (value) => texts.has(textOf(value));
  }
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

/** A text for the bytes, distinct for distinct bytes. */
function textOf(bytes: Uint8Array): string {
  return asBuffer(bytes).toString('latin1');
}
