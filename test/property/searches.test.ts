import { afterAll, describe, it } from 'vitest';
import { seedOfRun } from '../helpers/seed.js';
import { removeDirectories } from '../helpers/store.js';
import { checkSearches } from './searches-run.js';

afterAll(removeDirectories);

const seed = seedOfRun();

describe(`any search is a full scan of the texts (SEED=${seed})`, { timeout: 120_000 }, () => {
  it.each([
    { objects: 3, questions: 40 },
    { objects: 60, questions: 200 },
    { objects: 150, questions: 60 },
  ])('over $objects objects, $questions times', async (size) => {
    await checkSearches({ seed, ...size });
  });
});
