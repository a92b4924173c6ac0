import { describe, expect, it } from 'vitest';
import './time.js';
import type { Engine } from '../../src/store/engine.js';
import { engineContract } from '../../src/testing/engine-contract.js';
import { Random } from '../helpers/seed.js';
import { FOCUSES } from './focus.js';
import { type Medium, OneDisk } from './medium.js';
import { Scheduler, SimulatedProcess } from './scheduler.js';
import { SharedMedium } from './shared-medium.js';

const STEPS_MAX = 100_000;

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

type MakeMedium = (random: Random, scheduler: Scheduler) => Medium;

const MEDIA: readonly (readonly [string, MakeMedium])[] = [
  ['disk', (random) => new OneDisk(random, FOCUSES.everything)],
  [
    'log',
    (random, scheduler) => new SharedMedium(random, scheduler, { ...FOCUSES.everything, changesMin: 0 }),
  ],
];

describe.each(MEDIA)('the engine on a simulated %s', (_name, makeMedium) => {
  const random = new Random(1);
  const scheduler = new Scheduler(random, undefined);
  const tester = new SimulatedProcess('tester', scheduler);
  const stores = new Map<string, Medium>();
  let opened = 0;

  async function open(store: string): Promise<Engine> {
    const medium = stores.get(store) ?? makeMedium(random, scheduler);
    stores.set(store, medium);
    const process = new SimulatedProcess('engine', scheduler);
    return medium.open({ process, machine: `machine ${++opened}`, onBroken: () => undefined });
  }

  it.each(engineContract(open))('$name', async ({ run }) => {
    await simulate(tester, run);
    expect(scheduler.failure).toBeUndefined();
  });
});
