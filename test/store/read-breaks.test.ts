import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Engine, KeyRange, Snapshot } from '../../src/store/engine.js';
import { openLmdb } from '../../src/engines/lmdb/engine.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const PAIRS = 50_000;
const key = (i: number): Buffer => Buffer.from(`k${String(i).padStart(6, '0')}`);
const value = (i: number): Buffer => Buffer.from(`value ${i}`);
const ALL: KeyRange = { start: key(0), end: key(PAIRS) };
const numbers = Array.from({ length: PAIRS }, (_, i) => i);

let engine: Engine;
let snapshot: Snapshot;

beforeAll(async () => {
  engine = await openLmdb(temporaryDirectory(), { relaxed: true });
  await engine.commit((tx) => {
    for (const i of numbers) tx.put(key(i), value(i));
  });
});

afterAll(async () => {
  await engine.close();
  removeDirectories();
});

beforeEach(() => (snapshot = engine.snapshot()));
afterEach(() => snapshot.close());

/** Number of turns that other tasks had before the work was done. */
async function turnsDuring(work: () => unknown): Promise<number> {
  const state = { isDone: false, turns: 0 };
  const counting = (async () => {
    for (; !state.isDone; state.turns++) await nextTurn();
  })();
  try {
    await work();
  } finally {
    state.isDone = true;
    await counting;
  }
  return state.turns;
}

describe('a long read', () => {
  it('lets others run in between, key by key', async () => {
    let read: unknown[] = [];
    const turns = await turnsDuring(async () => (read = await snapshot.getMany(numbers.map(key))));
    expect(read).toEqual(numbers.map(value));
    expect(turns).toBeGreaterThan(5);
  });

  it.each([
    { way: 'upwards', reverse: false },
    { way: 'downwards', reverse: true },
  ])('lets others run in between, along a range $way', async ({ reverse }) => {
    let read: number[] = [];
    const limit = PAIRS - 3;
    const turns = await turnsDuring(async () => {
      const pairs = await snapshot.scan(ALL, { limit, reverse });
      read = pairs.map((pair) => Number(pair.key.subarray(1).toString()));
    });
    expect(read).toEqual((reverse ? numbers.toReversed() : numbers).slice(0, limit));
    expect(turns).toBeGreaterThan(5);
  });

  it.each([
    { way: 'upwards', reverse: false },
    { way: 'downwards', reverse: true },
  ])('lets others run in between, along a range $way without copies', async ({ reverse }) => {
    const seen: number[] = [];
    let last: Buffer | undefined;
    const limit = 203;
    const turns = await turnsDuring(async () => {
      last = await snapshot.scanInPlace(ALL, { limit, reverse }, (_, { bytes, end }) => {
        seen.push(Number(String.fromCharCode(...[6, 5, 4, 3, 2, 1].map((back) => bytes[end - back] ?? 0))));
        const until = performance.now() + 0.5;
        while (performance.now() < until);
        return true;
      });
    });
    const expected = (reverse ? numbers.toReversed() : numbers).slice(0, limit);
    expect(seen).toEqual(expected);
    expect(last).toEqual(key(expected.at(-1) ?? 0));
    expect(turns).toBeGreaterThan(5);
  });

  it('fails when its snapshot is closed meanwhile', async () => {
    const other = engine.snapshot();
    const read = other.getMany(numbers.map(key));
    other.close();
    await expect(async () => read).rejects.toThrow('closed while it was read');
  });
});
