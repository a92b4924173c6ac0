import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.js';
import {
  checkJson,
  cloneJson,
  copyOfPlain,
  deepEqual,
  DEPTH_MAX,
  parseJson,
  setOwn,
} from '../../src/lib/json/json.js';
import { parseYaml } from '../../src/lib/json/yaml.js';

function refusal(input: string | Uint8Array): string {
  try {
    parseJson(input);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'BadRequest') return error.message;
    throw error;
  }
  return 'nothing was thrown';
}

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe('checkJson', () => {
  it.each<unknown>([
    null,
    true,
    0,
    -1.5,
    'x',
    '😀',
    [],
    {},
    { a: [{ b: null }] },
    { constructor: { prototype: 1 } },
  ])('takes %j', (value) => expect(checkJson(value)).toBeUndefined());

  it.each<[string, unknown, string]>([
    ['infinity', { spec: { a: [1, Infinity] } }, 'spec.a[1]: is a number out of range'],
    ['NaN', NaN, 'is a number out of range'],
    ['a lone surrogate', { a: 'x\ud800' }, 'a: has a lone surrogate'],
    ['a reversed pair', ['\udc00\ud800'], '[0]: has a lone surrogate'],
    ['a lone surrogate in a key', { a: { '\udfff': 1 } }, 'the key has a lone surrogate'],
    ['bigint', { a: 9007199254740993n }, 'a: the integer 9007199254740993'],
    ['undefined', { a: undefined }, 'a: is not a JSON value (undefined)'],
    ['a hole', [1, , 2], '[1]: is not a JSON value (undefined)'], // eslint-disable-line no-sparse-arrays
    ['a function', { a: () => 1 }, 'a: is not a JSON value (function)'],
    ['a symbol', Symbol('x'), 'is not a JSON value (symbol)'],
    ['a date', { a: new Date() }, 'a: is not a JSON value'],
    ['a map', [new Map()], '[0]: is not a JSON value'],
    ['bytes', new Uint8Array(2), 'is not a JSON value'],
    ['toJSON', { a: { toJSON: () => 1 } }, 'a: is not a JSON value'],
    [
      '__proto__',
      { a: JSON.parse('{"__proto__": 1}') as unknown },
      'a.__proto__: the key "__proto__" is not allowed',
    ],
  ])('refuses %s', (_, value, problem) => {
    expect(checkJson(value)).toContain(problem);
  });

  it('takes nesting at the limit and refuses one level more, cycles too', () => {
    expect(checkJson(JSON.parse(nested(DEPTH_MAX)))).toBeUndefined();
    expect(checkJson(JSON.parse(nested(DEPTH_MAX + 1)))).toContain('nested deeper than 100 levels');
    expect(checkJson([[]], { depthMax: 1 })).toBe('[0]: nested deeper than 1 levels');
    expect(checkJson([1], { depthMax: 1 })).toBeUndefined();
    const cycle: unknown[] = [];
    cycle.push(cycle);
    expect(checkJson(cycle)).toContain('nested deeper');
  });

  it('counts the members and items of a text before it parses them', () => {
    const text = '{"a":[1,{"b":"x,y{"},[]]}';
    expect(parseJson(text, { membersMax: 6 })).toEqual(JSON.parse(text));
    expect(() => parseJson(text, { membersMax: 5 })).toThrow('more than 5 members and items');
  });

  it('ends at the limit of nesting, however deep the value is', () => {
    let value: unknown = 1;
    for (let i = 0; i < 1_000_000; i += 1) value = { a: value };
    expect(checkJson(value, { depthMax: 3 })).toBe('a.a.a: nested deeper than 3 levels');
    expect(checkJson(value)).toContain(`nested deeper than ${DEPTH_MAX} levels`);
  });

  it('stops at the weight it is given', () => {
    expect(checkJson(['abc', 'def'], { weightMax: 9 })).toBeUndefined();
    expect(checkJson(['abc', 'def'], { weightMax: 8 })).toContain('too large');
  });
});

