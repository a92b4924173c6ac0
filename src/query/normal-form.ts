import { canonical, type BoundCondition, type BoundLimit } from './bound-condition.js';

/** True for the position of an index in which an object has at most one value. */
export type IsSingle = (index: number) => boolean;

/** Combines parts that must all hold. Without parts it matches every object. */
export function conjunction(parts: readonly BoundCondition[], isSingle: IsSingle): BoundCondition {
  const flat = parts.flatMap((part) => (part.op === 'and' ? part.of : [part]));
  return join('and', intersectRanges(flat, isSingle), 'all', 'none');
}

/** Merges ranges of an index in which an object has only one value. */
function intersectRanges(parts: readonly BoundCondition[], isSingle: IsSingle): readonly BoundCondition[] {
  const ranges = new Map<number, RangeBound>();
  const others: BoundCondition[] = [];
  for (const part of parts) {
    if (part.op !== 'range' || !isSingle(part.index)) others.push(part);
    else ranges.set(part.index, intersection(part, ranges.get(part.index)));
  }
  return [...ranges.values()].map(orNone).concat(others);
}

type RangeBound = Extract<BoundCondition, { readonly op: 'range' }>;

function intersection(one: RangeBound, other: RangeBound | undefined): RangeBound {
  if (other === undefined) return one;
  const from = stricter(one.from, other.from, 1);
  const to = stricter(one.to, other.to, -1);
  return { op: 'range', index: one.index, ...(from && { from }), ...(to && { to }) };
}

/** @param sign 1 for lower limits, of which the larger one applies; -1 for upper limits */
function stricter(
  one: BoundLimit | undefined,
  other: BoundLimit | undefined,
  sign: 1 | -1,
): BoundLimit | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const order = Buffer.compare(one.value, other.value) * sign;
  if (order === 0) return one.inclusive ? other : one;
  return order > 0 ? one : other;
}

/** A range that ends before it begins matches nothing. */
export function orNone(range: RangeBound): BoundCondition {
  const { from, to } = range;
  if (from === undefined || to === undefined) return range;
  const order = Buffer.compare(from.value, to.value);
  return order > 0 || (order === 0 && !(from.inclusive && to.inclusive)) ? { op: 'none' } : range;
}

/** Combines parts of which at least one must hold. Without parts it matches no object. */
export function disjunction(parts: readonly BoundCondition[]): BoundCondition {
  return join('or', parts, 'none', 'all');
}

/**
 * The complement. It distributes over `and` and `or` (De Morgan) and stops at comparisons: with absent or several
 * values, the complement of a range or a set is not a range or set.
 */
export function negation(bound: BoundCondition, isSingle: IsSingle): BoundCondition {
  switch (bound.op) {
    case 'all':
      return { op: 'none' };
    case 'none':
      return { op: 'all' };
    case 'not':
      return bound.of;
    case 'and':
      return disjunction(bound.of.map((part) => negation(part, isSingle)));
    case 'or':
      return conjunction(
        bound.of.map((part) => negation(part, isSingle)),
        isSingle,
      );
    default:
      return { op: 'not', of: bound };
  }
}

function join(
  op: 'and' | 'or',
  parts: readonly BoundCondition[],
  neutral: 'all' | 'none',
  absorbing: 'all' | 'none',
): BoundCondition {
  const flat = parts
    .flatMap((part) => (part.op === op ? part.of : [part]))
    .filter((part) => part.op !== neutral);
  if (flat.some((part) => part.op === absorbing)) return { op: absorbing };
  const distinct = new Map<string, BoundCondition>();
  for (const part of flat) {
    const key = canonical(part);
    if (!distinct.has(key)) distinct.set(key, part);
  }
  const [first, ...rest] = distinct.values();
  if (first === undefined) return { op: neutral };
  return rest.length === 0 ? first : { op, of: [first, ...rest] };
}
