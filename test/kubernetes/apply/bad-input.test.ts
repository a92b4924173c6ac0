import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EntriesFault, readEntries, writeEntries } from '../../../src/kubernetes/apply/managers/state.js';
import { capManagers } from '../../../src/kubernetes/apply/managers/cap.js';
import { readFields } from '../../../src/kubernetes/apply/paths/fields-v1.js';
import { define, gadget, gadgets, gadgetsIn } from '../../helpers/definitions.js';
import { startKubernetesServer, type KubernetesServer } from '../../helpers/kubernetes.js';
import type { HttpAnswer } from '../../helpers/http.js';
import { entriesOf, expectConsistentManagers } from '../../helpers/managed-fields.js';
import { removeDirectories } from '../../helpers/store.js';

const APPLY = { 'content-type': 'application/apply-patch+yaml' };
const MERGE = { 'content-type': 'application/merge-patch+json' };
const DEFINITION = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gadgets.shop.example.com';
const OBJECT = `${gadgetsIn('default')}/one`;
const entry = (more: object): object => ({
  manager: 'm',
  operation: 'Update',
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1: {},
  ...more,
});

describe('managedFields that cannot be read', () => {
  it.each([
    ['text', 'is not a list'],
    [[1], 'has an entry 0 that is not an object'],
    [[entry({ manager: 1 })], 'has an entry 0 whose manager is not a string'],
    [[entry({ operation: 'Delete' })], 'has an entry 0 with the operation "Delete"; use "Apply" or "Update"'],
    [[entry({}), entry({ apiVersion: '' })], 'has an entry 1 without an apiVersion'],
    [[entry({ fieldsType: 'FieldsV2' })], 'has an entry 0 whose fieldsType is not "FieldsV1"'],
    [[entry({ fieldsV1: [] })], 'has an entry 0 whose fieldsV1 has [] for an object'],
    [
      [entry({ fieldsV1: { spec: {} } })],
      'has an entry 0 whose fieldsV1 has the key "spec", which starts with no letter and colon',
    ],
    [
      [entry({ fieldsV1: { 'k:{"a"': {} } })],
      'has an entry 0 whose fieldsV1 has the key "k:{\\"a\\"", which has no JSON after its letter and colon',
    ],
    [
      [entry({ fieldsV1: { 'i:x': {} } })],
      'has an entry 0 whose fieldsV1 has the key "i:x", which has no number after "i:"',
    ],
  ])('%j', (managedFields, message) => {
    expect(() => readEntries(managedFields)).toThrow(new EntriesFault(message));
  });

  it('leave steps of unknown kinds out', () => {
    expect([...readFields({ 'f:a': {}, 'z:new': { 'f:b': {} } }).paths()]).toEqual([['f:a']]);
  });
});

it('10,000 managers become few', () => {
  const entries = Array.from({ length: 10_000 }, (_, i) =>
    entry({ manager: `m${i}`, fieldsV1: { 'f:spec': { [`f:aFieldWithALongName${i}`]: {} } } }),
  );
  const began = performance.now();
  const capped = capManagers(readEntries(entries));
  expect(capped.managers.size).toBe(1);
  const [only] = writeEntries(capped) ?? [];
  expect(only).toMatchObject({ manager: 'ancient-changes', operation: 'Update' });
  expect([...readFields(only?.fieldsV1).paths()]).toHaveLength(10_000);
  expect(performance.now() - began).toBeLessThan(5_000);
});

