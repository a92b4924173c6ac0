import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeValue, encodeValue, normalizeValue, parseValue } from '../../src/model/key-type.js';
import { KEY_TYPES, type ValueType } from '../../src/model/resource.js';
import type { IndexValue } from '../../src/model/declare/scheme.js';

const instantText = fc
  .record({
    millis: fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_000 }),
    nanos: fc.integer({ min: 0, max: 999_999_999 }),
  })
  .map(({ millis, nanos }) => {
    const whole = new Date(Math.floor(millis / 1000) * 1000).toISOString().slice(0, 19);
    return `${whole}.${String(nanos).padStart(9, '0')}Z`;
  });

const ARBITRARY: Record<ValueType, fc.Arbitrary<IndexValue>> = {
  string: fc.string({ unit: 'binary' }),
  boolean: fc.boolean(),
  integer: fc.integer(),
  long: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  number: fc.double({ noNaN: true, noDefaultInfinity: true }),
  instant: instantText,
};

const EDGES: Record<ValueType, readonly IndexValue[]> = {
  string: ['', '\0', 'a', 'a\0', 'ab', 'b', '\uFFFF', '\u{10000}', '\u{10FFFF}'],
  boolean: [false, true],
  integer: [-(2 ** 31), -1, 0, 1, 2 ** 31 - 1],
  long: [-(2n ** 63n), -(2n ** 53n) - 1n, -1n, 0n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n],
  number: [-Number.MAX_VALUE, -1, -Number.MIN_VALUE, 0, Number.MIN_VALUE, 0.1, 1, Number.MAX_VALUE],
  instant: [
    '0000-01-01T00:00:00Z',
    '1969-12-31T23:59:59.999999999Z',
    '1970-01-01T00:00:00Z',
    '1970-01-01T00:00:00.000000001Z',
    '9999-12-31T23:59:59.999999999Z',
  ],
};

