import { describe, expect, it } from 'vitest';
import { FORMATS, lintSchema } from '../../src/model/schema/lint-schema.js';
import type { JsonObject } from '../../src/model/object.js';

const lint = (x: JsonObject, more: JsonObject = {}): void => {
  lintSchema('Thing', { properties: { spec: { properties: { x } } }, ...more });
};

describe('a model is refused, with class and path, when its schema has', () => {
  it.each<[string, JsonObject, RegExp]>([
    [
      'an unknown format',
      { format: 'date_time' },
      /class Thing is invalid: spec\.x: unknown format "date_time"/,
    ],
    ['an unknown type', { type: 'text' }, /spec\.x: unknown type "text"/],
    ['an empty type list', { type: [] }, /spec\.x: type must not be an empty list/],
    [
      'a pattern of wrong syntax',
      { pattern: '(' },
      /spec\.x: the pattern \( is invalid: Invalid regular expression/,
    ],
    [
      'a pattern that may be slow',
      { pattern: '^(a{1,50}){1,50}$' },
      /spec\.x: .*linear time: invalid repeat count/,
    ],
    ['a pattern with look-around', { pattern: '(?!a)' }, /spec\.x: .*linear time/],
    ['a pattern that is no text', { pattern: 1 }, /spec\.x: pattern must be a string/],
    ['a bad pattern for names', { patternProperties: { '(': {} } }, /spec\.x: the pattern \(/],
    [
      'minLength > maxLength',
      { minLength: 2, maxLength: 1 },
      /spec\.x: minLength 2 is greater than maxLength 1/,
    ],
    ['minimum > maximum', { minimum: 2, maximum: 1 }, /spec\.x: minimum 2 is greater than maximum 1/],
    ['minItems > maxItems', { minItems: 2, maxItems: 1 }, /spec\.x: minItems 2/],
    [
      'a number of items as text',
      { minItems: '1' },
      /spec\.x: minItems must be an integer of at least 0, got "1"/,
    ],
    ['a part of an item', { maxItems: 1.5 }, /spec\.x: maxItems must be an integer of at least 0, got 1\.5/],
    ['a flag as text', { uniqueItems: 'yes' }, /spec\.x: uniqueItems must be true or false, got "yes"/],
    ['a title that is no text', { title: 7 }, /spec\.x: title must be a text, got 7/],
    ['a negative length', { minLength: -1 }, /minLength must be an integer of at least 0, got -1/],
    ['a bound of text', { minimum: '0' }, /minimum must be a number, got "0"/],
    ['a multiple of nothing', { multipleOf: 0 }, /multipleOf must be a positive number/],
    ['an exclusive bound of text', { exclusiveMinimum: 'a' }, /exclusiveMinimum must be/],
    ['an empty enum', { enum: [] }, /spec\.x: enum must be/],
    ['required as a flag', { required: true }, /spec\.x: required must be a list/],
    ['properties as a list', { properties: [] }, /spec\.x: properties must be an object/],
    [
      'a default of another type',
      { type: 'integer', default: 'a' },
      /spec\.x: the default must be an integer, got "a"/,
    ],
    ['a default below its minimum', { minimum: 2, default: 1 }, /spec\.x: the default must be >= 2, got 1/],
    ['a default that is not in the enum', { enum: ['a'], default: 'b' }, /the default must be one of "a"/],
    [
      'a bad default in an array',
      { items: { items: { type: 'string', default: 1 } } },
      /spec\.x\[\]\[\]: the default/,
    ],
    ['a reference to nothing', { $ref: '#/$defs/Y' }, /spec\.x: the \$ref "#\/\$defs\/Y" does not exist/],
    ['text for a schema', { items: 'string' }, /spec\.x\[\]: must be a schema object/],
  ])('%s', (_name, schema, message) => {
    expect(() => lint(schema)).toThrow(message);
  });

  it('a field named __proto__', () => {
    expect(() => lint(JSON.parse('{"properties": {"__proto__": {}}}') as JsonObject)).toThrow(/__proto__/);
  });

  it('several faults, which are all listed', () => {
    expect(() =>
      lint({ type: 'text', format: 'x', $ref: '#/$defs/Y' }, { $defs: { Y: { type: 'text' } } }),
    ).toThrow(/spec\.x: unknown type "text"; spec\.x: unknown format "x"; Y: unknown type "text"/);
  });
});

describe('a model is accepted when its schema has', () => {
  it.each([...FORMATS])('the format %s', (format) => {
    expect(() => lint({ format })).not.toThrow();
  });

  it.each<[string, JsonObject]>([
    ['equal bounds', { minLength: 1, maxLength: 1, minimum: 0, maximum: 0 }],
    ['a fitting default', { type: 'string', minLength: 1, default: 'a' }],
    ['a default of null where null is accepted', { type: 'string', nullable: true, default: null }],
    ['boolean schemas', { properties: { y: true, z: false } }],
    ['a default that fits its reference', { allOf: [{ $ref: '#/$defs/Y' }], default: { a: 1 } }],
  ])('%s', (_name, schema) => {
    expect(() =>
      lint(schema, { $defs: { Y: { type: 'object', properties: { a: { type: 'integer' } } } } }),
    ).not.toThrow();
  });
});
