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

function judge(check: ObjectCheck, spec: unknown): unknown {
  const draft: ObjectDraft = { metadata: { name: 'a' }, spec };
  const allowance = new Allowance();
  try {
    const { causes } = allowance.during(() => check(draft));
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

  it('takes a value of an enum by its members, and in no order of its own', () => {
    const check = compile(fields({ spec: { enum: [1, '1', [2], { a: 1, b: [2] }, true], ...OPEN } }));
    const isValid = [1, '1', [2], { b: [2], a: 1 }, true].map((value) => judge(check, value));
    expect(isValid).toEqual([0, 0, 0, 0, 0]);
    const isInvalid = [2, '2', [], { a: 1 }, false, { a: 1, b: [2, 3] }].map((value) => judge(check, value));
    expect(isInvalid).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('judges many items of many fields', () => {
    const properties = Object.fromEntries(
      many(20, (at) => [`f${at}`, { type: 'string', maxLength: 20, enum: ['x', 'y'] }]),
    );
    const check = compile(fields({ spec: listOf({ ...fields(properties), required: ['f1', 'f2'] }) }));
    const item = Object.fromEntries(many(20, (at) => [`f${at}`, 'x']));
    expect(
      judge(
        check,
        many(6_000, () => item),
      ),
    ).toBe(0);
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
