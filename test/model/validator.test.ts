import { describe, expect, it } from 'vitest';
import type { Cause } from '../../src/errors.js';
import type { JsonObject, ObjectDraft } from '../../src/model/object.js';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import { linearRegExp } from '../../src/lib/linear-reg-exp.js';
import { CAUSES_MAX, compileSchema } from '../../src/model/validate/validator.js';
import type { ValidationResult } from '../../src/model/declare/scheme.js';
import { FORMATS } from '../../src/model/schema/lint-schema.js';
import { equalItems } from '../../src/model/validate/unique-items.js';
import { modelOf } from './helpers.js';

function validate(spec: JsonObject, object: ObjectDraft): ValidationResult {
  return new SchemeRegistry().register(modelOf('Thing', spec), 'test').validate(object);
}

function check(spec: JsonObject, value: unknown): readonly Cause[] {
  return validate(spec, { metadata: { name: 'a' }, spec: value }).causes;
}

const brief = (causes: readonly Cause[]): string[] =>
  causes.map(({ field, message }) => `${field} ${message}`);
const prop = (schema: JsonObject): JsonObject => ({ type: 'object', properties: { x: schema } });

describe('a schema', () => {
  it.each<[string, JsonObject, unknown, unknown, string]>([
    ['type', { type: 'string' }, '', 1, 'must be a string, got 1'],
    ['integer', { type: 'integer' }, 1, 1.5, 'must be an integer, got 1.5'],
    ['minLength', { minLength: 2 }, 'ab', 'a', 'must have at least 2 characters, got "a"'],
    ['maxLength', { maxLength: 1 }, '\u{1F600}', 'ab', 'must have at most 1 character, got "ab"'],
    ['minimum', { minimum: 0 }, 0, -1, 'must be >= 0, got -1'],
    ['maximum', { maximum: 5 }, 5, 6, 'must be <= 5, got 6'],
    ['exclusiveMinimum of 3.0', { minimum: 0, exclusiveMinimum: true }, 1, 0, 'must be > 0, got 0'],
    ['exclusiveMaximum of 3.1', { exclusiveMaximum: 5 }, 4, 5, 'must be < 5, got 5'],
    ['multipleOf', { multipleOf: 0.1 }, 0.3, 0.25, 'must be a multiple of 0.1, got 0.25'],
    ['pattern', { pattern: '^a+$' }, 'aa', 'b', 'must match the pattern ^a+$, got "b"'],
    ['enum', { enum: ['A', 'B'] }, 'A', 'C', 'must be one of "A", "B", got "C"'],
    ['const', { const: 1 }, 1, 2, 'must be 1, got 2'],
    ['minItems', { minItems: 1 }, [1], [], 'must have at least 1 item, got 0'],
    ['maxItems', { maxItems: 1 }, [1], [1, 2], 'must have at most 1 item, got 2'],
    [
      'uniqueItems',
      { uniqueItems: true },
      [1, 2],
      [1, 1],
      'must not contain a value twice: items 0 and 1 are equal',
    ],
    ['email', { format: 'email' }, 'a@b.cd', 'a', 'must be an email address, got "a"'],
    [
      'date',
      { format: 'date' },
      '2024-02-29',
      '2023-02-29',
      'must be a date such as 2026-11-20, got "2023-02-29"',
    ],
    [
      'time',
      { format: 'time' },
      '08:00:00Z',
      '25:00:00Z',
      'must be a time with zone such as 08:00:00Z, got "25:00:00Z"',
    ],
    [
      'uuid',
      { format: 'uuid' },
      '00000000-0000-4000-8000-000000000000',
      'x',
      'must be a valid uuid, got "x"',
    ],
    ['int32', { format: 'int32' }, 2147483647, 2147483648, 'must be a 32-bit integer, got 2147483648'],
    [
      'int32 below',
      { format: 'int32' },
      -2147483648,
      -2147483649,
      'must be a 32-bit integer, got -2147483649',
    ],
    ['int64', { format: 'int64' }, -(2 ** 63), 2 ** 63, 'must be a 64-bit integer, got 9223372036854776000'],
    ['nullable', { type: 'string', nullable: true }, null, 1, 'must be a string or null, got 1'],
    ['nullable enum', { enum: ['A'], nullable: true }, null, 'B', 'must be one of "A", null, got "B"'],
    ['nullable allOf', { allOf: [{ type: 'string' }], nullable: true }, null, 1, 'must be a string, got 1'],
    ['type list of 3.1', { type: ['string', 'null'] }, null, 1, 'must be a string or null, got 1'],
    ['not', { not: { type: 'string' } }, 1, 'a', 'matches a schema that is not allowed'],
    ['maxProperties', { maxProperties: 1 }, { a: 1 }, { a: 1, b: 2 }, 'must have at most 1 field, got 2'],
    [
      'tuple',
      { items: [{ type: 'string' }], additionalItems: false },
      ['a'],
      ['a', 1],
      'must have at most 1 item, got 2',
    ],
    ['password', { format: 'password', minLength: 3 }, 'abc', 'ab', 'must have at least 3 characters'],
  ])('checks %s', (_name, schema, good, bad, message) => {
    expect(check(prop(schema), { x: good })).toEqual([]);
    expect(
      brief(check(prop(schema), { x: bad })).map((text) => text.replace(/^spec\.x(\[\d\])? /, '')),
    ).toContain(message);
  });

  it.each(['2026-11-20T08:00:00Z', '2026-11-20t08:00:00.5+02:00', '2016-12-31T23:59:60Z'])(
    'takes the date-time %s',
    (x) => {
      expect(check(prop({ format: 'date-time' }), { x })).toEqual([]);
    },
  );

  it.each([
    '2026-11-20 08:00:00Z',
    '2026-11-20T08:00:00',
    '2026-02-30T08:00:00Z',
    '2016-12-31T12:59:60Z',
    '2026-11-20T08:00:00+02',
  ])('refuses the date-time %s', (x) => {
    expect(check(prop({ format: 'date-time' }), { x })).toHaveLength(1);
  });

  it('ignores keywords that only describe', () => {
    const schema = prop({
      type: 'string',
      readOnly: true,
      deprecated: true,
      example: 1,
      'x-any': 1,
      discriminator: {},
    });
    expect(check(schema, { x: 'a' })).toEqual([]);
  });

  it('cuts long values in messages', () => {
    const [cause] = check(prop({ type: 'string', maxLength: 1 }), { x: 'y'.repeat(1000) });
    expect(cause?.message.length).toBeLessThan(120);
  });

  it('gives each pattern its own regular expression', () => {
    const schema = { properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } };
    expect(check(schema, { a: 'a', b: 'b' })).toEqual([]);
    expect(check(schema, { a: 'b', b: 'a' })).toHaveLength(2);
  });
});

