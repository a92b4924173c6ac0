import { afterAll, it } from 'vitest';
import { seedOfRun } from '../../helpers/seed.js';
import { removeDirectories } from '../../helpers/store.js';
import { checkFilters } from '../../property/cel-filters.js';

afterAll(removeDirectories);

const seed = seedOfRun();
/** More by hand. */
const FILTERED = Number(process.env['FILTERED_LISTS'] ?? 20_000);

it(
  `${FILTERED} random filters match what a library of CEL says of each object (SEED=${seed})`,
  { timeout: 1_800_000 },
  async () => {
    await checkFilters(seed, FILTERED);
  },
);
