import { describe, expect, it } from 'vitest';
import { getMessage as textOf, ServiceError } from '../../src/errors.js';
import { bind } from '../../src/query/bind.js';
import { describe as described } from '../../src/query/describe.js';
import { parseFilter } from '../../src/query/filter/filter.js';
import { DEPTH_MAX, NODES_MAX } from '../../src/cel/text/parse.js';
import { findPosition } from '../../src/query/filter/values.js';
import { PERSON } from './helpers.js';

const nowMs = Date.parse('2026-11-22T12:00:00Z');

/** The condition of a filter, in the words of explanations. */
function meaning(text: string): string {
  return described(bind(parseFilter({ text, resource: PERSON, nowMs }), PERSON), PERSON);
}

function fault(text: string): string {
  try {
    parseFilter({ text, resource: PERSON, nowMs });
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'BadRequest') return textOf(error);
    throw error;
  }
  throw new Error(`read: ${text}`);
}

describe('a filter', () => {
  it.each([
    ['', 'every object'],
    [' \n', 'every object'],
    ['true', 'every object'],
    ['!true', 'no object'],
    ['spec.age == 30', 'spec.age = 30'],
    ['30 == spec.age', 'spec.age = 30'],
    ['spec.age != 30', 'not spec.age = 30'],
    ['spec.age>30', 'spec.age > 30'],
    ['30 < spec.age', 'spec.age > 30'],
    ['30 >= spec.age', 'spec.age <= 30'],
    ['spec.age == -0x1E', 'spec.age = -30'],
    ['spec.age == 30.0', 'spec.age = 30'],
    ['spec.age == 30.5', 'no object'],
    ['spec.age != 30.5', 'every object'],
    ['spec.age > 30.5', 'spec.age >= 31'],
    ['spec.age <= 30.5', 'spec.age <= 30'],
    ['spec.age < 3000000000', 'spec.age <= 2147483647'],
    ['spec.age > 3000000000', 'no object'],
    ['spec.serial > 9007199254740993', 'spec.serial > 9007199254740993'],
    ['spec.serial == -9223372036854775808', 'spec.serial = -9223372036854775808'],
    ['spec.serial < 1e300', 'spec.serial <= 9223372036854775807'],
    ['spec.serial == "9007199254740993"', 'spec.serial = 9007199254740993'],
    ['spec.age > 3 && spec.age <= 9', 'spec.age > 3 and spec.age <= 9'],
    ['spec.age > 3 && spec.age <= 9 && spec.age > 9', 'no object'],
    ['spec.age > 3 && spec.age < 9 && spec.age >= 5', 'spec.age >= 5 and spec.age < 9'],
    ['spec.age in [3, 1, 2.0]', 'spec.age in (1, 2, 3)'],
    ['spec.age in []', 'no object'],
    ['spec.active', 'spec.active = true'],
    ['!spec.active', 'not spec.active = true'],
    ['spec.active == false', 'spec.active = false'],
    ['has(spec.age)', 'not spec.age is absent'],
    ['!has(spec.age)', 'spec.age is absent'],
    ['has(metadata.labels)', 'not metadata.labels is absent'],
    ['name == "ann"', 'metadata.name = "ann"'],
    ['(metadata.name) < "b"', 'metadata.name < "b"'],
    ['spec.owner.startsWith("a")', 'spec.owner starts with "a"'],
    ["spec.owner.endsWith('a')", 'spec.owner endsWith "a"'],
    ['!spec.owner.contains("a")', 'not spec.owner contains "a"'],
    ['lower(spec.owner) == "A"', 'lower(spec.owner) = "a"'],
    ['"A" != lower(spec.owner)', 'not lower(spec.owner) = "a"'],
    ['lower(spec.owner) in ["A", "B"]', '(lower(spec.owner) = "a" or lower(spec.owner) = "b")'],
    ['lower(spec.owner) in []', 'no object'],
    ['lower(spec.owner).startsWith("A")', 'lower(spec.owner) startsWith "a"'],
    ['lower(lower(spec.owner)).contains("A")', 'lower(spec.owner) contains "a"'],
    ['spec.tags.exists(t, lower(t) == "A")', 'lower(spec.tags) = "a"'],
    ['lower(metadata.labels["k"]) == "V"', 'lower(metadata.labels) after "k=" = "v"'],
    ['lower(metadata.labels["k"]).startsWith("V")', 'lower(metadata.labels) after "k=" startsWith "v"'],
    ['spec.title == "A"', 'spec.title = "a"'],
    ['lower(spec.title) == "A"', 'spec.title = "a"'],
    ['lower(spec.title) < "B"', 'spec.title < "b"'],
    ['lower(spec.title).startsWith("A")', 'spec.title starts with "a"'],
    ['spec.title.contains("A")', 'spec.title contains "a"'],
    ['"a" in spec.tags', 'spec.tags = "a"'],
    ['!("a" in spec.tags)', 'not spec.tags = "a"'],
    ['spec.tags.exists(t, t == "a")', 'spec.tags = "a"'],
    ['spec.tags.exists(t, t > "a" && t < "c")', 'spec.tags > "a" and spec.tags < "c"'],
    ['spec.tags.exists(t, t == "a" || t in ["b"])', '(spec.tags = "a" or spec.tags = "b")'],
    ['spec.tags.exists(t, t != "a")', 'one value: not spec.tags = "a"'],
    ['spec.tags.exists(t, true)', 'not spec.tags is absent'],
    ['spec.tags.exists(t, false)', 'no object'],
    ['spec.tags.exists(spec, spec == "a")', 'spec.tags = "a"'],
    ['"k" in metadata.labels', 'metadata.labels starts with "k="'],
    ['metadata.labels["example.com/k"] == "v"', 'metadata.labels = "example.com/k=v"'],
    ['metadata.labels["k"] != "v"', 'not metadata.labels = "k=v"'],
    ['metadata.labels["k"] in ["v", "w"]', 'metadata.labels in ("k=v", "k=w")'],
    ['metadata.labels["k"] > "v"', 'metadata.labels > "k=v" and metadata.labels < "k>"'],
    ['metadata.labels["k"].startsWith("v")', 'metadata.labels starts with "k=v"'],
    ['metadata.labels["k"].contains("v")', 'metadata.labels after "k=" contains "v"'],
    [
      'metadata.creationTimestamp > now - duration("1h30m")',
      'metadata.creationTimestamp > 2026-11-22T10:30:00.000Z',
    ],
    [
      'metadata.creationTimestamp + duration("1h") <= timestamp("2026-01-01T00:00:00+01:00")',
      'metadata.creationTimestamp <= 2025-12-31T22:00:00.000Z',
    ],
    [
      'duration("-1.5s") + now == metadata.creationTimestamp',
      'metadata.creationTimestamp = 2026-11-22T11:59:58.500Z',
    ],
    ['metadata.creationTimestamp < now + duration("100000000h")', expect.stringMatching(/<= 9999-12-31T/)],
    ['metadata.creationTimestamp < now - duration("100000000h")', 'no object'],
    [
      'spec.age > 1 || spec.age < 0 && spec.active',
      '(spec.age > 1 or (spec.age < 0 and spec.active = true))',
    ],
    ['!(spec.age > 1 || spec.active)', '(not spec.age > 1 and not spec.active = true)'],
    ['!!spec.active', 'spec.active = true'],
    ['spec.age > 3 // of the last year\n && spec.active', '(spec.age > 3 and spec.active = true)'],
  ])('reads %j', (text, expected) => {
    expect(meaning(text)).toEqual(expected);
  });

  it.each([
    [`"a'b"`, `a'b`],
    [`'a"b'`, 'a"b'],
    [String.raw`"a\"b\\"`, 'a"b\\'],
    ["'\\x41\\u00e9\\U0001F600\\101\\n\\t\\a\\?\\`'", 'Aé😀A\n\t\x07?`'],
    [String.raw`r"\n"`, '\\n'],
    ['"""a"b\nc"""', 'a"b\nc'],
    ["'''it's'''", "it's"],
    ['"a && b || spec.age == 1 // c"', 'a && b || spec.age == 1 // c'],
  ])('reads the string %j', (text, value) => {
    expect(parseFilter({ text: `spec.owner == ${text}`, resource: PERSON, nowMs })).toEqual({
      op: 'in',
      field: 'spec.owner',
      values: [value],
    });
  });

  it.each([
    ['spec.age >', 11, 'found the end'],
    ['spec.age = 3', 10, 'found "="'],
    ['spec.age == 3 spec', 15, 'an operator or the end'],
    ['spec.age == 3)', 14, 'an operator or the end'],
    ['(spec.age == 3', 15, 'expected ")"'],
    ['spec.age & 3', 10, '"&"'],
    ['spec.age > 3 ? true : false', 14, '"?"'],
    ['spec.age * 2 > 3', 10, '"*"'],
    ['spec.age + 2 > 3', 10, 'a time and a duration'],
    ['-spec.age > 3', 1, '"-" is allowed only before numbers'],
    ['spec.age > 30x', 12, '"30x" is not a number'],
    ['spec.age > 3u', 12, 'a number with "u" is not allowed'],
    ['spec.age > 9223372036854775808', 12, 'too large'],
    ['spec.age > 1e999', 12, 'too large'],
    ['spec.age == null', 13, 'has(field)'],
    ['spec.age == "30"', 13, 'of type integer and cannot be compared with a string'],
    ['spec.age in [1, "2"]', 17, 'cannot be compared with a string'],
    ['spec.owner == 3', 15, 'of type string and cannot be compared with an integer'],
    ['spec.active == "true"', 16, 'cannot be compared'],
    ['metadata.creationTimestamp > "2026-01-01"', 30, 'write timestamp("2026-01-01")'],
    ['metadata.creationTimestamp > timestamp("x")', 40, '"x" is not a timestamp'],
    ['metadata.creationTimestamp > now - duration("1y")', 45, '"1y" is not a duration'],
    ['metadata.creationTimestamp > duration("1h")', 30, 'cannot be compared with a duration'],
    ['spec.age - duration("1h") > 3', 10, 'only to a time'],
    ['spec.nope == 1', 1, '"spec.nope" is not indexed; indexed fields: metadata.name,'],
    ['spec == 1', 1, '"spec" is not indexed'],
    ['__proto__ == 1', 1, 'not indexed'],
    ['spec.age == spec.age', 10, 'not two fields'],
    ['1 == 1', 3, 'not two values'],
    ['spec.age < 3 < 4', 14, 'cannot be chained'],
    ['spec.age', 1, 'not a boolean'],
    ['3', 1, 'expected a condition'],
    ['"a"', 1, 'expected a condition'],
    ['(spec.age > 3) == true', 16, 'cannot be chained'],
    ['spec.tags == "a"', 1, 'has several values'],
    ['spec.tags != "a"', 1, 'has several values'],
    ['spec.tags in ["a"]', 1, 'has several values'],
    ['spec.tags.contains("a")', 1, 'has several values'],
    ['"a" in spec.owner', 8, 'has one value'],
    ['spec.owner.exists(x, x == "a")', 1, 'several values'],
    ['metadata.labels.exists(x, x == "a")', 1, 'several values'],
    ['spec.tags.exists(x, spec.age > 3)', 21, 'only x'],
    ['spec.tags.exists(x, x.y == "a")', 21, 'only x'],
    ['spec.tags.exists(x, has(x))', 25, 'always present'],
    ['spec.tags.exists("x", true)', 11, 'takes a name and a condition'],
    ['spec.tags.all(x, x == "a")', 11, 'unknown call of "all"'],
    ['spec.owner.matches("a")', 12, 'unknown call of "matches"'],
    ['size(spec.tags) > 1', 1, '"size" is not a value'],
    ['spec.owner.startsWith(3)', 23, 'must be a string'],
    ['spec.age.startsWith("a")', 10, 'needs a string field'],
    ['lower(spec.age) == "a"', 1, 'lower needs a string field, spec.age is of type integer'],
    ['lower(spec.owner) == 3', 22, 'spec.owner is of type string and cannot be compared with an integer'],
    ['lower(metadata.labels["k"]) == true', 32, 'cannot be compared with a boolean'],
    ['lower(spec.owner) < "a"', 21, 'only with ==, != and in'],
    ['lower(spec.tags) == "a"', 1, 'has several values'],
    ['lower("A") == spec.owner', 1, 'lower takes one field or label'],
    ['lower(spec.owner, spec.owner) == "a"', 1, 'lower takes one field or label'],
    ['lower() == "a"', 1, 'lower takes one field or label'],
    ['lower(spec.owner)', 1, 'lower(f) == s'],
    ['has(lower(spec.owner))', 5, 'expected a field'],
    ['"a" in lower(spec.tags)', 8, 'expected a field'],
    ['has("a")', 5, 'expected a field'],
    ['has(metadata.labels["k"])', 5, 'in metadata.labels'],
    ['metadata.labels == "a"', 1, 'metadata.labels["key"]'],
    ['metadata.labels.app == "a"', 1, 'metadata.labels["app"]'],
    ['metadata.labels["a b"] == "a"', 17, '"a b" is not a label key'],
    ['metadata.labels["k"] == 3', 25, 'cannot be compared with an integer'],
    ['spec["age"] == 3', 1, 'only labels'],
    ['"a', 1, 'no closing "'],
    ['spec.owner == "a\n"', 15, 'no closing "'],
    [String.raw`spec.owner == "\q"`, 16, 'does not begin an escape'],
    [String.raw`spec.owner == "\ud800"`, 16, 'not a character'],
    ['spec.owner == b"a"', 15, 'bytes are not allowed'],
    ['{"a": 1} == spec.age', 1, 'expected a field or a value'],
    ['[?spec.age]', 2, 'found "?"'],
    ['spec.?age == 3', 1, 'expected a field'],
    ['metadata.labels[?"k"] == "v"', 1, 'only labels'],
    ['spec.owner == "é😀" § 3', 20, 'unexpected "§"'],
  ])('refuses %j at character %d', (text, position, said) => {
    const message = fault(text);
    expect(message).toContain(said);
    expect(message).toMatch(new RegExp(`^filter: .*, at character ${position}$`, 's'));
  });

  it('leaves two ranges apart that different values may lie in', () => {
    expect(meaning('spec.tags.exists(t, t > "b") && spec.tags.exists(t, t < "a")')).toBe(
      '(spec.tags > "b" and spec.tags < "a")',
    );
    expect(meaning('spec.tags.exists(t, t > "b" && t < "a")')).toBe('no object');
  });

  it('compares whole numbers with numbers that a double cannot tell apart', () => {
    const value = 2 ** 53;
    const position = (whole: bigint): unknown => findPosition('number', { type: 'integer', value: whole });
    expect(position(2n ** 53n)).toEqual({ kind: 'at', value });
    expect(position(2n ** 53n + 1n)).toEqual({
      kind: 'between',
      below: { value, inclusive: true },
      above: { value, inclusive: false },
    });
    expect(position(2n ** 53n + 3n)).toEqual({
      kind: 'between',
      below: { value: value + 4, inclusive: false },
      above: { value: value + 4, inclusive: true },
    });
  });

  it('has so many parts and no more', () => {
    const listOf = (values: number): string => `spec.age in [${Array(values).fill('1').join(',')}]`;
    // Besides the values there are two words, the list and the comparison.
    expect(meaning(listOf(NODES_MAX - 4))).toBe('spec.age = 1');
    expect(fault(listOf(NODES_MAX - 3))).toContain(`more than ${NODES_MAX}`);
    expect(fault(Array(10_000).fill('spec.active').join('||'))).toContain(`more than ${NODES_MAX}`);
    expect(fault(`spec.age ${'+ 1'.repeat(10_000)} > 1`)).toContain(`more than ${NODES_MAX}`);
  });

  it('nests so deep and no deeper', () => {
    const nested = (depth: number): string => `${'('.repeat(depth)}spec.active${')'.repeat(depth)}`;
    expect(meaning(nested(DEPTH_MAX))).toBe('spec.active = true');
    expect(fault(nested(DEPTH_MAX + 1))).toContain(`deeper than ${DEPTH_MAX}`);
    expect(meaning(`${'!'.repeat(DEPTH_MAX)}spec.active`)).toBe('spec.active = true');
    expect(fault(`${'!'.repeat(100_000)}spec.active`)).toContain(`deeper than ${DEPTH_MAX}`);
    expect(fault('['.repeat(100_000))).toContain(`deeper than ${DEPTH_MAX}`);
  });

  it('looks at all values of indexes so often and no more', () => {
    const scans = (times: number): string => Array(times).fill('spec.owner.contains("a")').join('||');
    expect(meaning(scans(50))).toBe('spec.owner contains "a"');
    expect(fault(scans(51))).toContain('at most 50');
  });
});
