import { describe, expect, it } from 'vitest';
import type { JsonObject, ObjectDraft } from '../../../src/model/object.js';
import { nodeOf, objectNodeOf } from '../../../src/model/structural/node.js';
import { dropNulls, prune, setDefaults } from '../../../src/model/structural/repair.js';
import { checkValue, structuralCheck } from '../../../src/model/structural/structural-check.js';
import { CAUSES_MAX } from '../../../src/model/validate/validator.js';

const text: JsonObject = { type: 'string' };
const number: JsonObject = { type: 'integer' };
const fields = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});
const listOf = (items: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'array', items, ...more });
const mapBy = (key: string, items: JsonObject): JsonObject =>
  listOf(items, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [key] });
const setOf = (items: JsonObject): JsonObject => listOf(items, { 'x-kubernetes-list-type': 'set' });
const open: JsonObject = { 'x-kubernetes-preserve-unknown-fields': true };
const ruled = (schema: JsonObject, ...rules: JsonObject[]): JsonObject => ({
  ...schema,
  'x-kubernetes-validations': rules,
});
const specOf = (spec: JsonObject): JsonObject => fields({ spec });
const draft = (spec: unknown): ObjectDraft => ({ metadata: { name: 'a' }, spec });
const nested = (depth: number, value: unknown = 1): unknown => {
  let deep = value;
  for (let level = 0; level < depth; level++) deep = level % 2 === 0 ? [deep] : { a: deep };
  return deep;
};

describe('pruning', () => {
  it('removes undeclared fields, and names them with similar declared ones', () => {
    const object = { ...draft({ size: 1, list: [{ b: 1 }] }), apiVersion: 'g/v1', kind: 'A', other: 1 };
    const schema = specOf(fields({ sizes: number, list: listOf(fields({ a: number })) }));
    expect(prune(objectNodeOf(schema), object)).toEqual([
      { path: 'spec.size', suggestion: 'sizes' },
      { path: 'spec.list[0].b' },
      { path: 'other' },
    ]);
    expect(object).toEqual({
      apiVersion: 'g/v1',
      kind: 'A',
      metadata: { name: 'a' },
      spec: { list: [{}] },
    });
  });

  it('removes keys that the prototype of objects has', () => {
    const value: unknown = JSON.parse('{"__proto__":{"a":1},"constructor":1,"toString":2,"a":3}');
    expect(prune(nodeOf(fields({ a: number })), value)).toHaveLength(3);
    expect(JSON.stringify(value)).toBe('{"a":3}');
  });

  it('does not take a part of an object for a resource', () => {
    const value = { kind: 'x', a: 1 };
    prune(nodeOf(fields({ a: number })), value);
    expect(value).toEqual({ a: 1 });
  });
});

describe('nulls and defaults', () => {
  const schema = fields({
    a: { ...text, default: 'x' },
    n: { ...text, nullable: true },
    o: fields({ b: { ...number, default: 2 } }, { default: {} }),
  });

  it('drops a null that no default replaces, and keeps one that is a value', () => {
    const value = { a: null, n: null, o: { b: null, c: null } };
    dropNulls(nodeOf(schema), value);
    expect(value).toEqual({ a: null, n: null, o: { b: null, c: null } });
    const other = { l: null };
    dropNulls(nodeOf(fields({ l: listOf(text) })), other);
    expect(other).toEqual({});
  });

  it('sets defaults inside of defaults, each a copy of its own', () => {
    const values = [{ a: null }, {}] as { o?: object }[];
    for (const value of values) setDefaults(nodeOf(schema), value);
    expect(values).toEqual([
      { a: 'x', o: { b: 2 } },
      { a: 'x', o: { b: 2 } },
    ]);
    expect(values[0]?.o).not.toBe(values[1]?.o);
    expect(schema).toEqual(expect.objectContaining({ type: 'object' }));
    expect((schema.properties as JsonObject).o).toHaveProperty('default', {});
  });
});