describe('violations', () => {
  const spec: JsonObject = {
    type: 'object',
    required: ['name'],
    additionalProperties: false,
    properties: {
      name: { type: 'string' },
      tags: { type: 'array', items: { type: 'string', maxLength: 2 } },
      map: { type: 'object', additionalProperties: { type: 'integer' } },
      color: { enum: ['RED'] },
    },
  };

  it('are all reported, each with its path and reason', () => {
    const causes = check(spec, {
      nmae: 1,
      tags: ['a', 1, 'abc'],
      map: { 'a.b/c~d%20': 'x', 0: 'y' },
      color: 'BLUE',
    });
    expect(causes.map(({ field, reason }) => [field, reason]).sort()).toEqual([
      ['spec.color', 'FieldValueNotSupported'],
      ['spec.map.0', 'FieldValueInvalid'],
      ['spec.map.a.b/c~d%20', 'FieldValueInvalid'],
      ['spec.name', 'FieldValueRequired'],
      ['spec.nmae', 'FieldValueForbidden'],
      ['spec.tags[1]', 'FieldValueInvalid'],
      ['spec.tags[2]', 'FieldValueInvalid'],
    ]);
    expect(causes.find(({ field }) => field === 'spec.nmae')?.message).toBe(
      'is not a declared field, did you mean "name"?',
    );
  });

  it('are all returned, up to a number that no answer needs', () => {
    const list = (length: number): unknown => ({ name: 'a', tags: Array.from({ length }, () => 1) });
    expect(check(spec, list(CAUSES_MAX))).toHaveLength(1_000);
    expect(check(spec, list(CAUSES_MAX + 1))).toHaveLength(1_000);
  });

  it('do not come from inherited members', () => {
    expect(brief(check({ type: 'object', required: ['constructor', 'toString'] }, {}))).toEqual([
      'spec.constructor is required',
      'spec.toString is required',
    ]);
  });

  it('are found under hostile keys, which pollute nothing', () => {
    const value: unknown = JSON.parse('{"name": "a", "map": {"__proto__": "x", "constructor": 1}}');
    expect(check(spec, value).map(({ field }) => field)).toEqual(['spec.map.__proto__']);
    expect(Object.prototype).not.toHaveProperty('x');
  });

  it('name the nested branch of a nullable reference', () => {
    const schema: JsonObject = {
      properties: { x: { $ref: '#/$defs/N', nullable: true } },
      $defs: { N: { type: 'object', properties: { n: { type: 'integer', default: 3 } } } },
    };
    const check = compileSchema(schema);
    expect(check({ x: null })).toEqual([]);
    expect(check({ x: { n: 'a' } }).map(({ field, keyword }) => [field, keyword])).toEqual([['x.n', 'type']]);
    const filled = { x: {} };
    check(filled);
    expect(filled).toEqual({ x: { n: 3 } });
  });
});

