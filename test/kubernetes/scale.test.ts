import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startKubernetesServer } from '../helpers/kubernetes.js';
import { define, gadget, gadgets, gadgetsIn } from '../helpers/definitions.js';
import type { HttpAnswer, TestServer } from '../helpers/http.js';
import { removeDirectories } from '../helpers/store.js';

const MERGE = { 'content-type': 'application/merge-patch+json' };
const JSON_PATCH = { 'content-type': 'application/json-patch+json' };
const OBJECT = `${gadgetsIn('default')}/one`;
const SCALE = `${OBJECT}/scale`;

let server: TestServer;

const scalable = () =>
  gadgets((spec) => {
    for (const version of spec.versions) {
      version.subresources = {
        status: {},
        scale: {
          specReplicasPath: '.spec.size',
          statusReplicasPath: '.status.running',
          labelSelectorPath: '.status.selector',
        },
      };
      version.schema.openAPIV3Schema.properties.spec = {
        type: 'object',
        properties: { size: { type: 'integer', maximum: 50 }, colour: { type: 'string' } },
      };
      version.schema.openAPIV3Schema.properties.status = {
        type: 'object',
        properties: { running: { type: 'integer' }, selector: { type: 'string' } },
      };
    }
  });

beforeAll(async () => {
  server = await startKubernetesServer({ leads: false });
  expect((await define(server, scalable())).status).toBe(201);
});
beforeEach(async () => {
  await server.send('DELETE', OBJECT);
  const body = gadget('one', { size: 3, colour: 'red' }, { labels: { a: 'b' } });
  expect((await server.send('POST', gadgetsIn('default'), { body })).status).toBe(201);
});
afterAll(async () => {
  expect(await server.check()).toEqual([]);
  await server.close();
  removeDirectories();
});

const scale = (spec: object, metadata: object = { name: 'one' }, more: object = {}) => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata,
  spec,
  ...more,
});
const put = (body: object, target = SCALE): Promise<HttpAnswer> => server.send('PUT', target, { body });
const patch = (body: object, headers = MERGE): Promise<HttpAnswer> =>
  server.send('PATCH', SCALE, { body, headers });

