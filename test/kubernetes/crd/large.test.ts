import { expect, it } from 'vitest';
import { checkDefinition } from '../../../src/kubernetes/crd/rules/accept.js';
import { withDefinitionDefaults } from '../../../src/kubernetes/crd/defaults.js';
import { SCHEMA_DEPTH_MAX } from '../../../src/kubernetes/crd/rules/structural-schema.js';
import type { JsonObject } from '../../../src/model/object.js';
import { definitionOf, objectAt } from './cases.js';

const PLAIN = withDefinitionDefaults(definitionOf({}));

function check(schema: JsonObject): string[] {
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } };
  const definition = { ...PLAIN, spec: { ...objectAt(PLAIN, 'spec'), versions: [version] } };
  return checkDefinition(definition, () => []).map(({ field }) => field);
}

/** Schemas inside one another. */
function nested(levels: number, wrap: (inner: JsonObject) => JsonObject): JsonObject {
  let schema: JsonObject = { type: 'object' };
  for (let level = 1; level < levels; level += 1) schema = wrap(schema);
  return schema;
}

const WRAPS: readonly (readonly [
  name: string,
  wrap: (inner: JsonObject) => JsonObject,
  accepted: boolean,
])[] = [
  ['properties', (inner) => ({ type: 'object', properties: { a: inner } }), true],
  ['items', (inner) => ({ type: 'array', items: inner }), false],
  ['additionalProperties', (inner) => ({ type: 'object', additionalProperties: inner }), false],
  ['allOf', (inner) => ({ type: 'object', allOf: [inner] }), false],
  ['not', (inner) => ({ not: inner }), false],
];

it.each(WRAPS)('schemas may be nested at the limit, in %s, and not deeper', (_, wrap, isAccepted) => {
  const atLimit = check(nested(SCHEMA_DEPTH_MAX, wrap));
  expect(atLimit.length === 0).toBe(isAccepted);
  const [field, ...more] = check(nested(SCHEMA_DEPTH_MAX + 1, wrap));
  expect(more).toEqual([]);
  expect(field?.length).toBeGreaterThan(SCHEMA_DEPTH_MAX);
});

it('a schema of 50,000 levels is refused without a full stack', () => {
  expect(check(nested(50_000, (inner) => ({ type: 'object', properties: { a: inner } })))).toHaveLength(1);
});

it('a definition of 3 MiB has each of its faults listed', () => {
  const property = {
    type: 'object',
    description: 'd'.repeat(100),
    properties: { a: { type: 'string' }, b: {} },
  };
  const properties = Object.fromEntries(
    Array.from({ length: 17_000 }, (_, i) => [`field${i}`, property] as const),
  );
  const schema = { type: 'object', properties };
  expect(JSON.stringify(schema).length).toBeGreaterThan(3 * 1024 * 1024);
  expect(check(schema)).toHaveLength(17_000);
});
