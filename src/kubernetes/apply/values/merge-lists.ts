import type { PathElement } from '../paths/element.js';
import type { ListType } from '../types/field-type.js';
import { findStep } from './list-item.js';

type Merge = (base: unknown, stated: unknown) => unknown;

/** A list with the steps to its items. */
interface Indexed {
  readonly steps: readonly PathElement[];
  readonly items: readonly unknown[];
  /** One item for each step; null for an item that is there several times. */
  readonly byStep: ReadonlyMap<PathElement, unknown>;
}

/**
 * Merges two sets or list maps. The items of the second list have its order; an item of the first list only stays behind the one
 * that it followed.
 */
export function mergeLists(
  base: readonly unknown[],
  stated: readonly unknown[],
  list: ListType,
  merge: Merge,
): unknown[] {
  const left = index(base, list);
  const right = index(stated, list);
  const shared = right.steps.filter((step) => left.byStep.has(step));
  const out: unknown[] = [];
  const done = new Set<PathElement>();
  let nextShared = 0;
  let [l, r] = [0, 0];

  const take = (item: unknown): void => {
    if (item !== undefined) out.push(item);
  };
  const takeStated = (step: PathElement): void => {
    done.add(step);
    take(merge(left.byStep.get(step), right.byStep.get(step)));
    r++;
    if (shared[nextShared] === step) nextShared++;
  };

  while (l < left.steps.length || r < right.steps.length) {
    const [step, other] = [left.steps[l], right.steps[r]];
    const expected = shared[nextShared];
    if (step !== undefined && step === other) {
      takeStated(step);
      l++;
    } else if (step === undefined) {
      if (other !== undefined) takeStated(other);
    } else if (!right.byStep.has(step)) {
      take(merge(left.items[l], undefined));
      l++;
    } else if (other !== undefined && expected !== undefined && expected !== step) {
      // It comes where the stated list has it.
      l++;
    } else {
      if (done.has(step)) l++;
      if (other !== undefined) takeStated(other);
    }
  }
  return out;
}

function index(items: readonly unknown[], list: ListType): Indexed {
  const steps: PathElement[] = [];
  const known: unknown[] = [];
  const byStep = new Map<PathElement, unknown>();
  for (const item of items) {
    const step = findStep(item, list);
    if (step === undefined) continue;
    byStep.set(step, byStep.has(step) ? null : item);
    steps.push(step);
    known.push(item);
  }
  return { steps, items: known, byStep };
}
