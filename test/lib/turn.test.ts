import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Allowance } from '../../src/lib/work/allowance.js';
import { ownTurn } from '../../src/lib/work/turn.js';
import { Yielder, type Resumable } from '../../src/lib/work/yield.js';

const SENDERS = 5;
const LONG_MS = 15;

it.each<[string, (long: () => void) => Promise<unknown>]>([
  [
    'with breaks',
    (long) => {
      const steps = function* (): Resumable<void> {
        yield;
        new Allowance().during(long);
      };
      return new Yielder().run(steps());
    },
  ],
  [
    'with pauses',
    async (long) => {
      const allowance = new Allowance();
      await nextTurn();
      for (let i = 0; i < 2; i++) {
        await allowance.pause();
        allowance.during(long);
      }
    },
  ],
])('long work of several senders does not share turns of the event loop: %s', async (_name, run) => {
  const state = { turn: 0, isOver: false };
  const counting = (async () => {
    for (; !state.isOver; state.turn += 1) await nextTurn();
  })();
  const turns: number[] = [];
  const long = (): void => {
    const end = performance.now() + LONG_MS;
    while (performance.now() < end);
    turns.push(state.turn);
  };
  await Promise.all(Array.from({ length: SENDERS }, () => run(long)));
  state.isOver = true;
  await counting;
  // Those that began together do not know of each other.
  const later = turns.slice(-SENDERS + 1);
  expect(new Set(later).size).toBe(later.length);
});

it('two turns pass between long pieces of work: one accepts a connection, the next reads its request', async () => {
  const state = { turn: 0, isOver: false };
  const counting = (async () => {
    for (; !state.isOver; state.turn += 1) await nextTurn();
  })();
  const turns = await Promise.all(Array.from({ length: SENDERS }, () => ownTurn().then(() => state.turn)));
  state.isOver = true;
  await counting;
  const passed = turns.slice(1).map((turn, at) => turn - (turns[at] ?? 0));
  expect(passed).toEqual(Array(SENDERS - 1).fill(2));
});
