import { expect, it } from 'vitest';
import './time.js';
import { engineContract } from '../../src/testing/engine-contract.js';
import { Random } from '../helpers/seed.js';
import { Disk } from './disk.js';
import { SimulatedEngine } from './engine.js';
import { Scheduler, SimulatedProcess } from './scheduler.js';

const STEPS_MAX = 10_000;

/** Runs a test as the work of a simulated process. */
async function simulate(process: SimulatedProcess, test: () => Promise<void>): Promise<void> {
  let isOver = false;
  process.later(0, 'test', () => {
    test().then(
      () => (isOver = true),
      (error: unknown) =>
        (process.scheduler.failure = error instanceof Error ? error : new Error(String(error))),
    );
  });
  await process.scheduler.run(() => isOver, STEPS_MAX);
}

const random = new Random(1);
const scheduler = new Scheduler(random, undefined);
const tester = new SimulatedProcess('tester', scheduler);
const disks = new Map<string, Disk>();

const contract = engineContract(async (store) => {
  const disk = disks.get(store) ?? new Disk(random);
  disks.set(store, disk);
  return new SimulatedEngine(disk, new SimulatedProcess('engine', scheduler), 0.3);
});

it.each(contract)('the simulated engine $name', async ({ run }) => {
  await simulate(tester, run);
  expect(scheduler.failure).toBeUndefined();
});
