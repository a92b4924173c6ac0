import { afterAll, expect, it } from 'vitest';
import { removeDirectories } from '../helpers/store.js';
import { loadWith, OLD_FAULTS } from './old-faults.js';

afterAll(removeDirectories);

const SEEDS_MAX = 2_000;

it.each(OLD_FAULTS)(
  'the simulation finds that $name',
  async (fault) => {
    const { runSeed } = await loadWith(fault);
    let found: unknown;
    for (let seed = fault.seed; found === undefined && seed <= SEEDS_MAX; seed++)
      await runSeed(seed, fault.options).catch((error: unknown) => (found = error));
    expect(String(found)).toMatch(fault.problem);
  },
  600_000,
);
