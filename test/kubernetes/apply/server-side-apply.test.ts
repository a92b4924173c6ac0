import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { define, gadget, gadgets, gadgetsIn } from '../../helpers/definitions.js';
import { startKubernetesServer, type KubernetesServer } from '../../helpers/kubernetes.js';
import type { HttpAnswer, Json } from '../../helpers/http.js';
import { removeDirectories } from '../../helpers/store.js';

const APPLY = { 'content-type': 'application/apply-patch+yaml' };
const MERGE = { 'content-type': 'application/merge-patch+json' };
const JSON_PATCH = { 'content-type': 'application/json-patch+json' };
const GADGETS = gadgetsIn('default');
const OBJECT = `${GADGETS}/one`;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

let server: KubernetesServer;

const definition = () =>
  gadgets((spec) => {
    const [first] = spec.versions;
    if (first === undefined) return;
    first.schema.openAPIV3Schema.properties.spec = {
      type: 'object',
      properties: {
        size: { type: 'integer', default: 1 },
        colour: { type: 'string' },
        tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string' }, port: { type: 'integer' } },
          },
        },
        parts: { type: 'array', items: { type: 'string' } },
      },
    };
    first.subresources = {
      status: {},
      scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' },
    };
    first.schema.openAPIV3Schema.properties.status = {
      type: 'object',
      properties: { ready: { type: 'boolean' }, size: { type: 'integer' } },
    };
    spec.versions.push({ ...structuredClone(first), name: 'v2', storage: false });
  });

beforeAll(async () => {
  server = await startKubernetesServer({ leads: false });
  expect((await define(server, definition())).status).toBe(201);
});
beforeEach(async () => {
  await server.send('DELETE', OBJECT);
  await server.send('DELETE', `${CONFIG_MAPS}/one`);
});
afterAll(async () => {
  expect(await server.check()).toEqual([]);
  await server.close();
  removeDirectories();
});

interface Options {
  readonly manager?: string;
  readonly query?: string;
  readonly target?: string;
}

function apply(
  spec: object,
  { manager = 'one', query = '', target = OBJECT }: Options = {},
  more: object = {},
): Promise<HttpAnswer> {
  const body = { ...gadget('one', spec), ...more };
  const path = `${target}?fieldManager=${manager}${query}`;
  return server.send('PATCH', path, { body, headers: APPLY });
}

const update = (spec: object, manager: string): Promise<HttpAnswer> =>
  server.send('PATCH', `${OBJECT}?fieldManager=${manager}`, { body: { spec }, headers: MERGE });

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly time?: string;
  readonly subresource?: string;
  readonly fieldsV1: unknown;
}

const entriesOf = ({ metadata }: Json): readonly Entry[] => metadata.managedFields as readonly Entry[];

const managersOf = (object: Json): string[] =>
  entriesOf(object).map(
    ({ manager, operation, subresource }) =>
      `${operation} ${manager}${subresource === undefined ? '' : `/${subresource}`}`,
  );

const fieldsOf = (object: Json, name: string): unknown =>
  entriesOf(object).find(({ manager }) => manager === name)?.fieldsV1;

