import { getPath, type ModelRef } from '../../api/models.js';
import type { RecentChanges } from './change-feed.js';

const STEPS = 25;

/** How often the objects of each model were changed in each part of what is looked at, the oldest part first. */
export interface ChangeCounts {
  /** Undefined for a model that was not asked. */
  of(model: ModelRef): readonly number[] | undefined;
  /** The most in any part. */
  readonly max: number;
  /** How many changes there are to look at. */
  readonly looked: number;
}

export function countChanges({ after, head, changes, told }: RecentChanges): ChangeCounts {
  const looked = head - after;
  const counts = new Map([...told].map((path) => [path, new Array<number>(STEPS).fill(0)]));
  for (const { model, revision } of changes) {
    const parts = counts.get(getPath(model));
    // Where there are fewer changes than parts, each has its own part.
    const part = Math.min(STEPS - 1, Math.floor(((revision - after - 1) * STEPS) / Math.max(looked, STEPS)));
    if (parts !== undefined) parts[part] = (parts[part] ?? 0) + 1;
  }
  return {
    of: (model) => counts.get(getPath(model)),
    max: Math.max(0, ...[...counts.values()].flat()),
    looked,
  };
}
