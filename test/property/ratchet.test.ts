import { describe, expect, it } from 'vitest';
import { deepEqual } from '../../src/lib/json/json.js';
import type { JsonObject } from '../../src/model/object.js';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import { compileSchema } from '../../src/model/validate/validator.js';
import { describeViolation, type Violation } from '../../src/model/validate/violation.js';
import { Random, seedOfRun } from '../helpers/seed.js';
import { modelOf } from '../model/helpers.js';

const FIELDS = ['a', 'b', 'c', 'd'] as const;
const seed = seedOfRun();

/** A schema of values nested at most so deep. */
function schemaOf(random: Random, depth: number): JsonObject {
  const kind = depth === 0 ? random.below(3) : random.below(7);
  switch (kind) {
    case 0:
      return { type: 'string', maxLength: 1, enum: random.many(1, 3, () => textOf(random)) };
    case 1:
      return { type: 'integer', minimum: 1, multipleOf: 2 };
    case 2:
      return random.chance(0.5) ? { type: 'boolean' } : {};
    case 3: {
      return { type: 'array', items: schemaOf(random, depth - 1), maxItems: 2 };
    }
    case 4: {
      const parts = random.many(1, 2, () => schemaOf(random, depth - 1));
      return { [random.pick(['allOf', 'anyOf', 'oneOf'])]: parts };
    }
    default:
      return objectSchema(random, depth);
  }
}

function objectSchema(random: Random, depth: number): JsonObject {
  const declared = FIELDS.filter(() => random.chance(0.6));
  const properties = Object.fromEntries(declared.map((field) => [field, fieldSchema(random, depth - 1)]));
  const schema: JsonObject = {
    type: 'object',
    properties,
    required: FIELDS.filter(() => random.chance(0.3)),
  };
  if (random.chance(0.2)) schema.maxProperties = 2;
  if (random.chance(0.3))
    schema.additionalProperties = random.chance(0.5) ? false : schemaOf(random, depth - 1);
  if (random.chance(0.2)) {
    schema.if = { required: [random.pick(FIELDS)] };
    schema.then = { required: [random.pick(FIELDS)], properties: { d: schemaOf(random, 0) } };
  }
  return schema;
}

function fieldSchema(random: Random, depth: number): JsonObject {
  const schema = schemaOf(random, depth);
  return random.chance(0.1) && schema.type === 'integer' ? { ...schema, default: 2 } : schema;
}

const textOf = (random: Random): string => random.pick(['', 'x', 'y', 'xy']);

function valueOf(random: Random, depth: number): unknown {
  const kind = depth === 0 ? random.below(3) : random.below(8);
  if (kind === 0) return textOf(random);
  if (kind === 1) return random.below(5);
  if (kind === 2) return random.chance(0.5);
  if (kind === 3) return random.many(0, 3, () => valueOf(random, depth - 1));
  return Object.fromEntries(
    FIELDS.filter(() => random.chance(0.5)).map((field) => [field, valueOf(random, depth - 1)]),
  );
}

/** The value with a few changes somewhere inside. */
function changed(random: Random, value: unknown, depth: number): unknown {
  if (random.chance(0.15)) return valueOf(random, depth);
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) =>
      random.chance(0.3) ? changed(random, item, Math.max(0, depth - 1)) : item,
    );
    if (random.chance(0.2)) items.splice(random.below(items.length + 1), 0, valueOf(random, 0));
    return items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(() => random.chance(0.9));
  const next = members.map(([key, member]: [string, unknown]): [string, unknown] => [
    key,
    random.chance(0.3) ? changed(random, member, Math.max(0, depth - 1)) : member,
  ]);
  if (random.chance(0.2)) next.push([random.pick(FIELDS), valueOf(random, 0)]);
  return Object.fromEntries(next);
}

/** The value at a dotted path; no name here has a dot. */
function at(object: unknown, path: string): unknown {
  let value = object;
  for (const [step] of path.matchAll(/[^.[\]]+/g)) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

const textOfViolation = (violation: Violation): string =>
  `${violation.field} ${describeViolation(violation)}`;

describe(`of a stored object and the one that replaces it (SEED=${seed})`, () => {
  it('only differences are refused, all other errors are reported as old', { timeout: 60_000 }, () => {
    const random = new Random(seed);
    let made = 0;
    let old = 0;
    for (let schemas = 0; schemas < 60; schemas++) {
      const spec = objectSchema(random, 3);
      const scheme = new SchemeRegistry().register(modelOf('Thing', spec), 'test');
      const reference = compileSchema({ type: 'object', properties: { spec } });
      for (let pairs = 0; pairs < 25; pairs++) {
        const stored = { metadata: { name: 'a' }, spec: valueOf(random, 3) };
        const next = structuredClone({ metadata: { name: 'a' }, spec: changed(random, stored.spec, 3) });
        const before = structuredClone(stored);
        const after = structuredClone(next);
        const violationsBefore = reference(before);
        const violationsAfter = reference(after);
        const isOld = (violation: Violation): boolean =>
          deepEqual(at(before, violation.field), at(after, violation.field)) &&
          violationsBefore.some(
            ({ field, keyword, schema }) =>
              field === violation.field && keyword === violation.keyword && schema === violation.schema,
          );
        const untouched = structuredClone(stored);
        const result = scheme.validate(next, stored);
        const unknown = scheme.validate(structuredClone(after)).unknown;
        const unknownBefore = new Set(
          scheme.validate(structuredClone(before)).unknown.map(({ path }) => path),
        );
        const isKept = ({ path }: { readonly path: string }): boolean =>
          unknownBefore.has(path) && deepEqual(at(before, path), at(after, path));
        const texts = (causes: readonly { field: string; message: string }[] = []): Set<string> =>
          new Set(causes.map(({ field, message }) => `${field} ${message}`));

        const context = JSON.stringify({ spec, stored: untouched, next: after });
        expect(stored, context).toEqual(untouched);
        expect(texts(result.causes), context).toEqual(
          new Set(violationsAfter.filter((v) => !isOld(v)).map(textOfViolation)),
        );
        expect(texts(result.old?.causes), context).toEqual(
          new Set(violationsAfter.filter(isOld).map(textOfViolation)),
        );
        expect(result.unknown, context).toEqual(unknown.filter((field) => !isKept(field)));
        expect(result.old?.unknown ?? [], context).toEqual(unknown.filter(isKept));
        made += result.causes.length;
        old += result.old?.causes.length ?? 0;
      }
    }
    expect(made).toBeGreaterThan(100);
    expect(old).toBeGreaterThan(100);
  });
});
