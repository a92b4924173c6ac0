import { describe, expect, it } from 'vitest';
import { leastCpuMs } from '../helpers/cpu.js';
import { Allowance, TooExpensive } from '../../src/lib/work/allowance.js';
import type { JsonObject, ObjectDraft } from '../../src/model/object.js';
import { structuralCheck } from '../../src/model/structural/structural-check.js';
import { findFormat } from '../../src/model/structural/formats.js';
import { compileModel, type ObjectCheck } from '../../src/model/validate/validator.js';

const fields = (properties: JsonObject): JsonObject => ({ type: 'object', properties });
const listOf = (items: JsonObject): JsonObject => ({ type: 'array', items });
const mapOf = (additionalProperties: JsonObject): JsonObject => ({ type: 'object', additionalProperties });
const many = <T>(count: number, value: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => value(at));
const text = (length: number): string => 'x'.repeat(length);

const OPEN: JsonObject = { 'x-kubernetes-preserve-unknown-fields': true };

/** The checks of both kinds of models. */
const CHECKS: readonly (readonly [string, (schema: JsonObject) => ObjectCheck])[] = [
  ['a class', (schema) => compileModel(schema)],
  ['a definition', (schema) => structuralCheck(schema)],
];

const judge = (check: ObjectCheck, spec: unknown): unknown =>
  judgeAll(check, { metadata: { name: 'a' }, spec });

/** The number of violations, or that they cannot be counted. */
function judgeAll(
  check: ObjectCheck,
  draft: ObjectDraft,
  stored?: ObjectDraft,
  allowance = new Allowance(),
): unknown {
  try {
    const { causes } = allowance.during(() => check(draft, stored));
    return causes.length;
  } catch (error) {
    if (error instanceof TooExpensive) return error.message;
    throw error;
  }
}

describe.each(CHECKS)('the defaults of %s', (_, compile) => {
  const LONG: JsonObject = { type: 'string', default: text(100_000) };

  it.each<[string, JsonObject, unknown]>([
    ['of items', listOf(fields({ a: LONG })), many(10_000, () => ({}))],
    [
      'of the values of a map',
      mapOf(fields({ a: LONG })),
      Object.fromEntries(many(10_000, (at) => [`k${at}`, {}])),
    ],
    ['in place of null', listOf(fields({ a: LONG })), many(10_000, () => ({ a: null }))],
    [
      'inside a default',
      listOf(fields({ b: { ...fields({ a: LONG }), default: {} } })),
      many(10_000, () => ({})),
    ],
    ['of nested lists', listOf(listOf(fields({ a: LONG }))), many(100, () => many(100, () => ({})))],
  ])('are counted before they are set: %s', (_name, spec, value) => {
    expect(judge(compile(fields({ spec })), value)).toContain('most of it for defaults');
  });

  it('may add some megabytes to an object', () => {
    expect(
      judge(
        compile(fields({ spec: listOf(fields({ a: LONG })) })),
        many(80, () => ({})),
      ),
    ).toBe(0);
  });
});

describe('the defaults of a definition', () => {
  it('are counted before they replace an item that is null', () => {
    const spec = listOf({ type: 'string', default: text(100_000) });
    expect(
      judge(
        structuralCheck(fields({ spec })),
        many(10_000, () => null),
      ),
    ).toContain('defaults');
  });
});

