import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/model/object.js';
import { checkValue } from '../../../src/model/structural/structural-check.js';
import { compileSchema } from '../../../src/model/validate/validator.js';
import { Random, seedOfRun } from '../../helpers/seed.js';

const NAMES = ['a', 'b', 'c'] as const;
const TEXTS = ['', 'a', 'ab', 'abc', 'b😀'] as const;
const seed = seedOfRun();

/** A structural schema with its depth. */
function schemaOf(random: Random, depth: number): JsonObject {
  const schema = typed(random, depth);
  return random.chance(0.25) ? { ...schema, ...junctor(random, schema, 2) } : schema;
}

function typed(random: Random, depth: number): JsonObject {
  switch (depth === 0 ? random.below(3) : random.below(6)) {
    case 0:
      return { type: 'string', ...limits(random, 'string') };
    case 1:
      return { type: random.pick(['integer', 'number']), ...limits(random, 'number') };
    case 2:
      return { type: 'boolean' };
    case 3:
      return { type: 'array', items: schemaOf(random, depth - 1), ...limits(random, 'array') };
    case 4:
      return {
        type: 'object',
        additionalProperties: schemaOf(random, depth - 1),
        ...limits(random, 'object'),
      };
    default: {
      const fields = NAMES.map((name): [string, JsonObject] => [name, schemaOf(random, depth - 1)]);
      return { type: 'object', properties: Object.fromEntries(fields), ...limits(random, 'object') };
    }
  }
}

function limits(random: Random, type: unknown): JsonObject {
  const some: Readonly<Record<string, () => JsonObject>> = {
    string: () =>
      random.pick<JsonObject>([{ minLength: 2 }, { maxLength: 2 }, { pattern: '^a' }, { enum: ['a', 'ab'] }]),
    number: () =>
      random.pick<JsonObject>([
        { minimum: 2 },
        { maximum: 2, exclusiveMaximum: true },
        { multipleOf: 2 },
        { enum: [1, 2] },
      ]),
    array: () => random.pick<JsonObject>([{ minItems: 1 }, { maxItems: 1 }]),
    object: () =>
      random.pick<JsonObject>([
        { minProperties: 1 },
        { maxProperties: 1 },
        { required: [random.pick(NAMES)] },
      ]),
  };
  const make = typeof type === 'string' ? some[type === 'integer' ? 'number' : type] : undefined;
  return make === undefined || random.chance(0.4) ? {} : make();
}

/** Schemas under junctors have no types, and name only declared fields. */
function junctor(random: Random, schema: JsonObject, depth: number): JsonObject {
  const part = (): JsonObject => {
    const below = random.chance(0.3) && depth > 0 ? junctor(random, schema, depth - 1) : {};
    return { ...limits(random, schema.type), ...nested(random, schema), ...below };
  };
  return random.chance(0.2)
    ? { not: part() }
    : { [random.pick(['allOf', 'anyOf', 'oneOf'])]: random.many(1, 3, part) };
}

function nested(random: Random, { properties, items }: JsonObject): JsonObject {
  if (items !== undefined && random.chance(0.5)) return { items: limits(random, (items as JsonObject).type) };
  if (properties === undefined || random.chance(0.5)) return {};
  const name = random.pick(NAMES);
  const { [name]: field } = properties as Readonly<Record<string, JsonObject>>;
  return { properties: { [name]: limits(random, field?.type) } };
}

/** A value that often has the type of its schema, and no field that the schema does not declare. */
function valueOf(random: Random, schema: JsonObject): unknown {
  if (random.chance(0.1)) return random.pick<unknown>([1, 'a', true, [], {}]);
  const { items, properties, additionalProperties } = schema;
  switch (schema.type) {
    case 'string':
      return random.pick(TEXTS);
    case 'boolean':
      return random.chance(0.5);
    case 'array':
      return random.many(0, 3, () => valueOf(random, items as JsonObject));
    case 'object': {
      const names = NAMES.filter(() => random.chance(0.6));
      const schemas = (properties ?? {}) as Readonly<Record<string, JsonObject>>;
      const member = (name: string): unknown =>
        valueOf(random, schemas[name] ?? (additionalProperties as JsonObject));
      return Object.fromEntries(names.map((name) => [name, member(name)]));
    }
    default:
      return random.pick([0, 1, 2, 3, 1.5, -4]);
  }
}

describe(`a walk by a structural schema (SEED=${seed})`, () => {
  it('finds faults at the same fields as compiled code', () => {
    const random = new Random(seed);
    let faulty = 0;
    for (let round = 0; round < 300; round++) {
      const schema = schemaOf(random, 3);
      const compiled = compileSchema(schema);
      for (let times = 0; times < 10; times++) {
        const value = valueOf(random, schema);
        const expected = new Set(compiled(value).map(({ field }) => field));
        const found = new Set(checkValue(schema, value).map(({ field }) => field));
        const text = JSON.stringify({ schema, value });
        // Where several schemas of oneOf accept a value, compiled code lists the faults by the others as well.
        if (text.includes('"oneOf"')) {
          expect(found.size > 0, text).toBe(expected.size > 0);
          expect([...expected], text).toEqual(expect.arrayContaining([...found]));
        } else expect([...found].sort(), text).toEqual([...expected].sort());
        if (found.size > 0) faulty += 1;
      }
    }
    expect(faulty).toBeGreaterThan(300);
    expect(faulty).toBeLessThan(2700);
  });
});
