import { afterAll, describe, expect, it } from 'vitest';
import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import type { JsonObject } from '../../src/model/object.js';
import { putFiles, runCli } from '../helpers/cli.js';
import { putDesk } from '../helpers/desk.js';
import { useGuardedLibrary } from '../helpers/guarded-library.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const many = <T>(count: number, value: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => value(at));
const listOf = (items: JsonObject): JsonObject => ({ type: 'array', items });

const PATTERN = '^[ab]*a[ab]{990}$';
const LONG = 'ab'.repeat(400_000);
const NUMBERS = many(300, (at) => at);

/** Fields whose check costs a product, with the work that costs most and a value below the limit of a body. */
const PRODUCTS: Readonly<Record<string, readonly [schema: JsonObject, kind: string, value: unknown]>> = {
  text: [{ type: 'string', pattern: PATTERN }, 'patterns', LONG],
  all: [{ allOf: many(3, () => ({ type: 'string', pattern: PATTERN })) }, 'patterns', LONG.slice(0, 100_000)],
  texts: [listOf({ type: 'string', pattern: PATTERN }), 'patterns', many(8_000, () => 'ab'.repeat(40))],
  keys: [{ type: 'object', patternProperties: { [PATTERN]: {} } }, 'patterns', { [LONG]: 1 }],
  names: [{ type: 'object', propertyNames: { pattern: PATTERN } }, 'patterns', { [LONG]: 1 }],
  formats: [
    { allOf: many(1_000, () => ({ type: 'string', format: 'uri' })) },
    'formats',
    'x'.repeat(300_000),
  ],
  words: [
    listOf({ anyOf: many(300, (at) => ({ type: 'string', const: `${at}` })) }),
    'schemas',
    many(20_000, () => 'x'),
  ],
  values: [
    { allOf: many(1_000, () => ({ enum: many(300, (at) => ({ a: at })) })) },
    'enums',
    many(10_000, () => 'x'),
  ],
  parts: [
    listOf({ type: 'object', properties: { a: { type: 'string', default: 'x'.repeat(100_000) } } }),
    'defaults',
    many(10_000, () => ({})),
  ],
  numbers: [
    listOf({
      ...listOf({ type: 'integer' }),
      'x-kubernetes-validations': [{ rule: 'self.all(x, self.all(y, x + y >= 0))' }],
    }),
    'rules',
    many(300, () => NUMBERS),
  ],
};

const spec: JsonObject = {
  type: 'object',
  properties: Object.fromEntries(Object.entries(PRODUCTS).map(([name, [schema]]) => [name, schema])),
};
const GROUP = 'costs.example.com';

@GVK({ group: GROUP, version: 'v1', kind: 'Thing', plural: 'things', singular: 'thing' })
class Thing extends AbstractExtension {
  static readonly schema = { type: 'object', properties: { spec } };
}

const t = useGuardedLibrary({ register: (test) => test.register(Thing), mcp: 'write' });
const THINGS = `/apis/${GROUP}/v1/things`;
const ALL = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };
const MERGE = 'application/merge-patch+json';
const BATCHES = '/apis/api.platform.run/v1alpha1/batches';

afterAll(removeDirectories);

const thing = (name: string, costly: object): object => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Thing',
  metadata: { name },
  spec: costly,
});
const tooLong = (kind = ''): unknown =>
  expect.stringContaining(`takes too long to check, most of it for ${kind}`);

describe('an object that takes too long to check', () => {
  it.each(Object.keys(PRODUCTS))('is refused alone and in a batch: %s', async (field) => {
    const [, kind, value] = PRODUCTS[field] ?? [];
    const token = await t.tokenFor('ann', ALL);
    const object = thing('new', { [field]: value });
    for (const [at, body] of [
      [THINGS, object],
      [BATCHES, { items: [{ verb: 'create', object }] }],
    ] as const) {
      const { status, text } = await t.as(token, 'POST', at, body);
      expect([at, status, text]).toEqual([at, 422, tooLong(kind)]);
    }
  });

  it('is refused by each door, and stored by none', async () => {
    const token = await t.tokenFor('ann', ALL);
    const [, kind, value] = PRODUCTS.parts ?? [];
    const costly = { parts: value };
    await t.as(token, 'POST', THINGS, thing('old', {}));
    const steps = [{ op: 'add', path: '/spec/parts', value }];
    const items = [{ verb: 'create', model: 'things', object: thing('new', costly) }];
    const plan = { name: 'plan', arguments: { items } };
    for (const [method, at, body, type] of [
      ['POST', `${THINGS}?dryRun=All`, thing('new', costly)],
      ['PUT', `${THINGS}/old`, thing('old', costly)],
      ['PATCH', `${THINGS}/old`, { spec: costly }, MERGE],
      ['PATCH', `${THINGS}/old`, steps, 'application/json-patch+json'],
      ['PATCH', `${THINGS}/new?fieldManager=m`, thing('new', costly), 'application/apply-patch+yaml'],
      ['POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: plan }],
    ] as const) {
      const { status, text } = await t.as(token, method, at, body, type ?? 'application/json');
      expect([method, at, status, text]).toEqual([method, at, at === '/mcp' ? 200 : 422, tooLong(kind)]);
    }
    const left = (await t.as(token, 'GET', THINGS)).json();
    expect(left).toMatchObject({ total: 1, items: [{ metadata: { version: 0 } }] });
  });

  it('is refused with the others of its batch or plan, which take too long together', async () => {
    const token = await t.tokenFor('ann', ALL);
    const words = many(600, () => '299');
    const items = many(60, (at) => ({ verb: 'create', model: 'things', object: thing(`t${at}`, { words }) }));
    const plan = { name: 'plan', arguments: { items } };
    for (const [at, status, body] of [
      [BATCHES, 413, { items: items.map(({ verb, object }) => ({ verb, object })) }],
      ['/mcp', 200, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: plan }],
    ] as const) {
      const answer = await t.as(token, 'POST', at, body);
      const together: unknown = expect.stringContaining('together take too long to check');
      expect([at, answer.status, answer.text]).toEqual([at, status, together]);
    }
    expect((await t.as(token, 'POST', THINGS, thing('one', { words }))).status).toBe(201);
  });

  it('is refused on the store by each command', async () => {
    const cwd = temporaryDirectory();
    await putDesk(cwd, { spec });
    const all = Object.entries(PRODUCTS).map(([field, [, kind, value]]) => {
      const ticket = {
        ...thing(field, { [field]: value }),
        apiVersion: 'desk.example.com/v1',
        kind: 'Ticket',
      };
      return { text: JSON.stringify(ticket), kind };
    });
    const one = all.filter(({ kind }) => kind === 'defaults');
    for (const [verb, tickets] of [
      ['create', all],
      ['validate', all],
      ['apply', one],
      ['import', one],
    ] as const) {
      await putFiles(cwd, { 'all.ndjson': tickets.map(({ text }) => text).join('\n') });
      const { code, err } = await runCli([verb, '-f', 'all.ndjson'], { cwd });
      const kinds = [...err.matchAll(/takes too long to check, most of it for (\w+)/g)].map(
        ([, kind]) => kind,
      );
      expect([verb, code, kinds]).toEqual([verb, 5, tickets.map(({ kind }) => kind)]);
    }
  });
});