describe('server-side apply', () => {
  it('creates an object that does not exist', async () => {
    const answer = await apply({ size: 3 });
    expect(answer.status).toBe(201);
    expect(answer.json().spec).toEqual({ size: 3 });
    const [entry] = entriesOf(answer.json());
    expect(entry?.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect({ ...entry, time: undefined }).toEqual({
      manager: 'one',
      operation: 'Apply',
      apiVersion: 'shop.example.com/v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:size': {} } },
    });
  });

  it('accepts a body in YAML, whose name may be in the path only', async () => {
    const body = 'apiVersion: shop.example.com/v1\nkind: Gadget\nspec:\n  colour: red\n';
    const answer = await server.send('PATCH', `${OBJECT}?fieldManager=one`, { body, headers: APPLY });
    expect(answer.status).toBe(201);
    expect(answer.json().spec).toEqual({ colour: 'red', size: 1 });
  });

  it('stores nothing when it changes nothing', async () => {
    const first = (await apply({ size: 3, tags: ['a', 'b'] })).json();
    const again = await apply({ tags: ['a', 'b'], size: 3 });
    expect(again.status).toBe(200);
    expect(again.json()).toEqual(first);
  });

  it('is seen again after it changed nothing, when the object, its schema or the manager is another', async () => {
    const parts = ['a'];
    const first = await apply({ size: 2, parts });
    const again = async (): Promise<unknown> =>
      (await apply({ size: 2, parts })).json().metadata.resourceVersion;
    const { resourceVersion } = first.json().metadata;
    expect([await again(), await again()]).toEqual([resourceVersion, resourceVersion]);
    await apply({ size: 2, parts }, { manager: 'two' });
    expect(await again()).not.toBe(resourceVersion);
    await update({ size: 5 }, 'editor');
    expect((await apply({ size: 2, parts })).status).toBe(409);
    expect((await apply({ size: 2, parts }, { query: '&force=true' })).json()).toMatchObject({
      spec: { size: 2 },
    });
    await again();
    const changed = definition();
    const [version] = changed.spec.versions;
    Object.assign(version?.schema.openAPIV3Schema.properties.spec ?? {}, {
      properties: {
        size: { type: 'integer' },
        parts: { type: 'array', items: { type: 'string' } },
        more: { type: 'string', default: 'x' },
      },
    });
    const { name } = changed.metadata;
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
    expect((await server.send('PATCH', path, { body: changed, headers: MERGE })).status).toBe(200);
    expect((await apply({ size: 2, parts })).json()).toMatchObject({ spec: { more: 'x' } });
    await server.send('PATCH', path, { body: definition(), headers: MERGE });
  });

  it('removes what its manager no longer states, and keeps what others own', async () => {
    await apply({ size: 3, tags: ['a', 'b'], ports: [{ name: 'x', port: 1 }, { name: 'y' }] });
    await apply({ tags: ['b', 'c'] }, { manager: 'two' });
    const answer = await apply({ ports: [{ name: 'x', port: 1 }] });
    expect(answer.json().spec).toEqual({ size: 1, tags: ['b', 'c'], ports: [{ name: 'x', port: 1 }] });
  });

  it('refuses to change fields of others, and takes them with force', async () => {
    await apply({ size: 3, colour: 'red' });
    await update({ colour: 'blue' }, 'painter');
    const refused = await apply({ size: 4, colour: 'green' }, { manager: 'two' });
    expect(refused.status).toBe(409);
    const { details, reason, message } = refused.json();
    expect(reason).toBe('Conflict');
    expect(message).toMatch(/^Apply failed with 2 conflicts: conflicts with "one":\n- \.spec\.size\n/);
    expect(details.causes).toEqual([
      { reason: 'FieldManagerConflict', field: '.spec.size', message: 'conflict with "one"' },
      {
        reason: 'FieldManagerConflict',
        field: '.spec.colour',
        message: 'conflict with "painter" using shop.example.com/v1',
      },
    ]);
    expect((await server.get(OBJECT)).json().spec).toEqual({ size: 3, colour: 'blue' });
    const forced = await apply({ size: 4, colour: 'green' }, { manager: 'two', query: '&force=true' });
    expect(forced.json().spec).toEqual({ size: 4, colour: 'green' });
    expect(managersOf(forced.json())).toEqual(['Apply two']);
  });

  it('shares a field that two managers state alike', async () => {
    await apply({ size: 3 });
    const answer = await apply({ size: 3 }, { manager: 'two' });
    expect(answer.json().metadata.generation).toBe(1);
    // As in Kubernetes, an entry has no time until its manager changes the object.
    expect(managersOf(answer.json())).toEqual(['Apply two', 'Apply one']);
    const left = await apply({}, { manager: 'one' });
    expect(left.json().spec).toEqual({ size: 3 });
  });

  it('needs the name of a manager, of at most 128 characters', async () => {
    const none = await server.send('PATCH', OBJECT, { body: gadget('one'), headers: APPLY });
    expect([none.status, none.json().details.causes[0]?.field]).toEqual([422, 'fieldManager']);
    expect((await apply({}, { manager: 'a'.repeat(129) })).status).toBe(422);
    expect((await server.get(OBJECT)).status).toBe(404);
  });

  it('refuses what the schema does not declare, repeated items and stated managers', async () => {
    const unknown = await apply({ sise: 3 });
    expect([unknown.status, unknown.json().message]).toEqual([
      400,
      'the applied object does not fit the schema: .spec.sise: field not declared in schema',
    ]);
    const twice = await apply({ ports: [{ name: 'x' }, { name: 'x' }] });
    expect([twice.status, twice.json().message]).toEqual([
      400,
      'the applied object does not fit the schema: .spec.ports[name="x"]: duplicate entries for the key',
    ]);
    const stated = await apply({}, {}, { metadata: { name: 'one', managedFields: [] } });
    expect(stated.status).toBe(400);
    expect((await apply({}, {}, { metadata: { name: 'two' } })).status).toBe(400);
    expect((await apply({}, {}, { kind: 'Thing' })).status).toBe(400);
    expect((await server.get(OBJECT)).status).toBe(404);
  });

  it('understands the managers of any version in the body of a create', async () => {
    const { metadata } = (await apply({ size: 2 })).json();
    const [entry] = metadata.managedFields as Json[];
    for (const apiVersion of ['shop.example.com/v1', 'shop.example.com/v2', 'shop.example.com/v9']) {
      await server.send('DELETE', OBJECT);
      const managedFields = [{ ...entry, apiVersion }];
      const body = { ...gadget('one', { size: 2 }), metadata: { name: 'one', managedFields } };
      const created = await server.send('POST', `${GADGETS}?fieldManager=maker`, { body });
      expect([created.status, created.json().metadata.managedFields]).toMatchObject([
        201,
        [{ manager: 'maker', operation: 'Update' }],
      ]);
    }
  });

  it('takes uid and resourceVersion as preconditions', async () => {
    const absent = await apply({}, {}, { metadata: { name: 'one', resourceVersion: '7' } });
    expect(absent.status).toBe(409);
    const { metadata } = (await apply({ size: 2 })).json();
    const { uid, resourceVersion } = metadata;
    await update({ size: 3 }, 'one');
    expect((await apply({}, {}, { metadata: { name: 'one', resourceVersion } })).status).toBe(409);
    expect((await apply({}, {}, { metadata: { name: 'one', uid: 'other' } })).status).toBe(409);
    expect((await apply({}, {}, { metadata: { name: 'one', uid } })).status).toBe(200);
    const empty = { metadata: { name: 'one', resourceVersion: '' } };
    const again = (await apply({ colour: 'red' }, {}, empty)).json();
    expect([again.spec, again.metadata.resourceVersion]).toMatchObject([
      { colour: 'red' },
      expect.stringMatching(/^\d+$/u),
    ]);
    await server.send('DELETE', OBJECT);
    expect((await apply({ size: 4 }, {}, empty)).status).toBe(201);
  });

  it('takes an empty uid and resourceVersion for none, as clients in Go write them', async () => {
    const metadata = { name: 'one', uid: '', resourceVersion: '' };
    expect((await apply({ size: 1 }, {}, { metadata })).status).toBe(201);
    expect((await apply({ size: 2 }, {}, { metadata })).status).toBe(200);
  });

  it('stores nothing in a dry run', async () => {
    const answer = await apply({ size: 3 }, { query: '&dryRun=All' });
    expect([answer.status, answer.json().spec]).toEqual([201, { size: 3 }]);
    expect((await server.get(OBJECT)).status).toBe(404);
  });

  it('answers a dry run with the resourceVersion that is stored, which no new object has', async () => {
    const created = await apply({ size: 3 }, { query: '&dryRun=All' });
    expect(created.json().metadata).not.toHaveProperty('resourceVersion');
    const { resourceVersion } = (await apply({ size: 3 })).json().metadata;
    const changed = await apply({ size: 4 }, { query: '&dryRun=All' });
    expect(changed.json()).toMatchObject({ metadata: { resourceVersion }, spec: { size: 4 } });
    const same = await apply({ size: 3 }, { query: '&dryRun=All' });
    expect(same.json().metadata.resourceVersion).toBe(resourceVersion);
  });

  it('writes only the status through its path', async () => {
    await apply({ size: 3 });
    const target = `${OBJECT}/status`;
    const answer = await apply({ size: 9 }, { manager: 'worker', target }, { status: { ready: true } });
    expect(answer.json()).toMatchObject({ spec: { size: 3 }, status: { ready: true } });
    expect(managersOf(answer.json())).toEqual(['Apply one', 'Apply worker/status']);
    expect(fieldsOf(answer.json(), 'worker')).toEqual({ 'f:status': { 'f:ready': {} } });
    const main = await apply({ size: 3 }, {}, { status: { ready: false } });
    expect(main.json().status).toEqual({ ready: true });
    expect((await apply({}, { target: `${GADGETS}/none/status` })).status).toBe(400);
  });

  it('applies in another version to the same managers', async () => {
    await apply({ size: 3, colour: 'red' });
    const target = `${gadgetsIn('default', 'v2')}/one`;
    const answer = await apply({ size: 3 }, { target }, { apiVersion: 'shop.example.com/v2' });
    expect([answer.status, answer.json().spec]).toEqual([200, { size: 3 }]);
    expect(answer.json().metadata.managedFields).toMatchObject([
      { manager: 'one', operation: 'Apply', apiVersion: 'shop.example.com/v2' },
    ]);
  });

  it('works for kinds of Kubernetes', async () => {
    const path = `${CONFIG_MAPS}/one?fieldManager=m`;
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' }, data: { a: '1', b: '2' } };
    expect((await server.send('PATCH', path, { body, headers: APPLY })).status).toBe(201);
    const next = { ...body, data: { a: '1' }, metadata: { name: 'one', labels: { x: 'y' } } };
    const answer = await server.send('PATCH', path, { body: next, headers: APPLY });
    expect([answer.status, answer.json().data]).toEqual([200, { a: '1' }]);
    expect(fieldsOf(answer.json(), 'm')).toEqual({
      'f:data': { 'f:a': {} },
      'f:metadata': { 'f:labels': { 'f:x': {} } },
    });
  });
});

