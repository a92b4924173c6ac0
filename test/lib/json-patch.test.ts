import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.js';
import { applyJsonPatch, OPERATIONS_MAX } from '../../src/lib/json/json-patch.js';

function refusal(
  document: unknown,
  patch: unknown,
): { code: string; field: string | undefined; message: string } {
  try {
    applyJsonPatch(document, patch);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { code: error.code, field: error.details.causes?.[0]?.field, message: error.message };
  }
  return { code: 'none', field: undefined, message: '' };
}

describe('a JSON patch', () => {
  it.each<[string, unknown, unknown[], unknown]>([
    [
      'A.1 adds a member',
      { foo: 'bar' },
      [{ op: 'add', path: '/baz', value: 'qux' }],
      { baz: 'qux', foo: 'bar' },
    ],
    [
      'A.2 adds an item',
      { foo: ['bar', 'baz'] },
      [{ op: 'add', path: '/foo/1', value: 'qux' }],
      { foo: ['bar', 'qux', 'baz'] },
    ],
    ['A.3 removes a member', { baz: 'qux', foo: 'bar' }, [{ op: 'remove', path: '/baz' }], { foo: 'bar' }],
    [
      'A.4 removes an item',
      { foo: ['bar', 'qux', 'baz'] },
      [{ op: 'remove', path: '/foo/1' }],
      { foo: ['bar', 'baz'] },
    ],
    [
      'A.5 replaces a value',
      { baz: 'qux', foo: 'bar' },
      [{ op: 'replace', path: '/baz', value: 'boo' }],
      { baz: 'boo', foo: 'bar' },
    ],
    [
      'A.6 moves a value',
      { foo: { bar: 'baz', waldo: 'fred' }, qux: { corge: 'grault' } },
      [{ op: 'move', from: '/foo/waldo', path: '/qux/thud' }],
      { foo: { bar: 'baz' }, qux: { corge: 'grault', thud: 'fred' } },
    ],
    [
      'A.7 moves an item',
      { foo: ['all', 'grass', 'cows', 'eat'] },
      [{ op: 'move', from: '/foo/1', path: '/foo/3' }],
      { foo: ['all', 'cows', 'eat', 'grass'] },
    ],
    [
      'A.8 tests values',
      { baz: 'qux', foo: ['a', 2, 'c'] },
      [
        { op: 'test', path: '/baz', value: 'qux' },
        { op: 'test', path: '/foo/1', value: 2 },
      ],
      { baz: 'qux', foo: ['a', 2, 'c'] },
    ],
    [
      'A.10 adds a nested object',
      { foo: 'bar' },
      [{ op: 'add', path: '/child', value: { grandchild: {} } }],
      { foo: 'bar', child: { grandchild: {} } },
    ],
    [
      'A.11 ignores unknown members',
      { foo: 'bar' },
      [{ op: 'add', path: '/baz', value: 'qux', xyz: 123 }],
      { foo: 'bar', baz: 'qux' },
    ],
    [
      'A.14 unescapes ~01',
      { '/': 9, '~1': 10 },
      [{ op: 'test', path: '/~01', value: 10 }],
      { '/': 9, '~1': 10 },
    ],
    [
      'A.16 adds a list to a list',
      { foo: ['bar'] },
      [{ op: 'add', path: '/foo/-', value: ['abc', 'def'] }],
      { foo: ['bar', ['abc', 'def']] },
    ],
    [
      'copies',
      { a: { b: 1 } },
      [
        { op: 'copy', from: '/a', path: '/c' },
        { op: 'add', path: '/c/b', value: 2 },
      ],
      { a: { b: 1 }, c: { b: 2 } },
    ],
    [
      'replaces the root',
      { a: 1 },
      [
        { op: 'replace', path: '', value: [1] },
        { op: 'add', path: '/-', value: 2 },
      ],
      [1, 2],
    ],
    ['adds at the root', { a: 1 }, [{ op: 'add', path: '', value: null }], null],
    ['adds at the end by index', [1], [{ op: 'add', path: '/1', value: 2 }], [1, 2]],
    ['replaces a member by adding', { a: 1 }, [{ op: 'add', path: '/a', value: 2 }], { a: 2 }],
    ['takes empty names', { '': { '': 1 } }, [{ op: 'replace', path: '//', value: 2 }], { '': { '': 2 } }],
    [
      'takes names of Object.prototype',
      {},
      [
        { op: 'add', path: '/toString', value: 1 },
        { op: 'add', path: '/constructor', value: {} },
      ],
      { toString: 1, constructor: {} },
    ],
    ['moves a value onto itself', { a: 1 }, [{ op: 'move', from: '/a', path: '/a' }], { a: 1 }],
    [
      'moves beside a name that only starts alike',
      { a: 1 },
      [{ op: 'move', from: '/a', path: '/ab' }],
      { ab: 1 },
    ],
    [
      'tests objects whatever their order',
      { a: { x: 1, y: 2 } },
      [{ op: 'test', path: '/a', value: { y: 2, x: 1 } }],
      { a: { x: 1, y: 2 } },
    ],
    ['tests null', { a: null }, [{ op: 'test', path: '/a', value: null }], { a: null }],
    ['does nothing when it is empty', { a: 1 }, [], { a: 1 }],
  ])('%s', (_, document, patch, result) => {
    const before = JSON.stringify([document, patch]);
    expect(applyJsonPatch(document, patch)).toEqual(result);
    expect(JSON.stringify([document, patch])).toBe(before);
  });

  it.each<[string, unknown, unknown, string]>([
    ['A.9 a failed test', { baz: 'qux' }, { op: 'test', path: '/baz', value: 'bar' }, '[0] /baz'],
    [
      'A.12 adding to what is not there',
      { foo: 'bar' },
      { op: 'add', path: '/baz/bat', value: 'qux' },
      '[0] /baz/bat',
    ],
    [
      'A.15 comparing text and number',
      { '/': 9, '~1': 10 },
      { op: 'test', path: '/~01', value: '10' },
      '[0] /~01',
    ],
    ['a leading zero', { a: [1, 2] }, { op: 'remove', path: '/a/01' }, '[0] /a/01'],
    ['an exponent', { a: [1, 2] }, { op: 'remove', path: '/a/1e0' }, '[0] /a/1e0'],
    ['a sign', { a: [1, 2] }, { op: 'remove', path: '/a/-1' }, '[0] /a/-1'],
    ['length', { a: [1, 2] }, { op: 'replace', path: '/a/length', value: 0 }, '[0] /a/length'],
    ['an index beyond the end', { a: [1] }, { op: 'add', path: '/a/2', value: 0 }, '[0] /a/2'],
    ['replacing at the end', { a: [1] }, { op: 'replace', path: '/a/1', value: 0 }, '[0] /a/1'],
    ['replacing at -', { a: [1] }, { op: 'replace', path: '/a/-', value: 0 }, '[0] /a/-'],
    ['removing at -', { a: [1] }, { op: 'remove', path: '/a/-' }, '[0] /a/-'],
    ['going through -', { a: [{}] }, { op: 'add', path: '/a/-/b', value: 0 }, '[0] /a/-/b'],
    ['an inherited name', {}, { op: 'test', path: '/toString', value: null }, '[0] /toString'],
    [
      'going through an inherited name',
      {},
      { op: 'add', path: '/constructor/prototype/x', value: 1 },
      '[0] /constructor/prototype/x',
    ],
    ['__proto__', {}, { op: 'add', path: '/__proto__', value: {} }, '[0] /__proto__'],
    ['going through __proto__', {}, { op: 'add', path: '/__proto__/x', value: 1 }, '[0] /__proto__/x'],
    [
      'a value with __proto__',
      {},
      { op: 'add', path: '/a', value: JSON.parse('{"__proto__":1}') as unknown },
      '[0] /a',
    ],
    ['going through text', { a: 'text' }, { op: 'add', path: '/a/0', value: 1 }, '[0] /a/0'],
    ['going through null', { a: null }, { op: 'add', path: '/a/b', value: 1 }, '[0] /a/b'],
    ['moving into itself', { a: { b: {} } }, { op: 'move', from: '/a', path: '/a/b/c' }, '[0] /a/b/c'],
    ['moving the root', { a: 1 }, { op: 'move', from: '', path: '/a' }, '[0] /a'],
    ['moving what is not there', {}, { op: 'move', from: '/a', path: '/b' }, '[0] /a'],
    ['copying what is not there', {}, { op: 'copy', from: '/a', path: '/b' }, '[0] /a'],
    ['removing the root', {}, { op: 'remove', path: '' }, '[0] '],
    ['removing what is not there', {}, { op: 'remove', path: '/a' }, '[0] /a'],
    ['no leading slash', { a: 1 }, { op: 'remove', path: 'a' }, '[0] a'],
    ['a bad escape', { a: 1 }, { op: 'add', path: '/~2', value: 1 }, '[0] /~2'],
    ['a trailing escape', { a: 1 }, { op: 'add', path: '/a~', value: 1 }, '[0] /a~'],
    ['a missing value', {}, { op: 'add', path: '/a' }, '[0] /a'],
    ['a missing path', {}, { op: 'remove' }, '[0] '],
    ['a missing from', { a: 1 }, { op: 'copy', path: '/a' }, '[0] '],
    ['an unknown operation', {}, { op: 'spam', path: '/a' }, '[0] '],
    ['an inherited operation', {}, { op: 'toString', path: '/a' }, '[0] '],
    ['an operation that is no object', {}, 'remove', '[0] '],
  ])('refuses %s', (_, document, operation, field) => {
    expect(refusal(document, [operation])).toMatchObject({ code: 'Invalid', field });
    expect('x' in {}).toBe(false);
  });

  it('names the operation that failed, and applies none', () => {
    const document = { a: 1 };
    const patch = [
      { op: 'add', path: '/b', value: 1 },
      { op: 'test', path: '/a', value: 2 },
    ];
    expect(refusal(document, patch)).toMatchObject({ code: 'Invalid', field: '[1] /a' });
    expect(document).toEqual({ a: 1 });
  });

  it('is a list of at most 10,000 operations', () => {
    expect(refusal({}, {})).toMatchObject({ code: 'BadRequest' });
    const test = { op: 'test', path: '', value: {} };
    expect(applyJsonPatch({}, Array(OPERATIONS_MAX).fill(test))).toEqual({});
    expect(refusal({}, Array(OPERATIONS_MAX + 1).fill(test))).toMatchObject({ code: 'BadRequest' });
  });

  it('cannot be made a bomb by copying', () => {
    const doubling = Array.from({ length: 60 }, () => ({ op: 'copy', from: '', path: '/a/-' }));
    expect(refusal({ a: ['x'.repeat(1000)] }, doubling)).toMatchObject({ code: 'RequestEntityTooLarge' });
    const deeper = Array.from({ length: 5000 }, () => ({ op: 'copy', from: '', path: '/a' }));
    expect(refusal({}, deeper)).toMatchObject({ code: 'Invalid' });
    const steps = Array.from({ length: 150 }, (_, i) => ({ op: 'add', path: '/a'.repeat(i + 1), value: {} }));
    expect(refusal({}, steps)).toMatchObject({ code: 'Invalid' });
  });

  it('makes nothing that is heavier than the limit', () => {
    const copies = (count: number): object[] =>
      Array.from({ length: count }, (_, i) => ({ op: 'copy', from: '/a', path: `/${i}` }));
    const limits = { weightMax: 10_000 };
    const document = { a: 'x'.repeat(1_000) };
    expect(applyJsonPatch(document, copies(8), limits)).toMatchObject({ 7: document.a });
    expect(() => applyJsonPatch(document, copies(9), limits)).toThrow(
      'more than 10000 values and characters',
    );
    const grown = [{ op: 'add', path: '/b', value: 'x'.repeat(9_000) }];
    expect(() => applyJsonPatch(document, grown, limits)).toThrow('more than 10000 values and characters');
  });

  it('has pointers of at most 100 tokens', () => {
    let document: unknown = 1;
    for (let depth = 0; depth < 100; depth++) document = { a: document };
    const test = (tokens: number) => [{ op: 'test', path: '/a'.repeat(tokens), value: 1 }];
    expect(applyJsonPatch(document, test(100))).toEqual(document);
    expect(refusal(document, test(101))).toMatchObject({
      code: 'Invalid',
      message: expect.stringContaining('"path" has more than 100 tokens') as unknown,
    });
    const move = [{ op: 'move', from: '/a'.repeat(101), path: '/b' }];
    expect(refusal(document, move)).toMatchObject({ code: 'Invalid' });
    // The error does not repeat the whole request.
    expect(refusal({}, test(10_000)).message.length).toBeLessThan(500);
  });

  it('moves the items of long lists only so often', () => {
    const document = { a: Array(200_000).fill(1) };
    const removals = (count: number): object[] =>
      Array(count).fill({ op: 'remove', path: '/a/0' }) as object[];
    expect(applyJsonPatch(document, removals(400))).toEqual({ a: Array(199_600).fill(1) });
    expect(refusal(document, removals(600))).toMatchObject({
      code: 'Invalid',
      message: expect.stringContaining('too often') as unknown,
    });
    const last = Array.from({ length: 10_000 }, () => ({ op: 'add', path: '/a/-', value: 2 }));
    expect(applyJsonPatch(document, last)).toMatchObject({ a: { length: 210_000 } });
  });

  it('reverses its additions', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('a', 'b'), fc.jsonValue({ maxDepth: 2 })),
        fc.string(),
        (document, name) => {
          fc.pre(name !== '__proto__' && !/[\ud800-\udfff]/u.test(name) && !Object.hasOwn(document, name));
          const path = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
          const patch = [
            { op: 'add', path, value: 1 },
            { op: 'test', path, value: 1 },
            { op: 'remove', path },
          ];
          const safe: unknown = JSON.parse(JSON.stringify(document).replaceAll('__proto__', 'p'));
          expect(applyJsonPatch(safe, patch)).toEqual(safe);
        },
      ),
    );
  });
});
