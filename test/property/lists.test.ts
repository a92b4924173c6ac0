import { afterAll, describe, it } from 'vitest';
import { seedOfRun } from '../helpers/seed.js';
import { removeDirectories } from '../helpers/store.js';
import { checkLists } from './lists-run.js';

afterAll(removeDirectories);

const seed = seedOfRun();

describe(
  `any list is a full scan, its condition, a sort and a slice (SEED=${seed})`,
  // Work for the processor, which a busy machine makes long.
  { timeout: 120_000 },
  () => {
    it.each([
      { names: 1, objects: 1, lists: 50 },
      { names: 8, objects: 4, lists: 200 },
      { names: 60, objects: 40, lists: 300 },
      { names: 500, objects: 400, lists: 80 },
      { names: 6_000, objects: 5_000, lists: 20 },
    ])('over up to $names objects, $lists times', async (size) => {
      await checkLists({ seed, ...size });
    });

    it('also when all of them have a filter', async () => {
      await checkLists({ seed, names: 60, objects: 40, lists: 600, filtered: 1 });
    });

    it('also when orders are always kept and sets hardly ever', async () => {
      const listCaches = { cacheThresholdEntries: 0, filterSetBytesMax: 2_000 };
      await checkLists({ seed, names: 60, objects: 40, lists: 400, listCaches });
    });

    it('also when sets are hardly ever kept and come from posting lists and orders', async () => {
      const listCaches = {
        postingListThresholdEntries: 0,
        entriesPerValueMin: 1,
        cacheThresholdEntries: 0,
        filterSetBytesMax: 0,
      };
      await checkLists({ seed, names: 60, objects: 40, lists: 400, listCaches });
    });
  },
);
