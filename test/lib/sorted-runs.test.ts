import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SortedRuns } from '../../src/lib/sorted-runs.js';

/** Numbers from 0, each once, in an order that the seed decides. */
function shuffled(count: number, seed: number): number[] {
  const sortEntryOf = Array.from({ length: count }, (_, i) => ({ i, key: Math.imul(i + 1, seed | 1) >>> 0 }));
  return sortEntryOf.sort((a, b) => a.key - b.key || a.i - b.i).map(({ i }) => i);
}

const compare = (a: number, b: number): number => a - b;

async function sort(numbers: readonly number[], most: number | undefined, chunk: number): Promise<number[]> {
  const runs = new SortedRuns(compare, most);
  for (let at = 0; at < numbers.length; at += chunk) await runs.add(numbers.slice(at, at + chunk));
  const out: number[] = [];
  for await (const part of runs.inOrder()) {
    expect(part.length).toBeLessThanOrEqual(1_000);
    out.push(...part);
  }
  return out;
}

it('gives the result of one sort, for any order and chunks of the items', async () => {
  const counts = fc.oneof(
    fc.integer({ min: 0, max: 30_000 }),
    fc.constantFrom(1, 1_999, 2_000, 2_001, 4_000),
  );
  await fc.assert(
    fc.asyncProperty(
      counts,
      fc.integer(),
      fc.integer({ min: 1, max: 5_000 }),
      fc.option(fc.integer({ min: 1, max: 12_000 }), { nil: undefined }),
      async (count, seed, chunk, most) => {
        const numbers = shuffled(count, seed);
        const expected = [...numbers].sort(compare).slice(0, most);
        expect(await sort(numbers, most, chunk)).toEqual(expected);
      },
    ),
    { numRuns: 60 },
  );
});

it('gives the few that are wanted when they come last', async () => {
  const numbers = Array.from({ length: 20_000 }, (_, i) => 20_000 - i);
  expect(await sort(numbers, 3, 1_000)).toEqual([1, 2, 3]);
});

it('gives nothing when nothing came', async () => {
  expect(await sort([], undefined, 10)).toEqual([]);
});
