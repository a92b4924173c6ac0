import { afterAll, beforeAll, expect, it } from 'vitest';
import { define, DEFINITIONS, gadget, gadgets, gadgetsIn } from '../helpers/definitions.js';
import { startKubernetesServer, type KubernetesServer } from '../helpers/kubernetes.js';
import { removeDirectories } from '../helpers/store.js';

const MIB = 1024 * 1024;
const OBJECTS = gadgetsIn('default');
const BATCHES = '/apis/api.platform.run/v1alpha1/batches';
const many = <T>(count: number, value: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => value(at));
const fieldsOf = (count: number, value: (at: number) => object): object =>
  Object.fromEntries(many(count, (at) => [`field${at}`, value(at)]));

const text = { type: 'string' };
const QUANTITY =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?[0-9]+))?$';
/** Schemas of fields as operators declare them. */
const FIELDS = [
  text,
  { ...text, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$', maxLength: 253 },
  { ...text, format: 'date-time' },
  { ...text, enum: ['Always', 'IfNotPresent', 'Never'], default: 'Always' },
  { type: 'integer', format: 'int32', minimum: 1, maximum: 65_535 },
  { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, text], pattern: QUANTITY },
  { type: 'boolean', default: false },
  { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
  { type: 'object', additionalProperties: text },
  {
    type: 'array',
    items: { type: 'object', required: ['name'], properties: { name: text, value: text } },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  },
];
const DESCRIPTION =
  'The text describes the field at some length, as the comments of the types of an operator do: what it means, what its values are, and what is used when it is not set.';

const described = (at: number): object => ({ description: DESCRIPTION, ...FIELDS[at % FIELDS.length] });

const SPEC = {
  type: 'object',
  properties: {
    ...fieldsOf(50, (at) => ({
      type: 'object',
      description: DESCRIPTION,
      properties: fieldsOf(70, described),
      'x-kubernetes-validations': [
        { rule: '!has(self.field4) || self.field4 < 9000', message: `limit of ${at}` },
      ],
    })),
    items: { type: 'array', items: { type: 'object', properties: fieldsOf(20, described) } },
  },
};

let server: KubernetesServer;
beforeAll(async () => {
  server = await startKubernetesServer();
});
afterAll(async () => {
  await server.close();
  removeDirectories();
});

it('a definition of thousands of described fields in three versions is accepted, and so are large objects of it', async () => {
  const definition = gadgets((spec) => {
    const [first] = spec.versions;
    if (first === undefined) return;
    first.schema.openAPIV3Schema.properties.spec = SPEC;
    spec.versions = ['v1', 'v1beta1', 'v1alpha1'].map((name, at) => ({ ...first, name, storage: at === 0 }));
  });
  const bytes = JSON.stringify(definition).length;
  expect(bytes).toBeGreaterThan(2.8 * MIB);
  expect(bytes).toBeLessThan(3 * MIB);
  const defined = await define(server, definition);
  expect(defined.status, defined.text.slice(0, 500)).toBe(201);
  const labelled = await server.send('PATCH', `${DEFINITIONS}/gadgets.shop.example.com`, {
    body: { metadata: { labels: { a: 'b' } } },
    headers: { 'content-type': 'application/merge-patch+json' },
  });
  expect(labelled.status, labelled.text.slice(0, 500)).toBe(200);

  const item = {
    field0: 'a',
    field1: 'a.example.com',
    field2: '2026-11-20T08:00:00Z',
    field4: 80,
    field5: '100Mi',
  };
  const further = { field10: 'a', field11: 'b', field12: '2026-11-20T08:00:00Z', field14: 443, field15: 3 };
  const lists = {
    field7: ['a', 'b'],
    field8: { a: 'b' },
    field9: [{ name: 'a', value: 'b' }],
    field18: { c: 'd' },
  };
  const items = many(5_000, () => ({ ...item, ...further, ...lists }));
  const created = await server.send('POST', OBJECTS, { body: gadget('large', { items }) });
  expect(created.status, created.text.slice(0, 500)).toBe(201);
  const small = many(10_000, (at) => ({
    verb: 'create',
    object: gadget(`small-${at}`, { field0: { field1: 'a', field4: 80 } }, { namespace: 'default' }),
  }));
  const batch = await server.send('POST', BATCHES, { body: { items: small } });
  expect(batch.status, batch.text.slice(0, 500)).toBe(200);
});
