import { describe, expect, it } from 'vitest';
import { ExactSums } from '../../src/list/aggregates/exact-sums.js';

const MAX = Number.MAX_VALUE;

function sums(...values: number[]): ExactSums {
  const all = new ExactSums();
  all.add(new Uint32Array(values.length), Float64Array.from(values));
  return all;
}

describe('an exact sum', () => {
  it.each<[number[], number]>([
    [[], 0],
    [[-0], 0],
    [Array.from({ length: 10 }, () => 0.1), 1],
    [[0.1, 0.2, 0.3], 0.6],
    [[1e16, 1, -1e16], 1],
    [[1e300, 1e-300, -1e300], 1e-300],
    [[MAX, MAX, -MAX, -MAX, 5e-324], 5e-324],
    [[MAX, MAX], Infinity],
    [[-MAX, -MAX, 1], -Infinity],
    [[MAX, 1, -0.5], MAX],
    [[2 ** 53, 1, 2 ** -60], 2 ** 53 + 2],
    [[2 ** 53, 1], 2 ** 53],
  ])('of %j is rounded once: %d', (values, expected) => {
    expect(sums(...values).number(0)).toBe(expected);
    expect(sums(...values.toReversed()).number(0)).toBe(expected);
  });

  it.each<[number[], number]>([
    [[MAX, MAX], MAX],
    [[1, 2, 2], 5 / 3],
    [[0.1, 0.1, 0.1], 0.1],
    [[1e16, 1, -1e16], 1 / 3],
    [[5e-324, 5e-324], 5e-324],
    [[-5e-324, 0], 0],
  ])('of %j gives the average %d', (values, expected) => {
    expect(sums(...values).number(0, values.length)).toBe(expected);
  });

  it('of large integers has all digits, in any order of the groups', () => {
    const all = new ExactSums();
    all.add(Uint32Array.of(7, 0, 7, 0), Float64Array.of(2 ** 53, -(2 ** 62), 1, -1));
    expect([all.integer(7), all.integer(0), all.integer(3)]).toEqual([2n ** 53n + 1n, -(2n ** 62n) - 1n, 0n]);
  });
});
