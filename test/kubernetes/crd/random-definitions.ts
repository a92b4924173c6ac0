import type { JsonObject } from '../../../src/model/object.js';
import type { Random } from '../../helpers/seed.js';
import { definitionOf } from './cases.js';

const NAMES = ['a', 'b', 'kind', 'metadata', 'x-y'];
const TYPES = ['string', 'integer', 'number', 'boolean', 'object', 'array'];

/** Kubernetes refuses rules of large values, whose costs it estimates. */
const BOUNDS: Readonly<Record<string, JsonObject>> = { string: { maxLength: 9 }, array: { maxItems: 5 } };

/** A definition with a small schema, in which most things are right. It has defaults or rules. */
export function randomDefinition(random: Random): JsonObject {
  const definition = randomDefinitionWithAll(random);
  const text = JSON.stringify(definition);
  if (!text.includes('"rule"')) return definition;
  return JSON.parse(text, (key: string, value: unknown) =>
    key === 'default' ? undefined : value,
  ) as JsonObject;
}

function randomDefinitionWithAll(random: Random): JsonObject {
  const properties = Object.fromEntries(
    random.many(1, 3, () => {
      const name = random.pick(['spec', 'status', 'data']);
      return [random.chance(0.05) ? 'metadata' : name, randomSchema(random, 3)];
    }),
  );
  const junctors = random.chance(0.1) ? randomJunctors(random, 2) : {};
  return definitionOf({
    schema: { type: 'object', properties, ...junctors },
    version: random.chance(0.3) ? { subresources: { status: {} } } : {},
  });
}

/** @param depth the levels of schemas below */
function randomSchema(random: Random, depth: number): JsonObject {
  const type = random.pick(depth > 0 ? TYPES : TYPES.slice(0, 4));
  const schema: JsonObject = random.chance(0.01) ? {} : { type, ...BOUNDS[type] };
  if (type === 'object' && depth > 0) Object.assign(schema, randomObject(random, depth - 1));
  if (type === 'array' && depth > 0) Object.assign(schema, randomList(random, depth - 1));
  if (random.chance(0.05)) Object.assign(schema, randomJunctors(random, depth - 1));
  for (const [probability, make] of SPICES)
    if (random.chance(probability)) Object.assign(schema, make(random));
  // Rules can read what is preserved, otherwise than in Kubernetes.
  if (schema['x-kubernetes-validations'] !== undefined) delete schema['x-kubernetes-preserve-unknown-fields'];
  return schema;
}

function randomObject(random: Random, depth: number): JsonObject {
  const properties = Object.fromEntries(
    random.many(0, 3, () => [random.pick(NAMES), randomSchema(random, depth)]),
  );
  const schema: JsonObject = random.chance(0.8)
    ? { properties }
    : { additionalProperties: randomSchema(random, depth), maxProperties: 5 };
  if (random.chance(0.05)) schema.additionalProperties = random.chance(0.5);
  if (random.chance(0.2)) schema.required = random.many(1, 2, () => random.pick(NAMES));
  if (random.chance(0.1)) schema['x-kubernetes-map-type'] = random.pick(['atomic', 'granular', 'other']);
  return schema;
}

function randomList(random: Random, depth: number): JsonObject {
  const schema: JsonObject = random.chance(0.95) ? { items: randomSchema(random, depth) } : {};
  if (random.chance(0.2)) schema['x-kubernetes-list-type'] = random.pick(['atomic', 'set', 'map', 'other']);
  if (random.chance(0.1)) schema['x-kubernetes-list-map-keys'] = random.many(1, 2, () => random.pick(NAMES));
  return schema;
}

function randomJunctors(random: Random, depth: number): JsonObject {
  const keyword = random.pick(['allOf', 'anyOf', 'oneOf']);
  const one = (): JsonObject =>
    random.pick([
      { required: ['a'] },
      { maxLength: 3 },
      { minimum: 1 },
      { properties: { a: { maxLength: 3 } } },
      { properties: { metadata: {} } },
      { items: { enum: ['a'] } },
      { nullable: true },
      depth > 0 ? randomSchema(random, 0) : { pattern: '^a' },
    ]);
  if (random.chance(0.2)) return { not: one() };
  if (random.chance(0.2)) return { anyOf: [{ type: 'integer' }, { type: 'string' }] };
  return { [keyword]: random.many(1, 2, one) };
}

/** Keywords that a schema may have in addition, each with its probability. */
const SPICES: readonly (readonly [number, (random: Random) => JsonObject])[] = [
  [0.05, () => ({ nullable: true })],
  [0.05, () => ({ description: 'd', title: 't' })],
  [0.01, () => ({ uniqueItems: true })],
  [0.01, () => ({ $ref: '#/a' })],
  [0.02, (random) => ({ pattern: random.pick(['^a', '(', '(?=a)', '(?i)a']) })],
  [0.05, () => ({ 'x-kubernetes-preserve-unknown-fields': true })],
  [0.05, () => ({ 'x-kubernetes-int-or-string': true })],
  [0.02, () => ({ 'x-kubernetes-embedded-resource': true })],
  [0.05, (random) => ({ default: random.pick(['a', 5, true, {}, [], { a: 'a' }, ['a', 'a']]) })],
  [0.05, (random) => ({ 'x-kubernetes-validations': [{ rule: random.pick(RULES) }] })],
];

const RULES = ['true', 'type(oldSelf) == int', "self == 'a'", 'self > 1', 'self ==', ' '];
