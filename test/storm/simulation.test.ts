import { expect, it } from 'vitest';
import { seedOfRun } from '../helpers/seed.js';
import { runSeed } from '../simulation/run.js';

/** The first of consecutive seeds. */
const seed = seedOfRun();
const SEEDS = Number(process.env.SEEDS ?? 100_000);
const MS_MAX = 600_000;

it(`a simulation of several processes keeps all promises (SEED=${seed}, SEEDS=${SEEDS})`, async () => {
  const until = performance.now() + MS_MAX;
  let next = seed;
  while (next < seed + SEEDS && performance.now() < until) await runSeed(next++);
  console.log(`${next - seed} seeds from ${seed} on`);
  expect(next).toBeGreaterThan(seed);
});
