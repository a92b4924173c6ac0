import { describe, expect, it } from 'vitest';
import { SortedPairs } from '../../src/testing/sorted-pairs.js';

/** The same numbers at each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

function read(pairs: SortedPairs, start: string, end: string, reverse: boolean): string[] {
  const found: string[] = [];
  pairs.visit({ start, end, reverse }, (key, value) => found.push(`${key}=${value.toString()}`) > 0);
  return found;
}

describe('sorted pairs', () => {
  it('have what a map has, in the order of the keys, and older states stay', () => {
    const next = numbers(7);
    const map = new Map<string, string>();
    let pairs = SortedPairs.EMPTY;
    const older: { readonly pairs: SortedPairs; readonly texts: readonly string[] }[] = [];
    const texts = (): string[] =>
      [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => `${key}=${value}`);
    for (let i = 0; i < 20_000; i++) {
      const key = String.fromCharCode(97 + next(3)) + next(2_000).toString(36);
      // First it grows, then it shrinks.
      if (next(10) < (i < 10_000 ? 8 : 2)) {
        map.set(key, String(i));
        pairs = pairs.with(key, Buffer.from(String(i)));
      } else {
        map.delete(key);
        pairs = pairs.without(key);
      }
      expect(pairs.get(key)?.toString()).toBe(map.get(key));
      if (i % 4_000 === 0) older.push({ pairs, texts: texts() });
    }
    expect(read(pairs, '', 'z', false)).toEqual(texts());
    const inB = texts().filter((text) => text >= 'b' && text < 'c');
    expect(read(pairs, 'b', 'c', true)).toEqual(inB.reverse());
    for (const state of older) expect(read(state.pairs, '', 'z', false)).toEqual(state.texts);
    for (const key of map.keys()) pairs = pairs.without(key);
    expect(read(pairs, '', 'z', false)).toEqual([]);
    expect(read(pairs.with('a', Buffer.from('1')), '', 'z', false)).toEqual(['a=1']);
  });
});
