import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { define, DEFINITIONS, gadget, gadgets, gadgetsIn } from '../helpers/definitions.js';
import { startKubernetesServer, type KubernetesServer } from '../helpers/kubernetes.js';

const OBJECTS = gadgetsIn('default');
const many = <T>(count: number, value: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => value(at));

function withSpec(properties: Readonly<Record<string, object>>, plural = 'gadgets') {
  return gadgets((spec) => {
    if (plural !== 'gadgets') spec.names = { plural, kind: 'Other' };
    const [version] = spec.versions;
    if (version !== undefined)
      version.schema.openAPIV3Schema.properties = { spec: { type: 'object', properties } };
  });
}

let server: KubernetesServer;

beforeAll(async () => {
  server = await startKubernetesServer();
  const text = { type: 'string' };
  await define(
    server,
    withSpec({
      large: {
        type: 'array',
        items: { type: 'object', properties: { a: { ...text, default: 'x'.repeat(100_000) } } },
      },
      time: { ...text, format: 'duration' },
      words: { type: 'array', items: { ...text, anyOf: many(300, (at) => ({ enum: [`${at}`] })) } },
      pattern: { ...text, pattern: '^[ab]*a[ab]{990}$' },
      map: { type: 'object', additionalProperties: text },
    }),
  );
});

afterAll(() => server.close());

it.each<[string, object, string]>([
  ['defaults of items', { large: many(200_000, () => ({})) }, 'defaults'],
  ['branches and items', { words: many(60_000, () => 'x') }, 'schemas'],
  ['fields of a map', { map: Object.fromEntries(many(40_000, (at) => [`k${at}`, ''])) }, 'large maps'],
  ['a pattern and a text', { pattern: 'ab'.repeat(500_000) }, 'patterns'],
])('an object that takes too long to check is refused: %s', async (_, spec, kind) => {
  const answer = await server.send('POST', OBJECTS, { body: gadget('a', spec) });
  expect(answer.status, answer.text).toBe(422);
  const [cause] = answer.json().details.causes as readonly { message: string }[];
  expect(cause?.message).toContain(`takes too long to check, most of it for ${kind}`);
});

it.each([
  ['POST', '', 'application/json'],
  ['PATCH', '/many?fieldManager=one', 'application/apply-patch+yaml'],
])('a ConfigMap with too many keys is refused: %s', async (method, path, type) => {
  const configMap = (keys: number) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'many' },
    data: Object.fromEntries(many(keys, (at) => [`k${at}`, 'v'])),
  });
  const target = `/api/v1/namespaces/default/configmaps${path}`;
  const send = (keys: number) =>
    server.send(method, target, { body: configMap(keys), headers: { 'content-type': type } });
  const answer = await send(100_000);
  expect([answer.status, answer.json().message]).toEqual([422, expect.stringContaining('large maps')]);
  expect((await send(10_000)).status).toBe(201);
  await server.send('DELETE', '/api/v1/namespaces/default/configmaps/many');
});

it('an object that a later schema makes expensive takes changes of its other fields', async () => {
  const kind = 'laters';
  const path = OBJECTS.replace('gadgets', kind);
  const name = `${kind}.shop.example.com`;
  const definition = (text: object, rules: readonly object[] = []) => {
    const size = { type: 'integer', maximum: 9, 'x-kubernetes-validations': rules };
    const body = withSpec({ text, size, words: { type: 'array', items: { type: 'string' } } }, kind);
    body.spec.names.kind = 'Later';
    return body;
  };
  await server.post(DEFINITIONS, definition({ type: 'string' }));
  const spec = { text: 'ab'.repeat(60_000), size: 7 };
  const later = { ...gadget('a', spec, { finalizers: ['a.b/c'] }), kind: 'Later' };
  await server.post(path, later);
  for (let i = 0; i < 50; i++) await server.post(path, { ...later, metadata: { name: `b${i}` } });
  const stricter = definition({ type: 'string', pattern: '^[ab]*a[ab]{990}$' }, [
    { rule: 'self > 7', message: 'is low' },
    { rule: 'self != oldSelf || self != 5', message: 'stays 5' },
  ]);
  const replaced = await server.send('PUT', `${DEFINITIONS}/${name}`, { body: stricter });
  expect(replaced.status, replaced.text).toBe(200);
  const patch = async (body: object, part = '') => {
    const headers = { 'content-type': 'application/merge-patch+json' };
    const { status, text } = await server.send('PATCH', `${path}/a${part}`, { body, headers });
    return [status, /is low|takes too long|stays 5/.exec(text)?.[0]];
  };
  expect(await patch({ metadata: { labels: { a: 'b' } } })).toEqual([200, undefined]);
  expect(await patch({ status: { ready: true } }, '/status')).toEqual([200, undefined]);
  expect(await patch({ spec: { words: ['a'] } })).toEqual([200, undefined]);
  expect(await patch({ spec: { size: 6 } })).toEqual([422, 'is low']);
  expect(await patch({ spec: { text: `${spec.text}a` } })).toEqual([422, 'takes too long']);
  expect((await server.send('PUT', `${path}/a`, { body: later })).status).toBe(200);
  // More than have steps for their unchanged values.
  const items = many(50, (i) => ({
    verb: 'patch',
    apiVersion: 'shop.example.com/v1',
    kind: 'Later',
    namespace: 'default',
    name: `b${i}`,
    patch: { metadata: { labels: { a: 'b' } } },
  }));
  const labelled = await server.send('POST', '/apis/api.platform.run/v1alpha1/batches', { body: { items } });
  expect(labelled.status, labelled.text.slice(0, 500)).toBe(200);
  expect((await server.send('DELETE', `${path}/a`)).status).toBe(200);
  expect(await patch({ metadata: { finalizers: [] } })).toEqual([200, undefined]);
  expect((await server.send('GET', `${path}/a`)).status).toBe(404);
});

