import { afterAll, describe, expect, it } from 'vitest';
import { seedOfRun } from '../helpers/seed.js';
import { removeDirectories } from '../helpers/store.js';
import { visitDoors } from './role-matrix.js';

afterAll(removeDirectories);

const seed = seedOfRun();

describe(`members with random rules see at no door what their rules hide (SEED=${seed})`, () => {
  it('in a few stores', async () => {
    expect(await visitDoors(seed, 3_000)).toBeGreaterThanOrEqual(3_000);
  });
});
