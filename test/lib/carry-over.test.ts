import { describe, expect, it } from 'vitest';
import { carryOver } from '../../src/lib/json/carry-over.js';

describe('carrying over differences', () => {
  it.each([
    ['leaves what is the same in both', { a: 1, b: 2 }, { a: 9 }, { a: 9 }, { a: 1, b: 2 }],
    ['sets what differs', { a: 1, b: 2 }, { a: 1 }, { a: 3 }, { a: 3, b: 2 }],
    ['adds and takes away members', { a: 1, b: 2 }, { a: 1 }, { c: 3 }, { b: 2, c: 3 }],
    ['goes into objects', { a: { x: 1, y: 2 } }, { a: { x: 1 } }, { a: { x: 5 } }, { a: { x: 5, y: 2 } }],
    ['takes lists as a whole', { a: [1, 2, 3] }, { a: [1] }, { a: [1, 4] }, { a: [1, 4] }],
    ['leaves a list that is the same in both', { a: [1, 2, 3] }, { a: [1] }, { a: [1] }, { a: [1, 2, 3] }],
    [
      'adds to an object that one says nothing of',
      { a: { y: 2 } },
      {},
      { a: { x: 1 } },
      { a: { x: 1, y: 2 } },
    ],
    [
      'takes only known members of an object that goes',
      { a: { x: 1, y: 2 } },
      { a: { x: 1 } },
      {},
      { a: { y: 2 } },
    ],
    ['takes an object away of which nothing is left', { a: { x: 1 } }, { a: { x: 1 } }, {}, {}],
    ['keeps an object that is empty on purpose', { a: { x: 1 } }, { a: { x: 1 } }, { a: {} }, { a: {} }],
    ['changes the type of a value', { a: { x: 1 } }, { a: { x: 1 } }, { a: [1] }, { a: [1] }],
    ['sets null', { a: 1 }, { a: 1 }, { a: null }, { a: null }],
    ['counts undefined as absent', { a: 1 }, { a: 1, b: undefined }, { a: undefined }, {}],
  ])('%s', (_title, value, before, after, expected) => {
    const given = JSON.stringify([value, before, after]);
    expect(carryOver(value, before, after)).toEqual(expected);
    expect(JSON.stringify([value, before, after])).toBe(given);
  });

  it('takes names of the prototype for names like any other', () => {
    const after = JSON.parse('{"__proto__":{"x":1},"constructor":2}') as Record<string, unknown>;
    const made = carryOver({ a: 1 }, {}, after);
    expect(JSON.stringify(made)).toBe('{"a":1,"__proto__":{"x":1},"constructor":2}');
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
  });
});