describe('a check', () => {
  const messages = (schema: JsonObject, value: unknown): string[] =>
    checkValue(schema, value).map(({ field, message }) => `${field} ${message}`);

  it.each<[string, JsonObject, unknown, string[]]>([
    ['type', text, 1, [' must be a string, got 1']],
    ['null', text, null, [' must be a string, got null']],
    [
      'integer or string',
      { 'x-kubernetes-int-or-string': true },
      1.5,
      [' must be an integer or a string, got 1.5'],
    ],
    ['maxLength', { ...text, maxLength: 1 }, 'ab', [' must have at most 1 character, got "ab"']],
    ['pattern', { ...text, pattern: '(?i)^A$' }, 'b', [' must match the pattern (?i)^A$, got "b"']],
    [
      'a pattern that cannot be compiled',
      { ...text, pattern: '(' },
      'b',
      [' must match the pattern (, got "b"'],
    ],
    ['maximum', { ...number, maximum: 1, exclusiveMaximum: true }, 1, [' must be < 1, got 1']],
    ['int32', { ...number, format: 'int32' }, 2 ** 31, [' must be a 32-bit integer, got 2147483648']],
    ['enum', { ...text, enum: ['a'] }, 'b', [' must be one of "a", got "b"']],
    ['required', fields({ a: text }, { required: ['a'] }), {}, ['a is required']],
    ['not', { ...text, not: { enum: ['a'] } }, 'a', [' matches a schema that is not allowed']],
    [
      'oneOf',
      { ...text, oneOf: [{ minLength: 1 }, { maxLength: 3 }] },
      'a',
      [' matches several of the declared schemas, must match exactly one'],
    ],
    ['set', setOf(text), ['a', 'b', 'a', 'a'], ['[2] is in the list already']],
    [
      'map',
      mapBy('k', fields({ k: text })),
      [{ k: 'a' }, { k: 'a' }],
      ['[1] is in the list already, by its k'],
    ],
    ['a rule', ruled(text, { rule: 'self != "a"', message: 'not a' }), 'a', [' not a']],
    [
      'a rule that cannot be compiled',
      ruled(text, { rule: 'self +' }),
      'a',
      [expect.stringContaining('is invalid') as string],
    ],
  ])('names the fault of %s', (_, schema, value, expected) => {
    expect(messages(schema, value)).toEqual(expected);
  });

  it('asks no rules when a value has the wrong type', () => {
    const schema = ruled(fields({ a: number, b: text }), { rule: 'self.b == "x"', message: 'no x' });
    expect(messages(schema, { a: 'a', b: 'y' })).toEqual(['a must be an integer, got "a"']);
    expect(messages(schema, { a: 1, b: 'y' })).toEqual([' no x']);
  });

  it('compares a transition with the item that has the same keys', () => {
    const items = fields({ k: text, v: ruled(number, { rule: 'self >= oldSelf', message: 'shrinks' }) });
    const check = structuralCheck(specOf(fields({ l: mapBy('k', items) })));
    const stored = draft({ l: [{ k: 'a', v: 5 }, { k: 'b', v: 1 }] }); // prettier-ignore
    const now = draft({ l: [{ k: 'b', v: 2 }, { k: 'a', v: 4 }, { k: 'c', v: 0 }] }); // prettier-ignore
    expect(check(now, stored).causes.map(({ field }) => field)).toEqual(['spec.l[1].v']);
    expect(check(now, stored, { isStored: true }).causes).toEqual([]);
  });

  it('divides the faults of an unchanged value from new ones', () => {
    const short = { ...text, maxLength: 2 };
    const check = structuralCheck(specOf(fields({ a: short, b: short, l: listOf(short) })));
    const stored = draft({ a: 'long', b: 'long', l: ['long', 'x'] });
    const { causes, old } = check(draft({ a: 'long', b: 'longer', l: ['long', 'y'] }), stored);
    expect(causes.map(({ field }) => field)).toEqual(['spec.b', 'spec.l[0]']);
    expect(old?.causes.map(({ field }) => field)).toEqual(['spec.a']);
  });

  it('takes the object itself as unchanged when only the service has changed its metadata', () => {
    const check = structuralCheck(fields({ spec: text }, { required: ['spec'] }));
    const object = (metadata: object): ObjectDraft => ({ metadata: { name: 'a', ...metadata } });
    const stored = object({ resourceVersion: '1' });
    expect(check(object({ resourceVersion: '2' }), stored).causes).toEqual([]);
    expect(check(object({ labels: { a: 'b' } }), stored).causes).toHaveLength(1);
  });

  it('reads its schema on first use', () => {
    const read: string[] = [];
    const properties = Object.fromEntries(['a', 'b'].map((name) => [name, fields({ x: text })]));
    for (const [name, schema] of Object.entries(properties))
      Object.defineProperty(schema, 'properties', {
        get: () => (read.push(name), { x: text }),
        enumerable: true,
      });
    const check = structuralCheck(specOf(fields(properties)));
    expect(read).toEqual([]);
    check(draft({ a: { x: 'y' } }));
    expect(new Set(read)).toEqual(new Set(['a']));
  });
});