describe.each(CHECKS)('the check of %s', (_, compile) => {
  const words = many(300, (at) => ({ type: 'string', const: `${at}`, enum: [`${at}`] }));
  const long = text(300_000);
  const objects = many(300, (at) => ({ a: at }));

  it.each<[string, JsonObject, unknown]>([
    ['branches of anyOf and items', listOf({ anyOf: words }), many(20_000, () => 'x')],
    [
      'branches of oneOf and the values of a map',
      mapOf({ oneOf: words }),
      Object.fromEntries(many(20_000, (at) => [at, 'x'])),
    ],
    [
      'branches of allOf and items',
      { allOf: many(1_000, () => listOf({ minLength: 1 })) },
      many(100_000, () => 'x'),
    ],
    ['lists in lists and branches', listOf(listOf({ anyOf: words })), many(200, () => many(200, () => 'x'))],
    ['maximum lengths and a text', { allOf: many(1_000, () => ({ maxLength: 200_000 })) }, long],
    ['formats and a text', { allOf: many(1_000, () => ({ type: 'string', format: 'uri' })) }, long],
    [
      'values of enums and a list',
      { allOf: many(1_000, () => ({ enum: objects })) },
      many(10_000, () => 'x'),
    ],
    [
      'patterns and items',
      { allOf: many(100, (at) => listOf({ pattern: `^x*${at}` })) },
      many(10_000, () => text(100)),
    ],
  ])('ends when it takes too long: %s', (_name, spec, value) => {
    expect(judge(compile(fields({ spec })), value)).toContain('the object takes too long to check');
  });

  it('has an enum of tens of thousands of objects in linear time', () => {
    const values = many(30_000, (at) => ({ a: at, b: [at] }));
    const run = (): void => {
      const check = compile(fields({ spec: { enum: values, ...OPEN } }));
      expect([judge(check, { b: [29_999], a: 29_999 }), judge(check, { a: 1 })]).toEqual([0, 1]);
    };
    expect(leastCpuMs(run, { enough: 1_000 })).toBeLessThan(1_000);
  });

  it('takes a value of an enum by its members, and in no order of its own', () => {
    const check = compile(fields({ spec: { enum: [1, '1', [2], { a: 1, b: [2] }, true], ...OPEN } }));
    const isValid = [1, '1', [2], { b: [2], a: 1 }, true].map((value) => judge(check, value));
    expect(isValid).toEqual([0, 0, 0, 0, 0]);
    const isInvalid = [2, '2', [], { a: 1 }, false, { a: 1, b: [2, 3] }].map((value) => judge(check, value));
    expect(isInvalid).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('judges many items of many fields', () => {
    const kinds: readonly (readonly [JsonObject, string])[] = [
      [{ enum: ['x', 'y'], maxLength: 20 }, 'x'],
      [{ pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', maxLength: 63 }, 'a-name-of-something'],
      [{ pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))([KMG]i|[numk]|[eE][0-9]+)?$' }, '100Mi'],
      [{ format: 'date-time' }, '2026-11-20T08:00:00Z'],
      [{ format: 'uuid' }, '6f1c2c9e-5f7a-4f43-9c39-0d6a5a1f0b77'],
    ];
    const of = (at: number) => kinds[at % kinds.length] ?? [{}, ''];
    const properties: JsonObject = Object.fromEntries(
      many(20, (at) => [`f${at}`, { type: 'string', ...of(at)[0] }]),
    );
    const items = { ...fields(properties), required: ['f1', 'f2'] };
    const check = compile(fields({ spec: listOf(items) }));
    const item = Object.fromEntries(many(20, (at) => [`f${at}`, of(at)[1]]));
    const value = many(5_000, () => item);
    expect(judge(check, value)).toBe(0);
  });

  it('names fields that are near for the first unknown ones only', () => {
    const names = many(2_000, (at) => `${text(50)}${at}`);
    const check = compile(
      fields({ metadata: {}, spec: fields(Object.fromEntries(names.map((name) => [name, {}]))) }),
    );
    const unknown = (count: number) => Object.fromEntries(many(count, (at) => [`${text(50)}y${at}`, 1]));
    const draft: ObjectDraft = { metadata: { name: 'a' }, spec: unknown(1_000) };
    const suggestions = check(draft).unknown.filter(({ suggestion }) => suggestion !== undefined);
    expect(suggestions).toHaveLength(20);
    expect(judge(check, unknown(20))).toContain('most of it for suggestions');
  });
});

describe.each(CHECKS)('an update by %s whose other values take too long to check', (_, compile) => {
  const words = many(300, (at) => ({ type: 'string', enum: [`${at}`] }));
  const objects = many(300, (at) => ({ a: at }));
  const large: JsonObject = { type: 'string', pattern: '^[ab]*a[ab]{990}$' };
  const small: JsonObject = { type: 'integer', maximum: 9 };
  const a = 'ab'.repeat(500_000);

  const CASES: [string, JsonObject, unknown][] = [
    ['a pattern and a text', large, a],
    ['a pattern and items', listOf(large), many(100, () => a.slice(0, 10_000))],
    [
      'a pattern and values of a map',
      mapOf(large),
      Object.fromEntries(many(100, (at) => [`k${at}`, a.slice(0, 10_000)])),
    ],
    ['branches and items', listOf({ anyOf: words }), many(20_000, () => 'x')],
    ['formats and a text', { allOf: many(1_000, () => ({ type: 'string', format: 'uri' })) }, text(300_000)],
    ['enums and a list', { allOf: many(1_000, () => ({ enum: objects })) }, many(10_000, () => 'x')],
  ];

  it.each(CASES)('is judged by what it changes: %s', (_name, spec, value) => {
    const check = compile(fields({ spec: fields({ value: spec, small }) }));
    const stored = (further: object = {}): ObjectDraft => ({
      metadata: { name: 'a' },
      spec: { value: structuredClone(value), small: 10, ...further },
    });
    const request = new Allowance();
    const update = (draft: ObjectDraft): unknown => judgeAll(check, draft, stored(), request.forObject());
    expect(update({ ...stored(), metadata: { name: 'a', labels: { seen: 'yes' } } })).toBe(0);
    expect(update({ ...stored(), metadata: { name: 'a', labels: { seen: '/' } } })).toBe(1);
    expect(update(stored({ small: 3 }))).toBe(0);
    expect(update(stored({ small: 11 }))).toBe(1);
    for (let i = 0; i < 100; i++) expect(update(stored({ other: i }))).toBe(0);
    // The request has no steps left for unchanged values.
    expect(update(stored({ small: 11 }))).toBe(1);
    if (typeof value === 'string')
      expect(update(stored({ value: `${value}x` }))).toContain('takes too long to check');
  });
});

describe('the changes of an object', () => {
  const short: JsonObject = { type: 'string', maxLength: 2 };
  const inner: JsonObject = { properties: { b: short } };
  const ofDefs: JsonObject = { $ref: '#/$defs/inner' };
  const CASES: [string, JsonObject, unknown, unknown, number][] = [
    ['an unchanged value', fields({ b: short }), { b: 'long' }, { b: 'long', a: 1 }, 0],
    ['a value below others', mapOf(fields({ b: short })), { x: { b: 'b' } }, { x: { b: 'long' } }, 1],
    ['an item', listOf(short), ['long', 'b'], ['long', 'long'], 1],
    ['a further item', listOf(short), ['long'], ['long', 'long'], 1],
    ['a missing field', { required: ['c'] }, { b: 1 }, { b: 2 }, 0],
    ['a field that is removed', { required: ['b'] }, { b: 1 }, {}, 1],
    ['a map that grows', { maxProperties: 1 }, { b: 1 }, { b: 1, c: 2 }, 1],
    ['a branch', { anyOf: [inner, { required: ['a'] }] }, { b: 'long', a: 1 }, { b: 'long' }, 3],
    ['all of several', { allOf: [inner, { required: ['a'] }] }, { b: 'long', a: 1 }, { b: 'long' }, 1],
    ['a condition', { if: { required: ['a'] }, then: inner }, { b: 'long' }, { b: 'long', a: 1 }, 1],
    ['its reference', { if: { required: ['a'] }, else: ofDefs }, { b: 'long', a: 1 }, { b: 'long' }, 1],
    ['a reference', { allOf: [ofDefs] }, { b: 'long' }, { b: 'long', a: 1 }, 0],
    ['a field beside', { dependentSchemas: { a: inner } }, { b: 'long' }, { b: 'long', a: 1 }, 1],
    [
      'fields that nothing evaluates',
      {
        if: { required: ['a'] },
        then: fields({ a: {} }),
        else: fields({ b: {} }),
        unevaluatedProperties: short,
      },
      { b: 'long' },
      { b: 'long', a: 1 },
      1,
    ],
    ['a name', { propertyNames: { maxLength: 1 } }, { bb: 1 }, { bb: 1, cc: 2 }, 2],
    ['nothing', { maxProperties: 0 }, { b: 1 }, { b: 1 }, 0],
  ];

  it.each(CASES)(
    'are judged alike with the rest and without it: %s',
    (_name, spec, before, after, faults) => {
      const check = compileModel({ ...fields({ spec }), $defs: { inner } });
      const [draft, stored] = [after, before].map((value) => ({ metadata: { name: 'a' }, spec: value }));
      const none = new Allowance();
      none.during(() => none.tryWhole(() => none.spend(Infinity, 'schemas')));
      const found = [new Allowance(), none].map((one) =>
        one.during(() => check(structuredClone(draft ?? {}), stored).causes),
      );
      expect(found[0]).toHaveLength(faults);
      expect(found[1]).toEqual(found[0]);
    },
  );
});

describe('the check of a class', () => {
  const listed: JsonObject = { type: 'array', uniqueItems: true };

  it.each<[string, JsonObject, unknown]>([
    ['lists without equal items', { allOf: many(1_000, () => listed) }, many(10_000, (at) => at)],
    [
      'keys of maps',
      { allOf: many(1_000, () => ({ propertyNames: { maxLength: 9 } })) },
      Object.fromEntries(many(10_000, (at) => [at, 1])),
    ],
    [
      'patterns of keys and their number',
      {
        patternProperties: Object.fromEntries(many(100, (at) => [`^x*${at}`, { type: 'integer' }])),
      },
      Object.fromEntries(many(10_000, (at) => [`${text(100)}${at}`, 1])),
    ],
    [
      'a pattern of names and long keys',
      { propertyNames: { pattern: '^[ab]*a[ab]{990}$' } },
      { ['ab'.repeat(200_000)]: 1, ['ba'.repeat(200_000)]: 1 },
    ],
    [
      'maps without other fields',
      { anyOf: many(1_000, () => ({ additionalProperties: false })) },
      Object.fromEntries(many(10_000, (at) => [at, 1])),
    ],
    [
      'counted fields',
      { allOf: many(1_000, () => ({ minProperties: 1 })) },
      Object.fromEntries(many(10_000, (at) => [at, 1])),
    ],
    [
      'items that must be contained',
      { allOf: many(1_000, () => ({ contains: { const: 1 } })) },
      many(10_000, () => 2),
    ],
    ['references', { type: 'array', items: { $ref: '#/$defs/a' } }, many(100_000, () => ({ b: 'x' }))],
  ])('ends when it takes too long: %s', (_name, spec, value) => {
    const a = { type: 'object', properties: { b: { type: 'integer' } } };
    const schema = { ...fields({ spec }), $defs: { a } };
    expect(judge(compileModel(schema), value)).toContain('the object takes too long to check');
  });
});

describe('a format of definitions', () => {
  const NAMES = [
    [
      'bsonobjectid',
      'uri',
      'email',
      'hostname',
      'ipv4',
      'ipv6',
      'cidr',
      'mac',
      'uuid',
      'uuid3',
      'uuid4',
      'uuid5',
      'isbn',
    ],
    [
      'isbn10',
      'isbn13',
      'creditcard',
      'ssn',
      'hexcolor',
      'rgbcolor',
      'byte',
      'password',
      'date',
      'duration',
      'datetime',
    ],
    ['k8s-short-name', 'k8s-long-name'],
  ].flat();
  const PARTS = [
    '1',
    '1 ',
    ' ',
    'a',
    'a.',
    'a-',
    '-',
    '/',
    '%aa',
    '::ffff:',
    '1.',
    '1:',
    '{a',
    'http://a:',
    'a@',
    '"',
    'A',
  ];
  const LINEAR_MS = 1_000;

  it.each(NAMES)('takes linear time: %s', (name) => {
    const isValid = findFormat(name);
    if (isValid === undefined) throw new Error(name);
    for (const part of PARTS) {
      const long = `${part.repeat(200_000)}!`;
      expect(
        leastCpuMs(() => void isValid(long), { enough: LINEAR_MS }),
        part,
      ).toBeLessThan(LINEAR_MS);
    }
  });

  it.each<[string, boolean]>([
    ['1h30m', true],
    ['22 ns', true],
    ['3 weeks', true],
    ['x 3 weeks 5', true],
    ['1 2h', true],
    ['99999999999999999999h', false],
    ['12', false],
    ['5 xyz', false],
    ['h', false],
    ['0', true],
  ])('reads a duration: %s', (duration, expected) => {
    expect(findFormat('duration')?.(duration)).toBe(expected);
  });
});
