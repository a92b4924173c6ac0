import { expect, it } from 'vitest';
import { seedOfRun } from '../helpers/seed.js';
import { runSeed } from './run.js';

/** A new seed, or that of the environment. */
const seed = seedOfRun();
const SEEDS = 300;
/** More seeds are left to the storm tests when the machine is busy. */
const MS_MAX = 60_000;
const WEBHOOK_SEEDS = 15;
const WEBHOOK_MS_MAX = 5_000;

it(`keeps every answered write, read and watch right, whatever fails (SEED=${seed})`, async () => {
  await runSeed(seed);
});

it('does so for many seeds', async () => {
  const until = performance.now() + MS_MAX;
  let next = 1;
  while (next <= SEEDS && performance.now() < until) await runSeed(next++);
  expect(next).toBeGreaterThan(10);
});

it('delivers each change to a webhook, in the order of each object', async () => {
  const until = performance.now() + WEBHOOK_MS_MAX;
  let next = 1;
  while (next <= WEBHOOK_SEEDS && performance.now() < until) await runSeed(next++, { focus: 'webhooks' });
  expect(next).toBeGreaterThan(2);
});

it('repeats a seed step by step', async () => {
  const [first, second]: [string[], string[]] = [[], []];
  await runSeed(seed, { trace: (line) => first.push(line) });
  await runSeed(seed, { trace: (line) => second.push(line) });
  expect(second).toEqual(first);
  expect(first.length).toBeGreaterThan(100);
});
