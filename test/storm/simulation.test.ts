import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { afterAll, expect, it } from 'vitest';
import { seedOfRun } from '../helpers/seed.js';
import { removeDirectories } from '../helpers/store.js';
import { findWith, OLD_FAULTS } from '../simulation/old-faults.js';

afterAll(removeDirectories);

/** The first of consecutive seeds. */
const seed = seedOfRun();
const SEEDS = Number(process.env.SEEDS ?? 100_000);
/** With a given number of seeds, all of them are simulated. */
const MINUTES_MAX = process.env.SEEDS === undefined ? 10 : 24 * 60;
/** Seeds of one process: simulated kills leave memory. */
const PART = 1_000;
const SIMULATE = new URL('../simulation/simulate.mjs', import.meta.url).pathname;

/** Simulates seeds in a process of its own. @returns the seeds that failed, with their problems */
async function simulatePart(first: number, seeds: number): Promise<string> {
  const child = spawn(process.execPath, [SIMULATE, `--seed=${first}`, `--seeds=${seeds}`]);
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => output.push(String(data)));
  const code = await new Promise((resolve) => child.once('close', resolve));
  return code === 0 ? '' : output.join('');
}

it(
  `a simulation of several processes keeps all promises (SEED=${seed}, SEEDS=${SEEDS})`,
  async () => {
    const began = performance.now();
    const minutes = (): number => (performance.now() - began) / 60_000;
    const problems: string[] = [];
    let [next, done] = [seed, 0];
    const work = async (): Promise<void> => {
      while (next < seed + SEEDS && minutes() < MINUTES_MAX) {
        const [first, seeds] = [next, Math.min(PART, seed + SEEDS - next)];
        next += seeds;
        const problem = await simulatePart(first, seeds);
        if (problem !== '') console.log(problem);
        problems.push(problem);
        done += seeds;
      }
    };
    await Promise.all(Array.from({ length: availableParallelism() }, work));
    console.log(`${done} seeds from ${seed} on, ${Math.round(done / minutes())} a minute`);
    expect(problems.join('')).toBe('');
    expect(done).toBeGreaterThan(0);
  },
  (MINUTES_MAX + 5) * 60_000,
);

it.each(OLD_FAULTS)('the simulation finds from the first seed on that $name', async (fault) => {
  const found = await findWith(fault, 1);
  console.log(`seed ${found} finds that ${fault.name}`);
  expect(found).toBeGreaterThan(0);
});
