import { lowerCase } from '../../src/lib/lower-case.js';
import { decodeValue } from '../../src/model/key-type.js';
import type { BoundCondition, BoundLimit } from '../../src/query/bound-condition.js';
import type { Values } from '../../src/query/compile.js';

type TextBound = Extract<BoundCondition, { readonly op: 'text' }>;

/**
 * The reference definition of a condition: every plan must return exactly the objects for which it is true. Lists use
 * `compile`.
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
      return values(bound.index).some(
        (value) => isWithin(value, bound.from, 1) && isWithin(value, bound.to, -1),
      );
    case 'prefix':
      return values(bound.index).some((value) => bound.prefix.equals(value.subarray(0, bound.prefix.length)));
    case 'text':
      return values(bound.index).some((value) => matchesText(bound, value));
    case 'any':
      return values(bound.index).some((value) => matches(bound.of, () => [value]));
  }
}

/** @param sign 1 for lower limits, -1 for upper limits */
function isWithin(value: Uint8Array, limit: BoundLimit | undefined, sign: 1 | -1): boolean {
  if (limit === undefined) return true;
  const order = Buffer.compare(value, limit.value) * sign;
  return order > 0 || (order === 0 && limit.inclusive);
}

function matchesText({ kind, text, ignoreCase, after }: TextBound, value: Uint8Array): boolean {
  const start = after?.length ?? 0;
  if (after !== undefined && !after.equals(value.subarray(0, start))) return false;
  const decoded = String(decodeValue('string', value.subarray(start)));
  const own = ignoreCase ? lowerCase(decoded) : decoded;
  switch (kind) {
    case 'startsWith':
      return own.startsWith(text);
    case 'endsWith':
      return own.endsWith(text);
    case 'contains':
      return own.includes(text);
    case 'equals':
      return own === text;
  }
}