it('a long text is read in linear time by a format', async () => {
  const body = gadget('a', { time: '1'.repeat(85_000) });
  const answer = await server.send('POST', OBJECTS, { body });
  expect(answer.status, answer.text).toBe(422);
  expect(answer.text).toContain('spec.time');
});

it.each<[string, object]>([
  [
    'many large patterns',
    {
      properties: Object.fromEntries(
        many(2_000, (at) => [`p${at}`, { type: 'string', pattern: `^[a-z${at}]{900}$` }]),
      ),
    },
  ],
  [
    'a long pattern',
    { properties: { a: { type: 'string', pattern: many(50_000, (at) => `word${at}`).join('|') } } },
  ],
  ['classes of Unicode', { properties: { a: { type: 'string', pattern: '[\\p{L}]'.repeat(2_000) } } }],
  [
    'ranges in both cases',
    { properties: { a: { type: 'string', pattern: `(?i)${'[b-\u{1F000}]'.repeat(100)}` } } },
  ],
  [
    'ranges in both cases, written as numbers',
    { properties: { a: { type: 'string', pattern: `(?i)${'[b-\\x{1F000}]'.repeat(100)}` } } },
  ],
  [
    'patterns of rules',
    {
      properties: Object.fromEntries(
        many(3_000, (at) => [
          `p${at}`,
          {
            type: 'string',
            maxLength: 9,
            'x-kubernetes-validations': [{ rule: `self.matches('^[a-z${at}]{500}$')` }],
          },
        ]),
      ),
    },
  ],
  [
    'rules',
    {
      properties: {
        a: {
          type: 'string',
          maxLength: 9,
          'x-kubernetes-validations': many(20_000, (at) => ({ rule: `self != 'text${at}'`, message: 'm' })),
        },
      },
    },
  ],
  [
    'a long default of a text',
    {
      properties: { a: { type: 'string', pattern: '^[ab]*a[ab]{990}$', default: 'ab'.repeat(300_000) } },
    },
  ],
  [
    'a default with many items',
    {
      properties: {
        a: {
          type: 'array',
          items: { type: 'string', anyOf: many(300, (at) => ({ enum: [`${at}`] })) },
          default: many(30_000, () => 'x'),
        },
      },
    },
  ],
])(
  'a definition that takes too long to check is refused: %s',
  async (_, { properties }: { properties?: Record<string, object> }) => {
    const body = withSpec(properties ?? {}, 'others');
    const answer = await server.send('POST', DEFINITIONS, { body });
    expect(answer.status, answer.text).toBe(422);
    expect(answer.text).toContain('takes too long to check');
  },
);

it.each([
  ['POST', 'others', '', 'application/json'],
  ['PATCH', 'patched', '/patched.shop.example.com?fieldManager=one', 'application/apply-patch+yaml'],
])('a definition may have an enum of many objects: %s', async (method, plural, path, type) => {
  const values = many(30_000, (at) => ({ a: at }));
  const list = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, enum: values };
  const body = withSpec({ list }, plural);
  body.spec.names.kind = plural;
  const answer = await server.send(method, `${DEFINITIONS}${path}`, {
    body,
    headers: { 'content-type': type },
  });
  expect(answer.status, answer.text).toBe(201);
});

describe('an object with many managers', () => {
  const MAPS = '/api/v1/namespaces/default/configmaps';
  const APPLY = { 'content-type': 'application/apply-patch+yaml' };
  const data = Object.fromEntries(many(1_000, (at) => [`k${at}`, 'v']));
  const fieldsV1 = { 'f:data': Object.fromEntries(many(1_000, (at) => [`f:k${at}`, {}])) };
  const managerOf = (at: number) => {
    const entry = { manager: `m${at}`, operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1' };
    return { ...entry, time: '2026-11-20T08:00:00Z', fieldsV1 };
  };
  const map = (name: string, metadata: object = {}) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...metadata },
    data,
  });
  const label = async (name: string) => {
    const body = { metadata: { labels: { seen: 'yes' } } };
    const headers = { 'content-type': 'application/merge-patch+json' };
    const answer = await server.send('PATCH', `${MAPS}/${name}?fieldManager=x`, { body, headers });
    expect(answer.status, answer.text.slice(0, 300)).toBe(200);
    return (answer.json().metadata as unknown as { managedFields: readonly object[] }).managedFields;
  };

  const createWith = async (name: string, count: number) => {
    await server.post(MAPS, map(name));
    const body = map(name, { managedFields: many(count, managerOf) });
    expect((await server.send('PUT', `${MAPS}/${name}`, { body })).status).toBe(200);
  };

  it('keeps them at each write while that takes few steps', async () => {
    await createWith('few', 80);
    expect(await label('few')).toHaveLength(81);
  });

  it('takes no further applies when that takes too long, but other writes, which leave the managers', async () => {
    await createWith('many', 99);
    const apply = (at: number) =>
      server.send('PATCH', `${MAPS}/many?fieldManager=m${100 + at}`, { body: map('many'), headers: APPLY });
    for (let at = 0; (await apply(at)).status === 200; at++) expect(at).toBeLessThan(10);
    const refused = await apply(10);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('most of it for field managers');
    const managers = await label('many');
    expect(managers.length).toBeGreaterThan(99);
    expect(JSON.stringify(managers)).not.toContain('"x"');
    const reset = await server.send('PUT', `${MAPS}/many`, { body: map('many', { managedFields: [{}] }) });
    expect(reset.status).toBe(200);
    expect(reset.json().metadata).not.toHaveProperty('managedFields');
  });
});