describe('objects', () => {
  let server: KubernetesServer;
  const definition = (more: object) =>
    gadgets((spec) => {
      for (const { schema } of spec.versions)
        schema.openAPIV3Schema.properties.spec = {
          type: 'object',
          properties: {
            size: { type: 'integer' },
            texts: { type: 'object', additionalProperties: { type: 'string' }, ...more },
            items: {
              type: 'array',
              'x-kubernetes-list-type': 'map',
              'x-kubernetes-list-map-keys': ['name'],
              items: {
                type: 'object',
                required: ['name'],
                properties: { name: { type: 'string' }, port: { type: 'integer' } },
              },
            },
          },
        };
    });
  const apply = (spec: object, manager = 'one', query = ''): Promise<HttpAnswer> =>
    server.send('PATCH', `${OBJECT}?fieldManager=${manager}${query}`, {
      body: gadget('one', spec),
      headers: APPLY,
    });

  beforeAll(async () => {
    server = await startKubernetesServer({ leads: false });
    expect((await define(server, definition({}))).status).toBe(201);
  });
  beforeEach(() => server.send('DELETE', OBJECT));
  afterAll(async () => {
    expect(await server.check()).toEqual([]);
    await server.close();
    removeDirectories();
  });

  it('with 5,000 items of a list map are applied, and refused with two of one name', async () => {
    const items = Array.from({ length: 5_000 }, (_, i) => ({ name: `n${i}`, port: i }));
    expect((await apply({ items })).status).toBe(201);
    const again = await apply({ items });
    expect(again.json().spec).toEqual({ items });
    const refused = await apply({ items: [...items, { name: 'n7', port: 0 }] });
    expect([refused.status, refused.json().message]).toEqual([
      400,
      'the applied object does not fit the schema: .spec.items[name="n7"]: duplicate entries for the key',
    ]);
    const fewer = await apply({ items: items.slice(10) });
    expect(fewer.json().spec).toEqual({ items: items.slice(10) });
  });

  it('whose managers lie are applied: only fields that are there can be removed', async () => {
    await apply({ size: 3 });
    const managedFields = [
      entry({
        manager: 'one',
        operation: 'Apply',
        apiVersion: 'shop.example.com/v1',
        fieldsV1: { 'f:spec': { 'f:ghost': { 'f:x': {} } } },
      }),
      entry({ manager: 'old', apiVersion: 'shop.example.com/v0', fieldsV1: { 'f:spec': {} } }),
    ];
    await server.send('PATCH', OBJECT, { body: { metadata: { managedFields } }, headers: MERGE });
    const answer = await apply({ texts: { a: 'b' } });
    expect(answer.json().spec).toEqual({ size: 3, texts: { a: 'b' } });
  });

  it('keep one owner of a map that became atomic', async () => {
    await apply({ texts: { a: '1' } });
    await apply({ texts: { b: '2' } }, 'two');
    const stored = (await server.get(DEFINITION)).json();
    const changed = { ...definition({ 'x-kubernetes-map-type': 'atomic' }), metadata: stored.metadata };
    expect((await server.send('PUT', DEFINITION, { body: changed })).status).toBe(200);
    try {
      const refused = await apply({ texts: { a: '9' } });
      expect(refused.json().details.causes).toMatchObject([
        { field: '.spec.texts', message: 'conflict with "two"' },
      ]);
      const forced = await apply({ texts: { a: '9' } }, 'one', '&force=true');
      expect(forced.json().spec).toEqual({ texts: { a: '9' } });
    } finally {
      const again = (await server.get(DEFINITION)).json();
      await server.send('PUT', DEFINITION, { body: { ...definition({}), metadata: again.metadata } });
    }
  });

  it('with 10,000 managers that apply stay usable', async () => {
    const names = Array.from({ length: 10_000 }, (_, i) => `m${i}`);
    await server.post(gadgetsIn('default'), gadget('one', { size: 3 }));
    const managedFields = names.map((manager) =>
      entry({
        manager,
        operation: 'Apply',
        apiVersion: 'shop.example.com/v1',
        fieldsV1: { 'f:spec': { 'f:size': {} } },
      }),
    );
    await server.send('PATCH', OBJECT, { body: { metadata: { managedFields } }, headers: MERGE });
    expect(entriesOf((await server.get(OBJECT)).json())).toHaveLength(10_000);
    const began = performance.now();
    const refused = (await apply({ size: 4 }, 'new')).json();
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(refused.message).toContain(
      'Apply failed with 10000 conflicts: conflicts with "m0":\n- .spec.size',
    );
    expect((await apply({ texts: { a: 'b' } }, 'new')).json().spec).toEqual({ size: 3, texts: { a: 'b' } });
    const forced = (await apply({ size: 4 }, 'new', '&force=true')).json();
    expect(forced.spec).toEqual({ size: 4 });
    expect(entriesOf(forced).map(({ manager }) => manager)).toEqual(['new']);
  });

  it.each<[string, string, number, string]>([
    ['an alias', 'spec: {texts: {a: &x b, c: *x}}', 400, 'aliases (*name) are not allowed here'],
    ['a key twice', 'spec: {size: 1, size: 2}', 400, 'duplicated mapping key'],
    ['three documents', 'spec: {size: 1}\n---\na: 1\n---\nb: 2', 400, 'expected one document'],
    [
      '10,000 levels',
      `spec: ${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
      400,
      'nested deeper than 100 levels',
    ],
    ['a forbidden key', 'spec: {texts: {__proto__: a}}', 400, 'the key "__proto__" is not allowed'],
    ['a tag', 'spec: {texts: {a: !!js/function x}}', 400, 'unknown scalar tag'],
    ['a number beyond all', 'spec: {size: 1e400}', 400, 'size'],
  ])('are not made from a body with %s', async (_name, rest, status, message) => {
    const body = `apiVersion: shop.example.com/v1\nkind: Gadget\n${rest}`;
    const answer = await server.send('PATCH', `${OBJECT}?fieldManager=m`, { body, headers: APPLY });
    expect([answer.status, answer.json().message]).toEqual([status, expect.stringContaining(message)]);
    expect((await server.get(OBJECT)).status).toBe(404);
  });

  it('are not made from a body whose sender goes away', async () => {
    const lines = [
      `PATCH ${OBJECT}?fieldManager=m HTTP/1.1`,
      'Host: 127.0.0.1',
      'Content-Type: application/apply-patch+yaml',
      'Content-Length: 1000',
      '',
      'apiVersion: shop.example.com/v1\nkind: Gadget\nspec: {size: 1}\n',
    ];
    await server.raw(lines.join('\r\n'), 200);
    expect((await server.get(OBJECT)).status).toBe(404);
  });

  it.each<[string, string, number]>([
    ['none', '', 422],
    ['128 characters', 'é'.repeat(128), 201],
    ['129 characters', 'é'.repeat(129), 422],
    ['a null byte', 'a\0b', 422],
    ['a line break', 'a\nb', 422],
    ['a mark that turns texts around', '\u202ea', 422],
    ['a picture', '😀', 201],
    ['the name of a prototype', '__proto__', 201],
  ])('have managers with names: %s', async (_name, manager, status) => {
    const answer = await apply({ size: 1 }, encodeURIComponent(manager));
    expect(answer.status).toBe(status);
    if (status === 201) expect(entriesOf(answer.json()).map((one) => one.manager)).toEqual([manager]);
  });

  it('fit their managers, when applies, updates and deletes race with changes of the definition', async () => {
    const codes = new Set<number>();
    const define = async (i: number): Promise<HttpAnswer> => {
      const { metadata } = (await server.get(DEFINITION)).json();
      const more = i % 2 === 0 ? { 'x-kubernetes-map-type': 'atomic' } : {};
      return server.send('PUT', DEFINITION, { body: { ...definition(more), metadata } });
    };
    const update = (i: number): Promise<HttpAnswer> =>
      server.send('PATCH', `${OBJECT}?fieldManager=u${i % 3}`, {
        body: { spec: { texts: { [`u${i % 3}`]: `${i}` } } },
        headers: MERGE,
      });
    const kinds = [
      define,
      update,
      (i: number) => server.send(i % 4 === 0 ? 'DELETE' : 'GET', OBJECT),
      (i: number) => apply({ texts: { a: `${i}` }, size: i }, 'a', '&force=true'),
      (i: number) => apply({ texts: { b: `${i}` } }, 'b', i % 2 === 0 ? '&force=true' : ''),
    ];
    await Promise.all(
      kinds.map(async (send) => {
        for (let i = 0; i < 40; i++) {
          const answer = await send(i);
          codes.add(answer.status);
          if (answer.status < 300 && send !== define) expectConsistentManagers(answer.json());
        }
      }),
    );
    expect([...codes].filter((code) => ![200, 201, 404, 409].includes(code))).toEqual([]);
    await apply({ size: 1 }, 'last', '&force=true');
    const { spec, metadata } = (await server.get(DEFINITION)).json();
    expect(spec).toMatchObject({ group: 'shop.example.com' });
    await server.send('PUT', DEFINITION, { body: { ...definition({}), metadata } });
    expectConsistentManagers((await server.get(OBJECT)).json());
  });

  it('are as one of the writers left them, when applies, updates and deletes race', async () => {
    const codes = new Set<number>();
    await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        const answer =
          i % 5 === 0
            ? await server.send('DELETE', OBJECT)
            : i % 3 === 0
              ? await server.send('PATCH', `${OBJECT}?fieldManager=u${i}`, {
                  body: { spec: { size: i } },
                  headers: MERGE,
                })
              : await apply({ texts: { [`t${i}`]: 'x' } }, `m${i}`, '&force=true');
        codes.add(answer.status);
      }),
    );
    expect([...codes].filter((code) => ![200, 201, 404, 409, 503].includes(code))).toEqual([]);
    expect((await apply({ size: 1 }, 'last', '&force=true')).json().spec).toMatchObject({ size: 1 });
  });
});
