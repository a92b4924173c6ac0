import { afterAll, describe, it } from 'vitest';
import { seedOfRun } from '../../helpers/seed.js';
import { removeDirectories } from '../../helpers/store.js';
import { checkVerbs } from '../../property/verbs-run.js';

afterAll(removeDirectories);

const seed = seedOfRun();

describe(
  `any sequence of verbs leaves what a plain map would hold (SEED=${seed})`,
  // Some thousand commits, which a slow disk makes long.
  { timeout: 600_000 },
  () => {
    it.each([5, 20, 60, 200, 600])('%i verbs, also after a restart', async (steps) => {
      for (let run = 0; run < 4; run++) await checkVerbs(seed + run, steps);
    });
  },
);