/** The order that the contract means, found without the encoding. */
function compare(a: IndexValue, b: IndexValue): number {
  if (typeof a === 'string' && typeof b === 'string') return comparePoints(Array.from(a), Array.from(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

function comparePoints(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = (a[i]?.codePointAt(0) ?? 0) - (b[i]?.codePointAt(0) ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return Math.sign(a.length - b.length);
}

const normal = (type: ValueType, value: unknown): IndexValue => {
  const found = normalizeValue(type, value);
  if (found === undefined) throw new Error(`${String(value)} is no ${type}`);
  return found;
};

describe.each(KEY_TYPES)('the key type %s', (type) => {
  it('is encoded so that bytes have the order of the values', () => {
    fc.assert(
      fc.property(ARBITRARY[type], ARBITRARY[type], (a, b) => {
        const bytes = Buffer.compare(encodeValue(type, a), encodeValue(type, b));
        expect(bytes).toBe(compare(normalIfInstant(type, a), normalIfInstant(type, b)));
      }),
      { numRuns: 500 },
    );
  });

  it('keeps the order at its edges', () => {
    const bytes = EDGES[type].map((value) => encodeValue(type, value));
    for (const [i, one] of bytes.entries()) {
      for (const [j, other] of bytes.entries()) expect(Buffer.compare(one, other)).toBe(Math.sign(i - j));
    }
  });

  it('is decoded to the value it was made of', () => {
    fc.assert(
      fc.property(ARBITRARY[type], (value) => {
        expect(decodeValue(type, encodeValue(type, value))).toBe(normal(type, value));
      }),
    );
    for (const value of EDGES[type])
      expect(decodeValue(type, encodeValue(type, value))).toBe(normal(type, value));
  });

  it('reads the text of its own values', () => {
    fc.assert(
      fc.property(ARBITRARY[type], (value) => {
        expect(parseValue(type, String(normal(type, value)))).toBe(normal(type, value));
      }),
    );
  });

  it('is decoded from bytes that lie inside of a larger buffer', () => {
    for (const value of EDGES[type]) {
      const bytes = encodeValue(type, value);
      const larger = Buffer.concat([Buffer.of(9, 9), bytes]);
      expect(decodeValue(type, larger.subarray(2))).toBe(normal(type, value));
    }
  });

  it('refuses null, undefined, objects, promises and functions', () => {
    for (const value of [null, undefined, {}, [], Promise.resolve(1), () => 1, Symbol('x')]) {
      expect(normalizeValue(type, value)).toBeUndefined();
    }
  });
});

/** Texts of instants compare like instants once they have the same digits. */
function normalIfInstant(type: ValueType, value: IndexValue): IndexValue {
  if (type !== 'instant') return value;
  const text = String(normal(type, value));
  return `${text.slice(0, 20)}${text.slice(20, -1).padEnd(9, '0')}`;
}

describe('normalizeValue', () => {
  it.each<[ValueType, unknown, IndexValue]>([
    ['integer', 2147483647, 2147483647],
    ['integer', -2147483648, -2147483648],
    ['long', 9223372036854775807n, 9223372036854775807n],
    ['long', '9223372036854775807', 9223372036854775807n],
    ['long', '-9223372036854775808', -9223372036854775808n],
    ['long', 9007199254740991, 9007199254740991n],
    ['long', '007', 7n],
    ['long', -0, 0n],
    ['number', 1.5, 1.5],
    ['instant', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['instant', new Date(-1), '1969-12-31T23:59:59.999Z'],
    ['instant', '2026-11-20T10:00:00+02:00', '2026-11-20T08:00:00.000Z'],
    ['instant', '2026-11-20t10:00:00.5z', '2026-11-20T10:00:00.500Z'],
    ['instant', '2026-11-20T10:00:00.123456789Z', '2026-11-20T10:00:00.123456789Z'],
    ['instant', '2026-11-20T10:00:00.123400000Z', '2026-11-20T10:00:00.1234Z'],
    ['instant', '0099-02-28T00:00:00Z', '0099-02-28T00:00:00.000Z'],
    ['instant', '2024-02-29T00:00:00-23:59', '2024-02-29T23:59:00.000Z'],
  ])('takes %s %s', (type, value, expected) => {
    expect(normalizeValue(type, value)).toBe(expected);
  });

  it.each<[ValueType, unknown]>([
    ['string', 1],
    ['string', 'a\uD800'],
    ['string', '\uDC00b'],
    ['boolean', 'true'],
    ['boolean', 1],
    ['integer', 2147483648],
    ['integer', -2147483649],
    ['integer', 1.5],
    ['integer', '1'],
    ['integer', 1n],
    ['integer', NaN],
    ['long', 9223372036854775808n],
    ['long', '-9223372036854775809'],
    ['long', 9007199254740992],
    ['long', 1.5],
    ['long', '1.0'],
    ['long', ''],
    ['long', '0'.repeat(65)],
    ['number', NaN],
    ['number', Infinity],
    ['number', 1n],
    ['instant', new Date(NaN)],
    ['instant', new Date(253_402_300_800_000)],
    ['instant', 0],
    ['instant', '2026-11-20'],
    ['instant', '2026-11-20T10:00:00'],
    ['instant', '2026-11-20 10:00:00Z'],
    ['instant', '2026-02-29T10:00:00Z'],
    ['instant', '2026-13-01T10:00:00Z'],
    ['instant', '2026-11-20T24:00:00Z'],
    ['instant', '2026-11-20T23:59:60Z'],
    ['instant', '2026-11-20T10:00:00+24:00'],
    ['instant', '2026-11-20T10:00:00+23:60'],
    ['instant', '2026-11-20T10:00:00.1234567890Z'],
    ['instant', '0000-01-01T00:00:00+00:01'],
  ])('refuses %s %s', (type, value) => {
    expect(normalizeValue(type, value)).toBeUndefined();
  });

  it('makes zero of minus zero', () => {
    expect(Object.is(normalizeValue('number', -0), 0)).toBe(true);
    expect(Object.is(normalizeValue('integer', -0), 0)).toBe(true);
    expect(encodeValue('number', -0)).toEqual(encodeValue('number', 0));
  });
});

describe('parseValue', () => {
  it.each<[ValueType, string, IndexValue]>([
    ['string', '', ''],
    ['boolean', 'true', true],
    ['boolean', 'false', false],
    ['integer', '-12', -12],
    ['long', '9007199254740993', 9007199254740993n],
    ['number', '-1.5e3', -1500],
    ['instant', '2026-11-20T10:00:00+02:00', '2026-11-20T08:00:00.000Z'],
  ])('reads %s %s', (type, text, expected) => {
    expect(parseValue(type, text)).toBe(expected);
  });

  it.each<[ValueType, string]>([
    ['boolean', 'True'],
    ['boolean', '1'],
    ['boolean', ''],
    ['integer', ''],
    ['integer', '1.0'],
    ['integer', '0x10'],
    ['integer', '2147483648'],
    ['long', 'x'],
    ['number', ''],
    ['number', 'Infinity'],
    ['number', '1e400'],
    ['number', ' 1'],
    ['instant', 'yesterday'],
  ])('refuses %s "%s"', (type, text) => {
    expect(parseValue(type, text)).toBeUndefined();
  });
});

describe('encodeValue', () => {
  it('writes strings as UTF-8 without a terminator', () => {
    expect(encodeValue('string', 'ä')).toEqual(Buffer.from([0xc3, 0xa4]));
  });

  it('gives one instant the same bytes whatever its zone', () => {
    expect(encodeValue('instant', '2026-11-20T10:00:00+02:00')).toEqual(
      encodeValue('instant', '2026-11-20T08:00:00Z'),
    );
  });

  it('throws on a value of another type', () => {
    expect(() => encodeValue('integer', 'x')).toThrow(TypeError);
  });
});

it('refuses to decode too few bytes', () => {
  expect(() => decodeValue('number', Buffer.alloc(7))).toThrow(RangeError);
  expect(() => decodeValue('instant', Buffer.alloc(11))).toThrow(RangeError);
});