describe('parseJson', () => {
  it('reads texts and bytes, with or without a byte order mark', () => {
    expect(parseJson('{"a": [1, "ü"]}')).toEqual({ a: [1, 'ü'] });
    expect(parseJson(Buffer.from('\ufeff{"a": "ü"}'))).toEqual({ a: 'ü' });
    expect(parseJson('\ufeff1')).toBe(1);
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(refusal(Buffer.from([0x22, 0xff, 0x22]))).toContain('not valid UTF-8');
    expect(refusal(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))).toContain('not valid UTF-8');
  });

  it.each<[string, string]>([
    ['', 'line 1, column 1: expected a value, found the end'],
    ['{', 'line 1, column 2: expected a key in double quotes or "}", found the end'],
    ['{"a":}', 'line 1, column 6: expected a value, found "}"'],
    ['{"a" 1}', 'line 1, column 6: expected ":", found "1"'],
    ['{\n  "a": 1,\n  b: 2\n}', 'line 3, column 3: expected a key in double quotes, found "b"'],
    ['{"a":1,}', 'line 1, column 8: expected a key in double quotes, found "}"'],
    ['[1 2]', 'line 1, column 4: expected "," or "]", found "2"'],
    ['[1,]', 'line 1, column 4: expected a value, found "]"'],
    ['[01]', 'line 1, column 3: expected "," or "]"'],
    ['{"a":1]', 'line 1, column 7: expected "," or "}", found "]"'],
    ['1 2', 'line 1, column 3: expected the end, found "2"'],
    ['"a\nb"', 'line 1, column 3: a control character must be escaped'],
    ['"\\x"', 'line 1, column 2: unknown escape'],
    ['"abc', 'line 1, column 5: unterminated string'],
    ['NaN', 'line 1, column 1: expected a value'],
    ["{'a':1}", 'line 1, column 2: expected a key in double quotes or "}"'],
  ])('says where %j is malformed', (text, place) => {
    expect(refusal(text)).toContain(`malformed JSON at ${place}`);
  });

  it.each<[string, string]>([
    ['{"a":1,"a":2}', 'the key a occurs twice'],
    ['{"a":1,"\\u0061":2}', 'the key a occurs twice'],
    ['{"x":[0,{"y":{"b":1,"c":":","b":{}}}]}', 'the key x[1].y.b occurs twice'],
    ['{"":1,"":2}', 'twice'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
  ])('refuses duplicate keys: %s', (text, reason) => {
    expect(refusal(text)).toContain(reason);
  });

  it('is not misled by colons and quotes in strings, or equal keys of different objects', () => {
    const value = { 'a:"\\': '{"a":1,"a":2}', b: [{ a: 1 }, { a: ':' }], a: { a: { a: '\\"' } } };
    expect(parseJson(JSON.stringify(value, null, 2))).toEqual(value);
  });

  it('refuses __proto__ anywhere, however it is written, and pollutes nothing', () => {
    expect(refusal('{"a":[{"__proto__":{"x":1}}]}')).toContain('a[0].__proto__');
    expect(refusal('{"\\u005f_proto__":{"x":1}}')).toContain('__proto__');
    expect('x' in {}).toBe(false);
    expect(parseJson('{"constructor":{"prototype":{}},"toString":1}')).toEqual({
      constructor: { prototype: {} },
      toString: 1,
    });
  });

  it('refuses numbers beyond a double and lone surrogates', () => {
    expect(refusal('{"a":1e400}')).toContain('a: is a number out of range');
    expect(refusal('{"a":"\\ud800"}')).toContain('a: has a lone surrogate');
    expect(parseJson('"\\ud83d\\ude00"')).toBe('😀');
  });

  it.each([
    [
      '{"a":[0,{"b":9007199254740993}]}',
      'a[1].b: the integer 9007199254740993 cannot be represented exactly',
    ],
    ['{"a":-9223372036854775808}', 'a: the integer -9223372036854775808 cannot be'],
    ['{"a":-9223372036854775807}', 'a: the integer -9223372036854775807 cannot be'],
    ['9007199254740993', 'invalid JSON: the integer 9007199254740993 cannot be'],
    ['{"a":9007199254740992,"b":"\\"9007199254740993","c":100000000000000000001}', 'c: the integer 1000'],
    ['{"a":9007199254740993}', 'write it in quotes if the field may be a string'],
  ])('refuses integers that a number would change: %s', (text, reason) => {
    expect(refusal(text)).toContain(reason);
  });

  it.each([
    '9007199254740992',
    '-9223372036854776000',
    `1${'0'.repeat(300)}`,
    '1e300',
    '12345678901234567890.5',
  ])('takes the number %s, which is written with the same value or is no integer', (text) => {
    expect(parseJson(`[${text}]`)).toEqual([Number(text)]);
    expect(parseYaml(`[${text}]`, { maxAliases: 0 })).toEqual([Number(text)]);
  });

  it('refuses deep nesting before anything recurses', () => {
    expect(parseJson(nested(100))).toBeInstanceOf(Array);
    for (const depth of [101, 10_000, 5_000_000]) expect(refusal(nested(depth))).toContain('deeper than 100');
    expect(refusal('{"a":'.repeat(10_000))).toContain('deeper than 100');
  });

  it('agrees with JSON.parse on every value', () => {
    const value = fc.jsonValue({ maxDepth: 5 }).filter((json) => checkJson(json) === undefined);
    fc.assert(
      fc.property(value, (json) => {
        const text = JSON.stringify(json);
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('refuses a text exactly when JSON.parse does', () => {
    const text = fc.string({ unit: fc.constantFrom(...Array.from('{}[]:,"\\ 01e-.tru\n')), maxLength: 12 });
    fc.assert(
      fc.property(text, (candidate) => {
        let valid = true;
        try {
          JSON.parse(candidate);
        } catch {
          valid = false;
        }
        if (!valid) expect(refusal(candidate)).toMatch(/malformed JSON at line \d+, column \d+: /);
        else expect(refusal(candidate)).toMatch(/nothing was thrown|twice/);
      }),
      { numRuns: 5000 },
    );
  });
});

describe('deepEqual and cloneJson', () => {
  it('compare by content, not by order of members', () => {
    expect(deepEqual({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 })).toBe(true);
    expect(deepEqual([1, 2], [2, 1])).toBe(false);
    expect(deepEqual({ a: 1 }, { a: 1, b: undefined })).toBe(true);
    expect(deepEqual({ a: undefined }, {})).toBe(true);
    expect(deepEqual({ a: null }, {})).toBe(false);
    expect(deepEqual([], {})).toBe(false);
    expect(deepEqual({}, [])).toBe(false);
    expect(deepEqual(null, {})).toBe(false);
    expect(deepEqual(1, '1')).toBe(false);
  });

  it('see own members only', () => {
    expect(deepEqual({ toString: 1 }, {})).toBe(false);
    expect(deepEqual({}, { toString: 1 })).toBe(false);
    const odd: unknown = JSON.parse('{"__proto__":{"a":1}}');
    expect(deepEqual(odd, {})).toBe(false);
    expect(deepEqual(odd, JSON.parse('{"__proto__":{"a":1}}'))).toBe(true);
    const copy = cloneJson(odd);
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"a":1}}');
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });

  it('copy everything and leave undefined out', () => {
    const value = { a: [{ b: 1 }], c: undefined };
    const copy = cloneJson(value);
    expect(Object.keys(copy)).toEqual(['a']);
    copy.a.push({ b: 2 });
    expect(value.a).toHaveLength(1);
    const target: Record<string, unknown> = {};
    setOwn(target, '__proto__', { x: 1 });
    expect('x' in target).toBe(false);
  });
});

describe('copyOfPlain', () => {
  it('copies JSON values unchanged, as JSON would', () => {
    const inner = { n: 1 };
    const value = { a: [inner, inner, null, -0, 1.5], b: 'täxt', c: { d: true, gone: undefined }, e: {} };
    const copy = copyOfPlain(value);
    expect(copy).toEqual(JSON.parse(JSON.stringify(value)));
    expect(Object.keys((copy as typeof value).c)).toEqual(['d']);
    const [first, second] = (copy as typeof value).a;
    expect(first).not.toBe(inner);
    expect(first).not.toBe(second);
  });

  it.each([
    ['a date', new Date(0)],
    ['what has a toJSON', { toJSON: () => 1 }],
    ['an instance of a class', new (class A {})()],
    ['a function', () => 1],
    ['a bigint', 1n],
    ['what is not finite', NaN],
    ['a lone surrogate', '\ud800'],
    ['a key with one', { '\udc00': 1 }],
    ['undefined in a list', [undefined]],
    ['__proto__', JSON.parse('{"__proto__": 1}')],
  ])('leaves %s to others', (_what, value) => {
    expect(copyOfPlain(value)).toBeUndefined();
    expect(copyOfPlain({ a: [value] })).toBeUndefined();
  });

  it('goes no deeper than JSON is read, and ends in a cycle', () => {
    const lists = (depth: number): unknown => JSON.parse(nested(depth));
    expect(copyOfPlain(lists(DEPTH_MAX))).toEqual(lists(DEPTH_MAX));
    expect(copyOfPlain(lists(DEPTH_MAX + 1))).toBeUndefined();
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    expect(copyOfPlain(cyclic)).toBeUndefined();
  });
});
