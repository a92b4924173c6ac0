import { describe, expect, it } from 'vitest';
import { Allowance, TooExpensive } from '../../src/lib/work/allowance.js';
import type { JsonObject, ObjectDraft } from '../../src/model/object.js';
import { structuralCheck } from '../../src/model/structural/structural-check.js';
import { compileModel, type ObjectCheck } from '../../src/model/validate/validator.js';

const fields = (properties: JsonObject): JsonObject => ({ type: 'object', properties });
const listOf = (items: JsonObject): JsonObject => ({ type: 'array', items });
const mapOf = (additionalProperties: JsonObject): JsonObject => ({ type: 'object', additionalProperties });
const many = <T>(count: number, value: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => value(at));
const text = (length: number): string => 'x'.repeat(length);

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
