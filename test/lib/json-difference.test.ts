import { describe, expect, it } from 'vitest';
import { deepEqual } from '../../src/lib/json/json.js';
import { findDifference, differingPart, differsAt } from '../../src/lib/json/json-difference.js';

describe('where two JSON values differ', () => {
  it.each<[string, unknown, unknown]>([
    ['the same scalar', 1, 1],
    ['members in another order', { a: 1, b: [{}] }, { b: [{}], a: 1 }],
    ['a member that is undefined, and none', { a: undefined }, {}],
    ['none, and a member that is undefined', {}, { a: undefined }],
  ])('is nowhere: %s', (_what, a, b) => {
    expect(findDifference(a, b)).toBeUndefined();
    expect(deepEqual(a, b)).toBe(true);
  });

  it.each<[string, unknown, unknown]>([
    ['another kind of scalar', 1, '1'],
    ['null and nothing', { a: null }, {}],
    ['a list and an object', [], {}],
    ['a shorter list', [1, 2], [1]],
    ['an inherited name', {}, { constructor: 1 }],
  ])('is somewhere: %s', (_what, a, b) => {
    expect(differsAt(findDifference(a, b), [])).toBe(true);
    expect(differsAt(findDifference(b, a), [])).toBe(true);
  });

  it('is known for each place separately, a position being no name', () => {
    const difference = findDifference(
      { a: [1, 2, { x: 1 }], 'a.b': 1, c: 1 },
      { a: [1, 3, { x: 1 }, 4], c: 1 },
    );
    const differs = (...path: (string | number)[]): boolean => differsAt(difference, path);
    expect([differs('a'), differs('a', 1), differs('a', 3), differs('a', 3, 'x'), differs('a.b')]).toEqual(
      Array(5).fill(true),
    );
    expect([differs('a', 0), differs('a', 2, 'x'), differs('c'), differs('none'), differs('a', '1')]).toEqual(
      Array(5).fill(false),
    );
  });

  it('can be cut out, with the order of members and the positions of items', () => {
    const stored = { b: 1, a: [{ x: 1 }, { x: 2 }], same: {} };
    const next: unknown = JSON.parse(
      '{"same": {}, "b": 2, "__proto__": 3, "a": [{"x": 1}, {"x": 3, "y": 4}]}',
    );
    const difference = findDifference(stored, next);
    if (difference === undefined) throw new Error('they differ');
    expect(JSON.stringify(differingPart(next, difference))).toBe(
      '{"b":2,"__proto__":3,"a":[null,{"x":3,"y":4}]}',
    );
  });
});
