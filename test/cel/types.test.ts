import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/object.js';
import { faultOf, valueOf } from './helpers.js';

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    count: { type: 'integer' },
    ratio: { type: 'number' },
    active: { type: 'boolean' },
    at: { type: 'string', format: 'date-time' },
    day: { type: 'string', format: 'date' },
    wait: { type: 'string', format: 'duration' },
    data: { type: 'string', format: 'byte' },
    port: { 'x-kubernetes-int-or-string': true },
    either: { type: ['string', 'null'] },
    maybe: { type: 'string', nullable: true },
    tags: { type: 'array', items: { type: 'string' } },
    items: { type: 'array', items: { $ref: '#/$defs/Item' } },
    labels: { type: 'object', additionalProperties: { type: 'integer' } },
    free: {
      type: 'object',
      properties: { known: { type: 'integer' } },
      'x-kubernetes-preserve-unknown-fields': true,
    },
    anything: {},
    bare: { type: 'object' },
    level: { enum: ['low', 'high'] },
    wrapped: { allOf: [{ $ref: '#/$defs/Item' }], description: 'an item' },
    choice: {
      type: 'object',
      properties: { kind: { type: 'string' } },
      oneOf: [{ properties: { one: { type: 'string' } } }, { properties: { two: { type: 'integer' } } }],
    },
    'a-b.c/d': { type: 'string' },
    a__b: { type: 'string' },
    for: { type: 'string' },
  },
  $defs: {
    Item: {
      type: 'object',
      properties: { size: { type: 'integer' }, inner: { type: 'array', items: { $ref: '#/$defs/Item' } } },
    },
  },
};

const DATA = {
  name: 'ann',
  count: 3,
  ratio: 2,
  active: true,
  at: '2026-01-01T00:00:00Z',
  day: '2026-01-01',
  wait: 'PT1H30M',
  data: 'aGk=',
  port: 80,
  either: null,
  maybe: null,
  tags: ['a'],
  items: [{ size: 1, inner: [{ size: 2 }] }],
  labels: { x: 1 },
  free: { known: 1, other: 'x' },
  anything: { a: [1.5] },
  bare: { a: 1 },
  level: 'low',
  wrapped: { size: 4 },
  choice: { two: 5 },
  'a-b.c/d': 'dashed',
  a__b: 'low',
  for: 'ever',
};

describe('by a schema', () => {
  it.each([
    ['self.name + "!" == "ann!"'],
    ['self.count + 1 == 4 && self.count / 2 == 1'],
    ['self.ratio / 4.0 == 0.5 && self.ratio > 1'],
    ['self.active'],
    ['self.at == timestamp("2026-01-01T00:00:00Z") && self.at.getFullYear() == 2026'],
    ['self.day == self.at'],
    ['self.wait == duration("90m")'],
    ['self.data == b"hi"'],
    ['self.port == 80 || self.port == "http"'],
    ['self.either == null && self.maybe == null && has(self.maybe)'],
    ['self.tags == ["a"] && "a" in self.tags'],
    ['self.items[0].inner.all(i, i.size == 2 && !has(i.inner))'],
    ['self.labels.x == 1 && self.labels["x"] == 1 && self.labels.all(k, self.labels[k] > 0)'],
    ['self.free.known == 1 && self.free.other == "x"'],
    ['self.anything.a[0] == 1.5 && self.bare.a == 1'],
    ['self.level == "low"'],
    ['self.wrapped.size == 4'],
    ['self.choice.two == 5 && !has(self.choice.one)'],
    [
      'self.a__dash__b__dot__c__slash__d == "dashed" && self.a__underscores__b == "low" && self.__for__ == "ever"',
    ],
    ['self.a__b == "low"'],
    ['self.?name.orValue("none") == "ann" && self.?items[?5].hasValue() == false'],
    ['self == self && self.items[0] != self.wrapped'],
    ['type(self.count) == int && type(self.ratio) == double && type(self.anything.a[0]) == double'],
  ])('%s', (text) => {
    expect(valueOf(text, DATA, SCHEMA)).toBe(true);
  });

  it.each([
    ['self.nam == "a"', 'there is no field "nam", did you mean "name"?, at 6'],
    ['self.items.all(i, i.sise > 0)', 'there is no field "sise", did you mean "size"?, at 21'],
    ['has(self.nope)', 'there is no field "nope", at 10'],
    ['self.name.first == "a"', 'a string has no field "first", at 11'],
    ['sel.name == "a"', 'there is no "sel", did you mean "self"?, at 1'],
    ['oldSelf.name == self.name', 'there is no "oldSelf", at 1'],
    ['self.count == "3"', '"==" does not compare an int and a string, at 12'],
    [
      'self.ratio == 1',
      '"==" does not compare a double and an int; convert one of them, as in double(x) or 1.0, at 12',
    ],
    ['self.name < 3', '"<" does not compare a string and an int, at 11'],
    ['self.count + self.name', '"+" does not take int and string, at 12'],
    ['self.ratio * 2', '"*" does not take double and int, at 12'],
    ['-self.name', '"-" does not take string, at 1'],
    ['self.name && true', 'expected a bool, found a string, at 1'],
    ['!self.count', 'expected a bool, found an int, at 2'],
    ['self.active ? 1 : "a"', 'both sides of "? :" must be of one type, not int and string, at 13'],
    ['self.name.startWith("a")', 'there is no method "startWith", did you mean "startsWith"?, at 11'],
    ['self.name.startsWith(1)', '"startsWith" of string does not take int, at 11'],
    ['sise(self.name) > 1', 'there is no function "sise", did you mean "size"?, at 1'],
    ['size(1) > 1', '"size" does not take int, at 1'],
    ['self.tags.contains("a")', '"contains" of list(string) does not take string, at 11'],
    ['1 in self.tags', '"in" cannot search for a int in a list(string), at 3'],
    ['self.tags["a"]', 'a list(string) has no item for a string, at 1'],
    ['self.all(k, true)', 'expected a list or a map, found a value of the type object, at 6'],
    ['self.tags.all("x", true)', 'all takes a name and an expression, as in a.all(x, ...), at 11'],
    ['self.tags.all(x, x)', 'expected a bool, found a string, at 18'],
    ['has(self)', 'has takes a field, as in has(a.b), at 1'],
    ['self.name.matches("(")', 'the pattern is invalid: error parsing regexp: missing closing ): `(`, at 19'],
    ['self.name.matches("(?=a)")', expect.stringContaining('the pattern is invalid')],
    ['self.name ==', 'expected a field, a value or "(", found the end, at 13'],
    ['self.name = "a"', 'expected an operator or the end, found "=", at 11'],
    ['Name{a: 1}', 'expected an operator or the end, found "{", at 5'],
    ['self.name == "é😀" && x', 'there is no "x", at 22'],
  ])('%s cannot be used', (text, fault) => {
    expect(faultOf(text, SCHEMA)).toEqual(fault);
  });

  it('long chains and deep ones have an end', () => {
    expect(valueOf(`1${' + 1'.repeat(900)} == 901`)).toBe(true);
    expect(valueOf(`${'!'.repeat(100)}true`)).toBe(true);
    expect(faultOf(`1${' + 1'.repeat(5000)} > 0`)).toContain('more than 2000');
    expect(faultOf('['.repeat(5000))).toContain('deeper than 100');
    expect(valueOf(`[${'"a",'.repeat(1900)}].size()`)).toBe(1900n);
  });
});
