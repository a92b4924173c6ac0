import type { BoundCondition } from './bound.js';

/** A part of a condition whose matches stand together in an index (or among the names), so they can be walked. */
export type Driver = Extract<BoundCondition, { readonly op: 'in' | 'prefix' | 'isNull' }>;

/** A way to find all matches: walk the driver's entries and keep those that also meet the rest. */
export interface Candidate {
  readonly driver: Driver;
  /** What the driver does not already say; `all` when it says everything. */
  readonly rest: BoundCondition;
}

/**
 * The ways to find a condition's matches without looking at every object; empty when there is none. Whatever
 * is chosen, the answer is the same; only the number of entries read differs.
 * @param walkable whether the entries of a driver are enough to find its matches
 */
export function candidatesOf(
  condition: BoundCondition,
  walkable: (driver: Driver) => boolean,
): readonly Candidate[] {
  const parts = condition.op === 'and' ? condition.of : [condition];
  return parts.flatMap((part, i): Candidate[] => {
    if (!isDriver(part) || !walkable(part)) return [];
    return [{ driver: part, rest: conjunctionOf(parts.filter((_, j) => j !== i)) }];
  });
}

function isDriver(part: BoundCondition): part is Driver {
  return part.op === 'in' || part.op === 'prefix' || part.op === 'isNull';
}

function conjunctionOf(parts: readonly BoundCondition[]): BoundCondition {
  const [first, ...more] = parts;
  if (first === undefined) return { op: 'all' };
  return more.length === 0 ? first : { op: 'and', of: parts };
}

/**
 * Whether to walk the sort's own index and filter on the way, until the page is full, instead of finding all
 * matches and ordering them. Worth it when the matches are so dense that few entries are read in vain.
 * @param wanted how many matches, from the first, the page needs
 */
export function prefersOrderWalk(matches: number, objects: number, wanted: number): boolean {
  if (matches === 0) return false;
  const walked = Math.min(objects, (wanted * objects) / matches);
  return walked * FILTER_COST < matches * ORDER_COST;
}

/** Relative costs, measured: reading a row to filter an entry; finding and ordering one match. */
const FILTER_COST = 3;
const ORDER_COST = 4;