describe('hostile objects get an answer', () => {
  it.each<[string, JsonObject]>([
    ['an open field', open],
    ['an undeclared type', listOf(text)],
    ['a set', setOf({ type: 'object', ...open, 'x-kubernetes-map-type': 'atomic' })],
    ['a map of anything', { type: 'object', additionalProperties: true }],
    ['a scalar', text],
    ['a resource', { type: 'object', ...open, 'x-kubernetes-embedded-resource': true }],
  ])('with 10,000 levels in %s', (_, schema) => {
    const check = structuralCheck(specOf(schema));
    const deep = (): ObjectDraft => draft([nested(10_000), nested(10_001)]);
    const stored = draft([nested(50)]);
    expect(check(deep(), stored).old).toBeDefined();
    expect(check({ metadata: { name: 'a', labels: nested(10_000) as never }, spec: {} }).causes).not.toEqual(
      [],
    );
  });

  it.each<[string, JsonObject, unknown, number]>([
    ['items of a wrong type', listOf(text), Array(100_000).fill(1), CAUSES_MAX],
    ['equal items of a set', setOf(text), Array(100_000).fill('a'), 1],
    ['pairs in a set', setOf(text), Array.from({ length: 100_000 }, (_, at) => `${at >> 1}`), CAUSES_MAX],
    [
      'pairs in a map',
      mapBy('k', fields({ k: text })),
      Array.from({ length: 100_000 }, (_, at) => ({ k: `${at >> 1}` })),
      CAUSES_MAX,
    ],
    [
      'undeclared fields',
      fields({ a: text }),
      Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`x${at}`, 1])),
      0,
    ],
    ['a long text', { ...text, pattern: '^(a+)+$', maxLength: 2_000_000 }, `${'a'.repeat(1_000_000)}!`, 1],
  ])('with %s, in linear time', (_, schema, value, expected) => {
    const check = structuralCheck(specOf(schema));
    const { causes, unknown } = check(draft(value));
    expect(causes).toHaveLength(expected);
    expect(unknown.length).toBeLessThanOrEqual(CAUSES_MAX);
  });

  it('with more old faults than are reported before a new one', () => {
    const check = structuralCheck(specOf(fields({ l: listOf(text), m: text })));
    const stored = draft({ l: Array(CAUSES_MAX + 1).fill(1) });
    const { causes, old } = check(draft({ l: Array(CAUSES_MAX + 1).fill(1), m: 1 }), stored);
    expect(causes.map(({ field }) => field)).toEqual(['spec.m']);
    expect(old?.causes).toHaveLength(CAUSES_MAX);
  });

  it('with junctors inside of junctors', () => {
    let schema: JsonObject = { required: ['a'] };
    for (let depth = 0; depth < 60; depth++)
      schema = { [depth % 2 === 0 ? 'anyOf' : 'oneOf']: [schema, { required: ['b'] }] };
    const found = checkValue({ type: 'object', ...schema }, {}).map(({ field }) => field);
    expect(found).toEqual(['a', 'b', '']);
  });
});
