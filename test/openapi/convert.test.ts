import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/model/object.js';
import { toOpenApi } from '../../src/openapi/convert.js';
import { faultsOf } from './helpers.js';

const refOf = (name: string): string | undefined =>
  name === 'gone' ? undefined : `#/components/schemas/${name}`;

const CASES: readonly [string, Json, JsonObject][] = [
  [
    'keeps what both have',
    { type: 'string', minLength: 1, format: 'email' },
    { type: 'string', minLength: 1, format: 'email' },
  ],
  ['makes true any value', true, {}],
  ['makes false no value', false, { not: {} }],
  ['rewrites references', { $ref: '#/$defs/A' }, { $ref: '#/components/schemas/A' }],
  [
    'moves what stands beside a reference around it',
    { $ref: '#/$defs/A', description: 'x' },
    { allOf: [{ $ref: '#/components/schemas/A' }], description: 'x' },
  ],
  ['makes a reference that leads nowhere any value', { $ref: '#/$defs/gone' }, {}],
  ['makes a type with null nullable', { type: ['string', 'null'] }, { type: 'string', nullable: true }],
  [
    'splits a list of types',
    { type: ['string', 'integer'] },
    { anyOf: [{ type: 'string' }, { type: 'integer' }] },
  ],
  [
    'keeps a list of types beside another union',
    { type: ['string', 'integer'], anyOf: [{ minLength: 1 }, { minimum: 1 }] },
    {
      allOf: [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }],
      anyOf: [{ minLength: 1 }, { minimum: 1 }],
    },
  ],
  ['makes null alone an enum', { type: 'null' }, { nullable: true, enum: [null] }],
  ['makes const an enum', { const: 'a' }, { enum: ['a'] }],
  ['takes the first of the examples', { examples: ['a', 'b'] }, { example: 'a' }],
  [
    'adds null to the enum of what is nullable',
    { enum: ['a'], nullable: true },
    { enum: ['a', null], nullable: true },
  ],
  ['makes exclusive bounds flags', { exclusiveMinimum: 3 }, { minimum: 3, exclusiveMinimum: true }],
  ['keeps the closer of two bounds', { minimum: 5, exclusiveMinimum: 3 }, { minimum: 5 }],
  [
    'keeps exclusive bounds of the older form',
    { maximum: 5, exclusiveMaximum: true },
    { maximum: 5, exclusiveMaximum: true },
  ],
  [
    'makes a union with null nullable',
    { anyOf: [{ type: 'string' }, { type: 'null' }] },
    { type: 'string', nullable: true },
  ],
  [
    'makes a nullable reference',
    { oneOf: [{ $ref: '#/$defs/A' }, { type: 'null' }] },
    { allOf: [{ $ref: '#/components/schemas/A' }], nullable: true },
  ],
  ['gives every array items', { type: 'array' }, { type: 'array', items: {} }],
  [
    'makes a closed tuple a list of alternatives',
    { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false },
    { type: 'array', maxItems: 2, items: { anyOf: [{ type: 'string' }, { type: 'integer' }] } },
  ],
  [
    'makes an open tuple a list of anything',
    { type: 'array', prefixItems: [{ type: 'string' }] },
    { type: 'array', items: {} },
  ],
  [
    'declares what is required',
    { type: 'object', required: ['a', 'a'] },
    { type: 'object', properties: { a: {} }, required: ['a'] },
  ],
  [
    'makes patterns of names additional properties',
    { type: 'object', patternProperties: { '^x': { type: 'string' } }, additionalProperties: false },
    { type: 'object', additionalProperties: { type: 'string' } },
  ],
  ['leaves out what 3.0.3 cannot say', { if: { type: 'string' }, then: { minLength: 1 }, $comment: 'x' }, {}],
  [
    'tells of a pattern that only RE2 knows',
    { type: 'string', pattern: '(?i)^[a-z]+$', description: 'A word' },
    {
      type: 'string',
      description: 'A word (Matches the RE2 pattern (?i)^[a-z]+$)',
      'x-re2-pattern': '(?i)^[a-z]+$',
    },
  ],
  ['leaves out malformed keywords', { minLength: -1, enum: [], required: [], pattern: 7 }, {}],
  [
    'keeps a property that is called like a keyword',
    { properties: { enum: { type: 'string' } } },
    { properties: { enum: { type: 'string' } } },
  ],
  [
    'does not look into values',
    { default: { const: 1, type: 'null' } },
    { default: { const: 1, type: 'null' } },
  ],
  [
    'leaves out values that look like references',
    { default: { $ref: '#/$defs/A' }, enum: [{ $ref: 1 }] },
    {},
  ],
];

describe('a schema brought to OpenAPI 3.0.3', () => {
  it.each(CASES)('%s', (_title, schema, expected) => {
    expect(toOpenApi(schema, refOf)).toEqual(expected);
  });

  it('is accepted by validators in every form', async () => {
    const schemas = Object.fromEntries(CASES.map(([, schema], i) => [`Case${i}`, toOpenApi(schema, refOf)]));
    const document = {
      openapi: '3.0.3',
      info: { title: 't', version: '1' },
      paths: {},
      components: { schemas: { ...schemas, A: { type: 'object' } } },
    };
    expect(await faultsOf(document)).toEqual([]);
  });
});
