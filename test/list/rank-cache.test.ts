import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdSet } from '../../src/list/filter/id-set.js';
import { RankCache } from '../../src/list/order/rank-cache.js';

const OBJECTS = 20_000;

/** Every object once, in an order that has nothing to do with the ids. */
function idsInOrder(step: number): number[] {
  return Array.from({ length: OBJECTS }, (_, place) => (place * step) % OBJECTS);
}

function columnOf(ids: readonly number[]): Promise<RankCache | undefined> {
  async function* walk(): AsyncGenerator<readonly number[]> {
    yield ids;
  }
  return RankCache.read(walk(), ids.length, 1);
}

/** Which places of the order match: spread evenly, or all of them at the beginning, in the middle or at the end. */
const matching = fc.record({
  count: fc.constantFrom(0, 1, 3, 40, 300, 1_200, 1_300, 5_000, OBJECTS),
  begin: fc.constantFrom('spread', 0, 0.5, 1),
});

function matchesOf(
  ids: readonly number[],
  { count, begin }: { count: number; begin: string | number },
): number[] {
  if (typeof begin === 'number') {
    const from = Math.floor((ids.length - count) * begin);
    return ids.slice(from, from + count);
  }
  const gap = Math.floor(ids.length / Math.max(1, count));
  return ids.filter((_, place) => count > 0 && place % gap === 0).slice(0, count);
}

describe('a column of ids in order', () => {
  it('gives any part of any matches in order, wherever in the order they are', async () => {
    // Coprime to the number of objects.
    const ids = idsInOrder(7_919);
    const column = await columnOf(ids);
    const part = fc.tuple(fc.nat(300), fc.integer({ min: 1, max: 200 }));
    fc.assert(
      fc.property(matching, part, (how, [from, length]) => {
        const matches = matchesOf(ids, how);
        const found = column?.getSlice(IdSet.of(matches), from, from + length);
        expect(found).toEqual(matches.slice(from, from + length));
      }),
      { numRuns: 300 },
    );
  });
});
