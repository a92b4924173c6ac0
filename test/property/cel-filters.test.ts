import { afterAll, it } from 'vitest';
import { seedOfRun } from '../helpers/seed.js';
import { removeDirectories } from '../helpers/store.js';
import { checkFilters } from './cel-filters.js';

afterAll(removeDirectories);

const seed = seedOfRun();

it(`2,000 random filters match what a library of CEL says of each object (SEED=${seed})`, async () => {
  await checkFilters(seed, 2_000);
});
