import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { passOver } from '../helpers/passed-over.js';
import { Subscription, type Feed } from '../../src/watch/subscription.js';
import { removeDirectories } from '../helpers/store.js';
import { thing, THING } from '../store/helpers.js';
import { subscribe, takeUntil, textsOf, usePrograms, type Program } from './helpers.js';

afterAll(removeDirectories);
const programs = usePrograms();

const NAMES = ['a', 'b', 'c'];

/** A program whose hub has read three changes, the last of which is passed over then. */
async function startPassedOver(): Promise<{ program: Program; early: ReturnType<typeof subscribe> }> {
  const program = await programs.start();
  const early = subscribe(program, 0);
  const taken = takeUntil(early, NAMES.length);
  for (const name of NAMES) await program.service.create(THING, thing(name));
  await taken;
  passOver(programs.directory);
  return { program, early };
}

describe('a watch that begins while a commit is passed over', () => {
  it('lets others run, and gets the change when that is mended', async () => {
    const { program, early } = await startPassedOver();
    const late = subscribe(program, 2);
    const next = takeUntil(late, 3);
    await sleep(1);
    expect((await next).flatMap(textsOf)).toEqual(['3 ADDED c ->-']);
    await program.service.create(THING, thing('d'));
    for (const subscription of [late, early]) {
      expect((await takeUntil(subscription, 4)).flatMap(textsOf)).toEqual(['4 ADDED d ->-']);
      subscription.close();
    }
  });

  it('may begin at the change that was passed over', async () => {
    const { program, early } = await startPassedOver();
    const late = subscribe(program, 3);
    const next = takeUntil(late, 4);
    await sleep(1);
    await program.service.create(THING, thing('d'));
    expect((await next).flatMap(textsOf)).toEqual(['4 ADDED d ->-']);
    for (const subscription of [late, early]) subscription.close();
  });

  it('ends soon when it is closed', async () => {
    const { program, early } = await startPassedOver();
    const late = subscribe(program, 2);
    const next = late.next();
    await sleep(1);
    late.close();
    expect(['ended', 'woken']).toContain(await next);
    early.close();
  });
});

describe('a watch that may not join yet', () => {
  const READS_MAX = 1_000;

  it.each([
    ['reads nothing new', () => 0],
    ['reads one part after the other', (reads: number) => reads],
  ])('lets others run while it %s', async (_what, until) => {
    let [reads, isOthersTurn] = [0, false];
    setImmediate(() => (isOthersTurn = true));
    const joined = await new Promise<number>((resolve) => {
      const feed: Feed = {
        read: () => Promise.resolve({ batches: [], until: until(++reads), isEnd: until(1) === 0 }),
        join: () => {
          if (!isOthersTurn && reads < READS_MAX) return false;
          resolve(reads);
          return true;
        },
        leave: () => undefined,
      };
      void new Subscription(1, 0, feed, { changes: 1, bytes: 1 }).next();
    });
    expect(joined).toBeLessThan(READS_MAX);
  });
});