describe('defaults', () => {
  it('are filled in place, also inside of defaults, and are not shared', () => {
    const schema = {
      properties: {
        a: { type: 'integer', default: 1 },
        b: { type: 'object', default: {}, properties: { c: { default: [1] } } },
      },
    };
    const scheme = new SchemeRegistry().register(modelOf('Thing', schema), 'test');
    const one = { metadata: { name: 'a' }, spec: {} };
    const two = { metadata: { name: 'a' }, spec: {} };
    scheme.validate(one);
    scheme.validate(two);
    expect(one.spec).toEqual({ a: 1, b: { c: [1] } });
    expect((one.spec as { b: unknown }).b).not.toBe((two.spec as { b: unknown }).b);
  });

  it('stand where null is given and not allowed, whether the field has a type or not', () => {
    const object = { metadata: { name: 'a' }, spec: { a: null, b: null, c: { d: null }, e: null } };
    const d = { type: 'string', default: 'd' };
    const schema = {
      type: 'object',
      required: ['a'],
      properties: {
        a: { type: 'integer', default: 1 },
        b: { default: 2 },
        c: { properties: { d } },
        e: { type: 'string', nullable: true, default: 'e' },
      },
    };
    expect(validate(schema, object).causes).toEqual([]);
    expect(object.spec).toEqual({ a: 1, b: 2, c: { d: 'd' }, e: null });
  });

  it('are filled in wherever a schema applies for sure', () => {
    const schema: JsonObject = {
      $defs: { N: { properties: { n: { default: 0 } }, allOf: [{ properties: { m: { default: 1 } } }] } },
      properties: {
        list: { items: { $ref: '#/$defs/N' } },
        tuple: {
          prefixItems: [{}, { $ref: '#/$defs/N' }],
          items: { properties: { rest: { default: true } } },
        },
        map: {
          properties: { named: {} },
          patternProperties: { '^x-': { properties: { x: { default: 'x' } } } },
          additionalProperties: { $ref: '#/$defs/N' },
        },
        absent: { $ref: '#/$defs/N' },
      },
    };
    const value = {
      list: [{}, { n: 5 }, 1, null],
      tuple: [{}, {}, {}],
      map: { named: {}, 'x-a': {}, other: {} },
    };
    expect(compileSchema(schema)(value)).toEqual([]);
    expect(value).toEqual({
      list: [{ n: 0, m: 1 }, { n: 5, m: 1 }, 1, null],
      tuple: [{}, { n: 0, m: 1 }, { rest: true }],
      map: { named: {}, 'x-a': { x: 'x' }, other: { n: 0, m: 1 } },
    });
  });

  it.each(['oneOf', 'anyOf'] as const)(
    'are there when %s is judged, so that what is stored is accepted again',
    (keyword) => {
      const schema: JsonObject = {
        type: 'object',
        properties: { type: { type: 'string', default: 'IP' }, host: { type: 'string' } },
        [keyword]: [
          { properties: { type: { const: 'IP' } }, required: ['type'] },
          { properties: { type: { const: 'Host' } }, required: ['type', 'host'] },
        ],
      };
      const object = { metadata: { name: 'a' }, spec: {} };
      expect(validate(schema, object).causes).toEqual([]);
      expect(object.spec).toEqual({ type: 'IP' });
      expect(validate(schema, object).causes).toEqual([]);
      expect(check(schema, { type: 'Host' })).not.toEqual([]);
    },
  );

  it('end where a default leads to itself', () => {
    const schema: JsonObject = {
      $defs: { T: { type: 'object', properties: { t: { $ref: '#/$defs/T' }, n: { default: 1 } } } },
      properties: { t: { $ref: '#/$defs/T' } },
    };
    const value = { t: { t: { t: {} } } };
    compileSchema(schema)(value);
    expect(value).toEqual({ t: { n: 1, t: { n: 1, t: { n: 1 } } } });
  });

  it('leave given values alone', () => {
    const object = { metadata: { name: 'a' }, spec: { x: 0 } };
    validate(prop({ type: 'integer', default: 1 }), object);
    expect(object.spec).toEqual({ x: 0 });
  });
});

