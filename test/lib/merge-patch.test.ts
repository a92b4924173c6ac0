import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyMergePatch, createMergePatch } from '../../src/lib/json/merge-patch.js';

describe('a merge patch', () => {
  it.each<[unknown, unknown, unknown]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [{ a: [1] }, { a: [null, { b: null }] }, { a: [null, { b: null }] }],
  ])('of %j by %j gives %j (RFC 7396)', (target, patch, result) => {
    const before = JSON.stringify([target, patch]);
    expect(applyMergePatch(target, patch)).toEqual(result);
    expect(JSON.stringify([target, patch])).toBe(before);
  });

  it('treats no key as special', () => {
    const patch: unknown = JSON.parse('{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}}}');
    const result = applyMergePatch({}, patch);
    expect('x' in {}).toBe(false);
    expect(JSON.stringify(result)).toBe(JSON.stringify(patch));
    expect(JSON.stringify(applyMergePatch(result, JSON.parse('{"__proto__":null}')))).not.toContain(
      '__proto__',
    );
  });

  it('shares nothing with its sources', () => {
    const target = { a: { b: [1] } };
    const patch = { c: { d: [1] } };
    const result = applyMergePatch(target, patch) as { a: { b: number[] }; c: { d: number[] } };
    result.a.b.push(2);
    result.c.d.push(2);
    expect([target, patch]).toEqual([{ a: { b: [1] } }, { c: { d: [1] } }]);
  });

  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(1, 2, 'x', true),
      fc.array(fc.constantFrom(1, 2), { maxLength: 2 }),
      tie('object'),
    ),
    object: fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__', 'toString'), tie('any'), {
      maxKeys: 3,
    }),
  })).object;

  it('made from two values turns the one into the other, and is empty when they are the same', () => {
    fc.assert(
      fc.property(value, value, (from, to) => {
        const same = (a: unknown, b: unknown): void => expect(sortedText(a)).toBe(sortedText(b));
        same(applyMergePatch(from, createMergePatch(from, to)), to);
        same(createMergePatch(from, from), {});
      }),
      { numRuns: 2000 },
    );
  });

  it('created from two values contains only the differences', () => {
    expect(createMergePatch({ a: 1, b: { c: 1, d: 2 }, e: 1 }, { a: 1, b: { c: 2, d: 2 } })).toEqual({
      b: { c: 2 },
      e: null,
    });
    expect(createMergePatch({ a: {} }, { a: { b: null } })).toEqual({});
    expect(createMergePatch(1, { a: { b: null } })).toEqual({ a: {} });
  });
});

function sortedText(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))
      : member,
  );
}
