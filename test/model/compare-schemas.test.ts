import { describe, expect, it } from 'vitest';
import { compareResources } from '../../src/model/evolve/compare-schemas.js';
import type { JsonObject } from '../../src/model/object.js';

/** Changes at `spec`, as texts; those that objects may not fit are marked. */
function changes(before: JsonObject, after: JsonObject, defs: [JsonObject?, JsonObject?] = []): string[] {
  const of = (spec: JsonObject, $defs?: JsonObject): { schema: JsonObject } => ({
    schema: { type: 'object', properties: { spec }, ...($defs && { $defs }) },
  });
  return compareResources(of(before, defs[0]), of(after, defs[1])).map(
    ({ path, text, isTighter }) => `${isTighter ? '! ' : ''}${path}: ${text}`,
  );
}

const text = { type: 'string' };
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});

describe('two declarations of a model', () => {
  it('do not differ by descriptions', () => {
    const before = object({ a: { ...text, description: 'old' } }, { required: ['a'] });
    const after = object({ a: { description: 'new', title: 'A', ...text } }, { required: ['a'] });
    expect(changes(before, after)).toEqual([]);
  });

  it('differ by fields that came and went, at any depth', () => {
    expect(changes(object({ a: text }), object({ b: object({ c: text }) }))).toEqual([
      'spec.a: removed',
      'spec.b: added (object)',
    ]);
    const list = (items: JsonObject): JsonObject => object({ list: { type: 'array', items } });
    expect(changes(list(object({ a: text })), list(object({ a: text, b: text })))).toEqual([
      'spec.list[].b: added (string)',
    ]);
    const map = (additionalProperties: JsonObject): JsonObject => object({}, { additionalProperties });
    expect(changes(map(object({ a: text })), map(object({})))).toEqual(['spec.*.a: removed']);
  });

  it('differ by required fields', () => {
    const required = object({ a: text }, { required: ['a'] });
    expect(changes(object({ a: text }), required)).toEqual(['! spec.a: is now required']);
    expect(changes(object({}), required)).toEqual(['! spec.a: added (string), required']);
    expect(changes(required, object({ a: text }))).toEqual(['spec.a: is no longer required']);
    expect(changes(object({}), object({}, { required: ['b'] }))).toEqual(['! spec.b: is now required']);
  });

  it('differ by types, of which a wider one is safe', () => {
    const at = (type: JsonObject): JsonObject => object({ a: type });
    expect(changes(at({ type: 'string' }), at({ type: 'integer' }))).toEqual([
      '! spec.a: type changed from string to integer',
    ]);
    expect(changes(at({ type: 'integer' }), at({ type: 'number' }))).toEqual([
      'spec.a: type changed from integer to number',
    ]);
    expect(changes(at(text), at({ ...text, nullable: true }))).toEqual([
      'spec.a: type changed from string to null or string',
    ]);
    expect(changes(at({}), at(text))).toEqual(['! spec.a: type changed from any to string']);
  });

  it('differ by the values of an enumeration', () => {
    const at = (...values: string[]): JsonObject => object({ a: { ...text, enum: values } });
    expect(changes(at('x', 'y'), at('y', 'z'))).toEqual([
      'spec.a: now also accepts "z"',
      '! spec.a: no longer accepts "x"',
    ]);
    expect(changes(object({ a: text }), at('x'))).toEqual(['! spec.a: now accepts only "x"']);
    expect(changes(at('x'), object({ a: text }))).toEqual(['spec.a: now accepts more than "x"']);
  });

  it('differ by bounds and other rules', () => {
    const at = (rules: JsonObject): JsonObject => object({ a: { ...text, ...rules } });
    expect(changes(at({ maxLength: 10 }), at({ maxLength: 5 }))).toEqual([
      '! spec.a: maxLength changed from 10 to 5',
    ]);
    expect(changes(at({ minLength: 3 }), at({ minLength: 1 }))).toEqual([
      'spec.a: minLength changed from 3 to 1',
    ]);
    expect(changes(at({}), at({ pattern: '^a' }))).toEqual(['! spec.a: pattern "^a" added']);
    expect(changes(at({ pattern: '^a' }), at({}))).toEqual(['spec.a: pattern "^a" removed']);
    expect(changes(at({ pattern: '^a' }), at({ pattern: '^b' }))).toEqual([
      '! spec.a: pattern changed from "^a" to "^b"',
    ]);
    expect(changes(at({ oneOf: [{}] }), at({ oneOf: [{}, {}] }))).toEqual(['! spec.a: oneOf changed']);
  });

  it('differ by additional members', () => {
    const open = object({});
    expect(changes(open, object({}, { additionalProperties: false }))).toEqual([
      '! spec: no longer accepts other members',
    ]);
    expect(changes(object({}, { additionalProperties: false }), open)).toEqual([
      'spec: now accepts other members',
    ]);
    expect(changes(open, object({}, { additionalProperties: text }))).toEqual([
      '! spec: other members must now match a schema',
    ]);
  });

  it('are followed through references, also to themselves', () => {
    const node = (more: JsonObject): JsonObject => ({
      Node: object({ next: { description: 'the next', $ref: '#/$defs/Node' }, ...more }),
    });
    const spec = object({ root: { $ref: '#/$defs/Node' } });
    expect(changes(spec, spec, [node({}), node({ a: text })])).toEqual([
      'spec.root.a: added (string)',
      'spec.root.next.a: added (string)',
    ]);
    expect(changes(spec, object({ root: object({ next: {} }) }), [node({})])).toEqual([
      'spec.root.next: type changed from object to any',
      'spec.root.next.next: removed',
    ]);
  });

  it('differ by rules that came and went, not by what these say', () => {
    const ruled = (...rules: readonly [string, string][]): JsonObject => ({
      ...object({ a: text }),
      'x-kubernetes-validations': rules.map(([rule, message]) => ({ rule, message })),
    });
    const before = ruled(['has(self.a)', 'needs a'], ['self.a != ""', 'is empty']);
    const after = ruled(['self.a != ""', 'must not be empty'], ['self.a != "b"', 'is b']);
    expect(changes(before, after)).toEqual([
      '! spec: the rule "self.a != \\"b\\"" added',
      'spec: the rule "has(self.a)" removed',
    ]);
  });
});