describe('null', () => {
  it.each<[string, JsonObject | boolean]>([
    ['of any kind', {}],
    ['of any kind, in another way', true],
    ['only described', { description: 'x' }],
    ['with fields but no type', { properties: { a: {} } }],
    ['with a rule but no type', { minLength: 1 }],
    ['of a definition without a type', { $ref: '#/$defs/Bare' }],
    ['of parts without a type', { allOf: [{ minLength: 1 }, { maxLength: 3 }] }],
    ['of branches without a type', { anyOf: [{ minLength: 1 }, { minimum: 1 }] }],
  ])('is refused for a field %s', (_what, schema) => {
    const bare = { $defs: { Bare: { pattern: 'a' } }, type: 'object', properties: { x: schema } };
    const message = expect.stringContaining('spec.x must not be null') as unknown;
    expect(brief(check(bare, { x: null }))).toContainEqual(message);
    expect(brief(check({ ...bare, required: ['x'] }, { x: null }))).toContainEqual(message);
    expect(check(bare, {})).toEqual([]);
    const nested = {
      type: 'object',
      properties: { list: { type: 'array', items: bare } },
      $defs: bare.$defs,
    };
    expect(brief(check(nested, { list: [{}, { x: null }] }))).toContainEqual(
      expect.stringContaining('spec.list[1].x must not be null'),
    );
  });

  it.each<[string, JsonObject]>([
    ['is nullable', { nullable: true }],
    ['has null among its types', { type: ['string', 'null'] }],
    ['has null among its values', { enum: ['a', null] }],
    ['is null', { const: null }],
    ['has a branch for null', { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    ['has another branch for null', { oneOf: [{ minLength: 1, type: 'string' }, { const: null }] }],
    ['is of a nullable definition', { $ref: '#/$defs/Maybe' }],
    ['is null by default', { default: null }],
  ])('is taken for a field that %s', (_what, schema) => {
    const maybe = { type: 'string', nullable: true };
    const all = { $defs: { Maybe: maybe }, type: 'object', properties: { x: schema } };
    expect(brief(check(all, { x: null }))).toEqual([]);
  });

  it('is taken where no field is declared: in lists, in maps and below unknown fields', () => {
    const schema = {
      type: 'object',
      properties: { list: { type: 'array', items: {} }, map: { type: 'object', additionalProperties: {} } },
    };
    expect(check(schema, { list: [null], map: { a: null }, other: null, more: { a: null } })).toEqual([]);
  });
});

describe('metadata', () => {
  const causes = (metadata: unknown): string[] =>
    brief(validate({}, { metadata: metadata as NonNullable<ObjectDraft['metadata']> }).causes);

  it('accepts all members of a stored object', () => {
    const metadata = {
      name: 'a',
      labels: { a: 'b' },
      annotations: { a: 'b c' },
      finalizers: ['x', 'y'],
      version: 3,
      resourceVersion: '12',
      uid: 'x',
      generation: 1,
      creationTimestamp: '2026-11-20T08:00:00.123Z',
    };
    expect(causes(metadata)).toEqual([]);
  });

  it('accepts anything where the service overwrites it, and null for an absent lock', () => {
    expect(
      causes({
        name: 'a',
        uid: 1,
        generation: 'x',
        creationTimestamp: null,
        deletionTimestamp: {},
        version: null,
        resourceVersion: null,
      }),
    ).toEqual([]);
  });

  it.each([
    [undefined, 'metadata.name is required'],
    [{}, 'metadata.name is required'],
    [{ name: null }, 'metadata.name is required'],
    [{ name: 1 }, 'metadata.name must be a string, got 1'],
    [{ name: 'A' }, 'metadata.name must consist of lowercase letters'],
    [{ name: 'a', generateName: 1 }, 'metadata.generateName must be a string or null, got 1'],
    [{ name: 'a', labels: [] }, 'metadata.labels must be an object, got an array'],
    [{ name: 'a', labels: { a: 1 } }, 'metadata.labels.a must be a string, got 1'],
    [{ name: 'a', labels: { 'a.b/c': '-' } }, 'metadata.labels.a.b/c the value must'],
    [{ name: 'a', annotations: { a: null } }, 'metadata.annotations.a must be a string, got null'],
    [{ name: 'a', finalizers: 'x' }, 'metadata.finalizers must be an array, got "x"'],
    [{ name: 'a', finalizers: ['x', 'x'] }, 'metadata.finalizers must not contain a value twice'],
    [
      { name: 'a', finalizers: Array.from({ length: 257 }, (_, i) => `x${i}`) },
      'metadata.finalizers must have at most 256 items, got 257',
    ],
    [{ name: 'a', finalizers: [''] }, 'metadata.finalizers[0] must have at least 1 character, got ""'],
    [{ name: 'a', version: -1 }, 'metadata.version must be >= 0, got -1'],
    [{ name: 'a', version: '1' }, 'metadata.version must be an integer or null, got "1"'],
    [{ name: 'a', version: 1.5 }, 'metadata.version must be an integer or null, got 1.5'],
    [{ name: 'a', resourceVersion: 1 }, 'metadata.resourceVersion must be a string or null, got 1'],
  ])('%j is refused', (metadata, message) => {
    expect(causes(metadata).filter((text) => text.startsWith(message))).toHaveLength(1);
  });
});

describe('unknown fields', () => {
  const unknown = (spec: JsonObject, value: unknown, more: object = {}): unknown =>
    validate(spec, { metadata: { name: 'a', ...more }, spec: value }).unknown;

  it('are named with their path and what was probably meant, and are no violations', () => {
    const spec = { properties: { owner: { type: 'string' }, list: { items: prop({}) } } };
    const value = { ownr: 1, list: [{ x: 1 }, { y: 1 }], zzzzzz: 1 };
    expect(unknown(spec, value)).toEqual([
      { path: 'spec.ownr', suggestion: 'owner' },
      { path: 'spec.list[1].y' },
      { path: 'spec.zzzzzz' },
    ]);
    expect(check(spec, value)).toEqual([]);
  });

  it('are none of them a status: every object may have one', () => {
    expect(validate({}, { metadata: { name: 'a' }, status: { phase: 'Ready' } }).unknown).toEqual([]);
  });

  it('are also found at the top and in metadata', () => {
    const object = { metadata: { name: 'a', nmespace: 'b', labels: { free: 'x' } }, spce: {} };
    expect(validate({}, object).unknown).toEqual([
      { path: 'metadata.nmespace' },
      { path: 'spce', suggestion: 'spec' },
    ]);
  });

  it('are those that no part of a composition declares', () => {
    const spec: JsonObject = {
      properties: { a: {} },
      allOf: [
        { properties: { b: {} } },
        { oneOf: [{ properties: { c: {} } }, { properties: { d: prop({}) } }] },
      ],
    };
    expect(unknown(spec, { a: 1, b: 1, c: 1, d: { x: 1, e: 1 }, f: 1 })).toEqual([
      { path: 'spec.d.e' },
      { path: 'spec.f' },
    ]);
  });

  it('do not exist where an object is a map or declares nothing', () => {
    expect(unknown({ type: 'object' }, { a: 1 })).toEqual([]);
    expect(unknown({ ...prop({}), additionalProperties: prop({}) }, { a: { x: 1, y: 1 } })).toEqual([
      { path: 'spec.a.y' },
    ]);
    expect(unknown({ ...prop({}), patternProperties: { '^a': {} } }, { b: 1 })).toEqual([]);
  });

  it('are found at any depth of a type that holds itself', () => {
    const schema = { $schema: 'x', properties: { next: { $ref: '#' } } };
    expect(unknown(schema, { next: { next: { nxt: 1 } } })).toEqual([
      { path: 'spec.next.next.nxt', suggestion: 'next' },
    ]);
  });

  it('may have hostile names', () => {
    expect(unknown(prop({}), JSON.parse('{"__proto__": 1, "constructor": 2}'))).toEqual([
      { path: 'spec.__proto__' },
      { path: 'spec.constructor' },
    ]);
  });
});

describe('linearRegExp', () => {
  it('takes no longer for texts that make a backtracking engine slow', () => {
    const slow = linearRegExp('^(a{1,30}){1,30}$');
    const begin = performance.now();
    expect(slow.test(`${'a'.repeat(5000)}b`)).toBe(false);
    expect(linearRegExp('^(a+)+$').test(`${'a'.repeat(50_000)}b`)).toBe(false);
    // To try all ways to read them would take for ever.
    expect(performance.now() - begin).toBeLessThan(5_000);
  });

  it.each([
    ['^(a{1,50}){1,50}$', /linear time: invalid repeat count/],
    ['(?=a)b', /linear time/],
    ['(a)\\1', /linear time/],
    ['(', /Invalid regular expression/],
    ['a{2}{3}', /Invalid regular expression/],
  ])('refuses %s with the reason', (pattern, message) => {
    expect(() => linearRegExp(pattern)).toThrow(message);
  });

  it.each([
    ['(?i)^[a-z]+$', 'ABC', '1'],
    ['^(?i:x)-[a-z]$', 'X-a', 'X-A'],
    ['(?s)^a.b$', 'a\nb', 'ab'],
    ['\\A(?P<word>\\w+)\\z', 'abc', 'a b'],
    ['^[[:alpha:]]+$', 'abc', 'a1'],
  ])('takes the syntax of RE2: %s', (pattern, good, bad) => {
    expect([linearRegExp(pattern).test(good), linearRegExp(pattern).test(bad)]).toEqual([true, false]);
    expect(check(prop({ type: 'string', pattern }), { x: good })).toEqual([]);
    expect(check(prop({ type: 'string', pattern }), { x: bad })).toHaveLength(1);
  });

  it('may have flags for the names of fields too', () => {
    const schema = { type: 'object', patternProperties: { '(?i)^x-': { type: 'integer' } } };
    expect(check(schema, { 'X-a': 1, 'x-b': 2, y: 'z' })).toEqual([]);
    expect(brief(check(schema, { 'X-a': '1' }))).toEqual(['spec.X-a must be an integer, got "1"']);
  });

  it('sees code points, and an end that is the end', () => {
    expect(linearRegExp('^.$').test('\u{1F600}')).toBe(true);
    expect(linearRegExp('^a$').test('a\n')).toBe(false);
  });
});

describe('a long text or list', () => {
  /** Work that grows with the square of the length takes longer. */
  const LINEAR_MS = 5_000;
  const elapsed = (schema: JsonObject, value: unknown): number => {
    const check = compileSchema({ properties: { x: schema } });
    const begin = performance.now();
    check({ x: value });
    return performance.now() - begin;
  };

  it('cannot make a format slow', () => {
    for (const format of FORMATS) {
      for (const part of ['a', 'a.', 'a-', '/', '%aa', '::ffff:', '1', '{a', 'http://a:', 'a@']) {
        expect(elapsed({ format }, `${part.repeat(100_000)}"`), `${format} ${part}`).toBeLessThan(LINEAR_MS);
      }
    }
  });

  it('cannot make the search for equal items slow', () => {
    const items = Array.from({ length: 50_000 }, (_, a) => ({ a }));
    expect(elapsed({ uniqueItems: true }, items)).toBeLessThan(LINEAR_MS);
  });
});

describe('items', () => {
  it.each([
    [
      [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ],
      [0, 1],
    ],
    [
      ['__proto__', 'x', '__proto__'],
      [0, 2],
    ],
    [
      [null, null],
      [0, 1],
    ],
    [['{}', {}, '[]', [], 'null', null, 1, '1', true, 'true'], undefined],
  ])('%j are equal at %j', (items, expected) => {
    expect(equalItems(items)).toEqual(expected);
  });

  it('are not compared when uniqueItems is false', () => {
    expect(check(prop({ uniqueItems: false }), { x: [1, 1] })).toEqual([]);
  });

  it('may have url formats up to 2048 characters', () => {
    const url = (length: number): string => 'http://example.com/'.padEnd(length, 'a');
    expect(check(prop({ format: 'url' }), { x: url(2048) })).toEqual([]);
    expect(check(prop({ format: 'url' }), { x: url(2049) })).toHaveLength(1);
  });
});

describe('names in the metadata of a stored object', () => {
  const scheme = new SchemeRegistry().register(modelOf('Thing'), 'test');
  const labels = { '-a.b/c': 'x', good: '-', 'fine.example/x': 'y' };
  const annotations = { 'no key': 'x' };
  const stored = { metadata: { name: 'a', labels, annotations } };
  const fields = (causes: readonly Cause[] = []): string[] => causes.map(({ field }) => field);

  it('that break the rules are no reason to refuse another label', () => {
    const next = { metadata: { name: 'a', labels: { ...labels, more: 'y' }, annotations } };
    const { causes, old } = scheme.validate(next, stored);
    expect(causes).toEqual([]);
    expect(fields(old?.causes)).toEqual([
      'metadata.labels.-a.b/c',
      'metadata.labels.good',
      'metadata.annotations.no key',
    ]);
  });

  it('are refused with another value', () => {
    const next = {
      metadata: { name: 'a', labels: { ...labels, good: '_' }, annotations: { 'no key': 'y' } },
    };
    const { causes, old } = scheme.validate(next, stored);
    expect(fields(causes)).toEqual(['metadata.labels.good', 'metadata.annotations.no key']);
    expect(fields(old?.causes)).toEqual(['metadata.labels.-a.b/c']);
  });
});