describe('the scale of an object', () => {
  it('shows the replicas, and the selector of the status', async () => {
    const { metadata } = (await server.get(OBJECT)).json();
    const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
    const bare = await server.get(SCALE);
    expect(bare.json()).toEqual({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
      spec: { replicas: 3 },
      status: { replicas: 0 },
    });
    await server.send('PATCH', `${OBJECT}/status`, {
      body: { status: { running: 2, selector: 'a=b' } },
      headers: MERGE,
    });
    expect((await server.get(SCALE)).json().status).toEqual({ replicas: 2, selector: 'a=b' });
  });

  it('is written by an update of the object, and everything else stays', async () => {
    const before = (await server.get(SCALE)).json();
    const answer = await put({ ...before, spec: { replicas: 4 } });
    expect([answer.status, answer.json().kind, answer.json().spec]).toEqual([200, 'Scale', { replicas: 4 }]);
    expect((await server.get(OBJECT)).json()).toMatchObject({
      metadata: { labels: { a: 'b' }, generation: 2 },
      spec: { size: 4, colour: 'red' },
    });
    const stale = await put({ ...before, spec: { replicas: 5 } });
    expect([stale.status, stale.json().reason]).toEqual([409, 'Conflict']);
    const labels = { labels: { z: 'z' }, name: 'one' };
    expect((await put(scale({ replicas: 6 }, labels, { status: { replicas: 9 } }))).json()).toMatchObject({
      spec: { replicas: 6 },
      status: { replicas: 0 },
    });
    expect((await server.get(OBJECT)).json().metadata.labels).toEqual({ a: 'b' });
  });

  it('takes a patch of the scale', async () => {
    expect((await patch({ spec: { replicas: 8 } })).json().spec).toEqual({ replicas: 8 });
    const replace = [{ op: 'replace', path: '/spec/replicas', value: 9 }];
    expect((await patch(replace, JSON_PATCH)).json().spec).toEqual({ replicas: 9 });
    const wrong = [{ op: 'test', path: '/spec/replicas', value: 1 }];
    expect((await patch(wrong, JSON_PATCH)).status).toBe(422);
    expect((await patch({ metadata: { resourceVersion: '1' } })).status).toBe(409);
    expect((await patch({}, { 'content-type': 'application/strategic-merge-patch+json' })).status).toBe(415);
  });

  it('without a number is zero, as clients that leave out zeros mean it', async () => {
    expect((await put(scale({}))).json().spec).toEqual({ replicas: 0 });
    expect((await server.get(OBJECT)).json().spec).toEqual({ size: 0, colour: 'red' });
  });

  it.each([
    [{ replicas: -1 }, 422],
    [{ replicas: 51 }, 422],
    [{ replicas: '3' }, 400],
    [{ replicas: 1.5 }, 400],
    [{ replicas: 2 ** 31 }, 400],
  ])('refuses %j', async (spec, status) => {
    const answer = await put(scale(spec));
    expect(answer.status).toBe(status);
    if (status === 422) expect(answer.json().details.causes[0]?.field).toBe('spec.size');
    expect((await server.get(OBJECT)).json().spec).toEqual({ size: 3, colour: 'red' });
  });

  it('refuses another kind, another name and another namespace', async () => {
    for (const body of [
      gadget('one', { replicas: 1 }),
      scale({ replicas: 1 }, { name: 'two' }),
      scale({ replicas: 1 }, { name: 'one', namespace: 'other' }),
      [],
    ])
      expect((await put(body)).status).toBe(400);
  });

  it('is an error that names the path when the object has no number, until one is written', async () => {
    await server.send('PATCH', OBJECT, { body: { spec: { size: null } }, headers: MERGE });
    const answer = await server.get(SCALE);
    expect([answer.status, answer.json().details.causes[0]?.field]).toEqual([422, 'spec.size']);
    expect((await patch({ spec: { replicas: 2 } })).json().spec).toEqual({ replicas: 2 });
    expect((await server.get(SCALE)).status).toBe(200);
  });

  it('is stored in no dry run', async () => {
    const answer = await put(scale({ replicas: 1 }), `${SCALE}?dryRun=All`);
    expect(answer.json().spec).toEqual({ replicas: 1 });
    expect((await server.get(SCALE)).json().spec).toEqual({ replicas: 3 });
  });

  it('has no other methods, and is not there without an object or the subresource', async () => {
    expect((await server.send('DELETE', SCALE)).status).toBe(405);
    expect((await server.send('POST', SCALE, { body: {} })).status).toBe(405);
    expect((await server.get(`${gadgetsIn('default')}/two/scale`)).status).toBe(404);
    await define(
      server,
      gadgets((spec) => {
        spec.names = { plural: 'things', kind: 'Thing' };
      }),
    );
    const thing = { ...gadget('one'), kind: 'Thing' };
    const things = gadgetsIn('default').replace('gadgets', 'things');
    await server.send('POST', things, { body: thing });
    expect((await server.get(`${things}/one/scale`)).status).toBe(404);
  });

  it('is in both forms of discovery, and in the description', async () => {
    const list = (await server.get('/apis/shop.example.com/v1')).json();
    expect(list.resources).toContainEqual({
      name: 'gadgets/scale',
      singularName: '',
      namespaced: true,
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      verbs: ['get', 'patch', 'update'],
    });
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const aggregated = (await server.send('GET', '/apis', { headers: { accept } })).text;
    expect(aggregated).toContain(
      JSON.stringify({
        subresource: 'scale',
        responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
        verbs: ['get', 'patch', 'update'],
      }),
    );
    const document = (await server.get('/openapi/v3/apis/shop.example.com/v1')).json();
    expect(document.paths).toHaveProperty([
      '/apis/shop.example.com/v1/namespaces/{namespace}/gadgets/{name}/scale',
      'put',
    ]);
  });
});
