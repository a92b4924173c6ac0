import { afterAll, describe, it } from 'vitest';
import { seedOfRun } from '../../helpers/seed.js';
import { removeDirectories } from '../../helpers/store.js';
import { checkLists } from '../../property/lists-run.js';

afterAll(removeDirectories);

const seed = seedOfRun();
/** Work for the processor: several milliseconds a list. More by hand. */
const FILTERED = Number(process.env['FILTERED_LISTS'] ?? 4_000);

describe(`any list is a full scan, its condition, a sort and a slice, at length (SEED=${seed})`, () => {
  it.each([
    { names: 8, objects: 4, lists: 5_000 },
    { names: 60, objects: 40, lists: 5_000 },
    { names: 500, objects: 400, lists: 2_000 },
    { names: 8_000, objects: 7_000, lists: 500 },
  ])('over up to $names objects, $lists times', async (size) => {
    await checkLists({ seed, ...size });
  });

  it.each([
    { names: 60, objects: 40, lists: 25_000 },
    { names: 500, objects: 400, lists: 8_000 },
  ])('over up to $names objects, $lists times, when orders are always kept', async (size) => {
    const listCaches = { cacheThresholdEntries: 0, filterSetBytesMax: 20_000 };
    await checkLists({ seed, ...size, listCaches });
  });

  it(`over up to 60 objects, ${FILTERED} times, when all have a filter`, { timeout: 1_800_000 }, async () => {
    await checkLists({ seed, names: 60, objects: 40, lists: FILTERED, filtered: 1 });
  });

  it.each([
    { names: 60, objects: 40, lists: 10_000 },
    { names: 500, objects: 400, lists: 2_500 },
  ])(
    'over up to $names objects, $lists times, when sets come from posting lists and orders',
    async (size) => {
      const listCaches = {
        postingListThresholdEntries: 0,
        entriesPerValueMin: 1,
        cacheThresholdEntries: 0,
        filterSetBytesMax: 0,
      };
      await checkLists({ seed, ...size, listCaches });
    },
  );
});
