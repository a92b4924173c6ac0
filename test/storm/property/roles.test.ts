import { afterAll, expect, it } from 'vitest';
import { seedOfRun } from '../../helpers/seed.js';
import { removeDirectories } from '../../helpers/store.js';
import { visitDoors } from '../../property/role-matrix.js';

afterAll(removeDirectories);

const seed = seedOfRun();
const CASES = Number(process.env.CASES ?? 100_000);

it(
  `members with random rules see at no door what their rules hide, in ${CASES} cases (SEED=${seed})`,
  async () => {
    expect(await visitDoors(seed, CASES)).toBeGreaterThanOrEqual(CASES);
  },
  60 * 60_000,
);
