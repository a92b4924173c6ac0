import { afterAll, describe, it } from 'vitest';
import { Random, seedOfRun } from '../helpers/seed.js';
import { removeDirectories } from '../helpers/store.js';
import { checkVersions } from './versions-run.js';

afterAll(removeDirectories);

const seed = seedOfRun();

describe(`every version of a model shows the same objects (SEED=${seed})`, { timeout: 600_000 }, () => {
  it.each([5, 20, 60])('after %i rounds of writes in any of them', async (steps) => {
    for (let run = 0; run < 3; run++) await checkVersions(new Random(seed + run), steps);
  });
});
