import { getPath, type ModelRef } from '../../api/models.js';
import type { RecentChanges } from './change-feed.js';

const STEPS = 25;

/** The number of changes of each model's objects in each part of the range, the oldest part first. */
export interface ChangeCounts {
  /** Undefined for a model that was not requested. */
  of(model: ModelRef): readonly number[] | undefined;
  /** The largest number in any part. */
  readonly max: number;
  /** The number of changes in the range. */
  readonly looked: number;
}

export function countChanges({ after, head, changes, reported }: RecentChanges): ChangeCounts {
  const looked = head - after;
  const counts = new Map([...reported].map((path) => [path, new Array<number>(STEPS).fill(0)]));
  for (const { model, revision } of changes) {
    const parts = counts.get(getPath(model));
    // When the changes are fewer than the parts, each has its own part.
    const part = Math.min(STEPS - 1, Math.floor(((revision - after - 1) * STEPS) / Math.max(looked, STEPS)));
    if (parts !== undefined) parts[part] = (parts[part] ?? 0) + 1;
  }
  return {
    of: (model) => counts.get(getPath(model)),
    max: Math.max(0, ...[...counts.values()].flat()),
    looked,
  };
}
