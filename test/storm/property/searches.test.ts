import { afterAll, describe, it } from 'vitest';
import { seedOfRun } from '../../helpers/seed.js';
import { removeDirectories } from '../../helpers/store.js';
import { checkSearches } from '../../property/searches-run.js';

afterAll(removeDirectories);

const seed = seedOfRun();
const QUESTIONS = Number(process.env.SEARCHES ?? 20_000);

describe(`any search is a full scan of the texts, at length (SEED=${seed})`, { timeout: 3_600_000 }, () => {
  it.each([
    { objects: 8, questions: Math.ceil(QUESTIONS * 0.2) },
    { objects: 60, questions: Math.ceil(QUESTIONS * 0.6) },
    { objects: 300, questions: Math.ceil(QUESTIONS * 0.2) },
  ])('over $objects objects, $questions times', async (size) => {
    await checkSearches({ seed, ...size });
  });
});