describe('the managers of other writes', () => {
  it('are named by the parameter, else by the client', async () => {
    const created = await server.send('POST', GADGETS, {
      body: gadget('one', { size: 2 }),
      headers: { 'user-agent': 'operator/v1.2 (linux)' },
    });
    expect(managersOf(created.json())).toEqual(['Update operator']);
    const changed = (await update({ colour: 'red' }, 'painter')).json();
    expect(managersOf(changed).sort()).toEqual(['Update operator', 'Update painter']);
    expect(fieldsOf(changed, 'painter')).toEqual({ 'f:spec': { 'f:colour': {} } });
    expect((await update({ colour: 'red' }, 'painter')).json()).toEqual(changed);
  });

  it('own the status and the scale through their paths', async () => {
    await server.send('POST', `${GADGETS}?fieldManager=a`, { body: gadget('one', { size: 2 }) });
    const body = { status: { ready: true } };
    const query = '?fieldManager=a';
    await server.send('PATCH', `${OBJECT}/status${query}`, { body, headers: MERGE });
    const scale = { spec: { replicas: 5 } };
    await server.send('PATCH', `${OBJECT}/scale?fieldManager=scaler`, { body: scale, headers: MERGE });
    const object = (await server.get(OBJECT)).json();
    expect(managersOf(object).sort()).toEqual(['Update a', 'Update a/status', 'Update scaler/scale']);
    expect(fieldsOf(object, 'scaler')).toEqual({ 'f:spec': { 'f:size': {} } });
  });

  it('own the scale that they apply', async () => {
    await apply({ size: 2, colour: 'red' });
    const scale = (replicas: number, query = ''): Promise<HttpAnswer> => {
      const body = {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'one' },
        spec: { replicas },
      };
      return server.send('PATCH', `${OBJECT}/scale?fieldManager=scaler${query}`, { body, headers: APPLY });
    };
    const refused = await scale(5);
    expect([refused.status, refused.json().message]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "one": .spec.replicas',
    ]);
    expect((await scale(5, '&force=true')).json()).toMatchObject({ kind: 'Scale', spec: { replicas: 5 } });
    const object = (await server.get(OBJECT)).json();
    expect(object.spec).toEqual({ size: 5, colour: 'red' });
    expect(managersOf(object).sort()).toEqual(['Apply one', 'Apply scaler/scale']);
    expect(fieldsOf(object, 'scaler')).toEqual({ 'f:spec': { 'f:size': {} } });
    expect((await apply({ colour: 'red' })).json().spec).toEqual({ size: 5, colour: 'red' });
  });

  it('stay when a body leaves them out or cannot be read, and go with [{}]', async () => {
    await apply({ size: 3 });
    const before = (await server.get(OBJECT)).json();
    const put = async (managedFields: unknown): Promise<Json> => {
      const body = { ...before, metadata: { ...before.metadata, resourceVersion: undefined, managedFields } };
      return (await server.send('PUT', `${OBJECT}?fieldManager=p`, { body })).json();
    };
    for (const kept of [undefined, null, [], [{ operation: 'Lie' }], 'text', [{ fieldsType: 'X' }]])
      expect((await put(kept)).metadata.managedFields).toEqual(before.metadata.managedFields);
    expect((await put([{}])).metadata.managedFields).toBeUndefined();
    // The next apply finds an object without managers.
    const next = (await apply({ size: 4 }, { query: '&force=true' })).json();
    expect(managersOf(next)).toEqual(['Apply one', 'Update before-first-apply']);
  });

  it('can be rewritten by a JSON patch, as kubectl does', async () => {
    await server.send('POST', `${GADGETS}?fieldManager=kubectl-client-side-apply`, {
      body: gadget('one', { size: 2 }),
    });
    const object = (await server.get(OBJECT)).json();
    const { metadata } = object;
    const [entry] = entriesOf(object);
    const value = [{ ...entry, manager: 'kubectl', operation: 'Apply' }];
    const body = [
      { op: 'replace', path: '/metadata/managedFields', value },
      { op: 'replace', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
    ];
    const answer = await server.send('PATCH', OBJECT, { body, headers: JSON_PATCH });
    expect(managersOf(answer.json())).toEqual(['Apply kubectl']);
    const gone = await apply({ colour: 'red' }, { manager: 'kubectl' });
    expect(gone.json().spec).toEqual({ size: 1, colour: 'red' });
  });

  it('are no change of the object in its history, and no new generation', async () => {
    await apply({ size: 3 });
    await apply({ size: 3 }, { manager: 'two' });
    const { items } = (await server.get(`${OBJECT}/history`)).json();
    expect(items.slice(0, 2)).toMatchObject([
      { verb: 'update', changes: [] },
      { verb: 'create', changes: [] },
    ]);
    expect((await server.get(OBJECT)).json().metadata.generation).toBe(1);
  });

  it('are at most ten that update', async () => {
    await apply({ size: 0 });
    for (let i = 1; i <= 12; i++) await update({ parts: [String(i)], tags: [`t${i}`] }, `m${i}`);
    for (let i = 1; i <= 12; i++) await update({ ports: [{ name: 'x', port: i }], size: i }, `n${i}`);
    const managers = managersOf((await server.get(OBJECT)).json());
    expect(managers.length).toBeLessThanOrEqual(11);
  });
});
