import { canonical, type BoundCondition } from './bound.js';

/** All of the parts hold. Without parts every object does. */
export function conjunction(parts: readonly BoundCondition[]): BoundCondition {
  return join('and', parts, 'all', 'none');
}

/** At least one of the parts holds. Without parts no object does. */
export function disjunction(parts: readonly BoundCondition[]): BoundCondition {
  return join('or', parts, 'none', 'all');
}

/**
 * The complement. It goes through `and` and `or` (De Morgan) and ends at comparisons: with absent and several
 * values the complement of a range or a set is no range or set.
 */
export function negation(bound: BoundCondition): BoundCondition {
  switch (bound.op) {
    case 'all':
      return { op: 'none' };
    case 'none':
      return { op: 'all' };
    case 'not':
      return bound.of;
    case 'and':
      return disjunction(bound.of.map(negation));
    case 'or':
      return conjunction(bound.of.map(negation));
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
