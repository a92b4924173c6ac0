import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonItemSplitter } from '../../src/client/json-items.js';

function split(parts: readonly string[]): { items: unknown[]; isComplete: boolean } {
  const splitter = new JsonItemSplitter();
  const items = parts.flatMap((part) => splitter.push(part)).map((text): unknown => JSON.parse(text));
  return { items, isComplete: splitter.isComplete };
}

describe('JsonItemSplitter', () => {
  it('gives back the items of any list, wherever the text is cut', () => {
    const anything = fc.array(fc.dictionary(fc.string(), fc.jsonValue()));
    fc.assert(
      fc.property(
        anything,
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.integer({ min: 1, max: 7 }),
        (items, other, n) => {
          const { items: _, ...head } = other;
          const text = JSON.stringify({ ...head, items, size: 0 });
          const parts = Array.from({ length: Math.ceil(text.length / n) }, (_unused, i) =>
            text.slice(i * n, i * n + n),
          );
          const sent: unknown = JSON.parse(JSON.stringify(items));
          expect(split(parts)).toEqual({ items: sent, isComplete: true });
        },
      ),
    );
  });

  it('is not taken in by other members named items', () => {
    const text = JSON.stringify({ metadata: { items: [{ no: 1 }] }, kind: 'items', items: [{ yes: 1 }] });
    expect(split([text]).items).toEqual([{ yes: 1 }]);
  });

  it('reads laid out JSON', () => {
    const text = JSON.stringify({ kind: 'L', items: [{ a: [1, { b: '}' }] }, {}] }, undefined, 2);
    expect(split([text]).items).toEqual([{ a: [1, { b: '}' }] }, {}]);
  });

  it('knows that a list broke off', () => {
    expect(split(['{"items":[{"a":1},{"b"'])).toEqual({ items: [{ a: 1 }], isComplete: false });
    expect(split(['{"items":[]}']).isComplete).toBe(true);
  });
});
