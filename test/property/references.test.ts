import { afterAll, describe, expect, it } from 'vitest';
import { seedOfRun } from '../helpers/seed.js';
import { removeDirectories } from '../helpers/store.js';
import { checkReferences } from './references-run.js';

afterAll(removeDirectories);

const seed = seedOfRun();

describe(
  `random writes through two services leave no reference without a target (SEED=${seed})`,
  { timeout: 600_000 },
  () => {
    it.each([
      [0, 1_000],
      [1, 1_000],
      [2, 1_000],
      [3, 0],
      [4, 1],
      [5, 3],
    ])('models %i, of which %i go along at once', async (run, cascadeMax) => {
      const { written, refused } = await checkReferences(seed + run, 60, cascadeMax);
      // Else nothing was tried.
      expect(written).toBeGreaterThan(10);
      expect(refused).toBeGreaterThan(10);
    });
  },
);
