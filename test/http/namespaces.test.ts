import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../helpers/http.js';
import { openRemote } from '../../src/client/http-verbs.js';
import { openWidgets, widget, WIDGET_REF } from '../helpers/namespaced.js';
import { removeDirectories } from '../helpers/store.js';

const GROUP = '/apis/shop.example.com/v1';
const ALL = `${GROUP}/widgets`;
const inNamespace = (namespace: string): string => `${GROUP}/namespaces/${namespace}/widgets`;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await openWidgets(server);
  for (const [namespace, name, size] of [
    ['a', 'one', 1],
    ['a', 'two', 2],
    ['a-b', 'one', 3],
    ['b', 'two', 4],
    ['b', 'zero', 5],
  ] as const) {
    const { status } = await server.send('POST', inNamespace(namespace), {
      body: widget(namespace, name, size),
    });
    expect(status).toBe(201);
  }
});
afterAll(async () => {
  expect(await server.check()).toEqual([]);
  await server.close();
  removeDirectories();
});

/** Namespaces and names of a list, in order. */
async function listed(target: string): Promise<string[]> {
  const answer = await server.get(target);
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
  return answer.json().items.map(({ metadata }) => `${String(metadata.namespace)}/${String(metadata.name)}`);
}

describe('objects of a namespaced model', () => {
  it('have the same name in several namespaces', async () => {
    expect((await server.get(`${inNamespace('a')}/one`)).json().spec).toEqual({ size: 1 });
    expect((await server.get(`${inNamespace('a-b')}/one`)).json().spec).toEqual({ size: 3 });
    expect((await server.get(`${inNamespace('b')}/one`)).status).toBe(404);
  });

  it('are in the namespace of the path, which the body may leave out', async () => {
    const { metadata, ...rest } = widget('x', 'new');
    const body = { ...rest, metadata: { name: metadata.name } };
    const answer = await server.send('POST', inNamespace('c'), { body });
    expect(answer.status).toBe(201);
    expect(answer.headers.location).toBe(`${inNamespace('c')}/new`);
    expect(answer.json().metadata).toMatchObject({ namespace: 'c', name: 'new' });
    expect((await server.send('DELETE', `${inNamespace('c')}/new`)).status).toBe(200);
  });

  it('is named in an error without the namespace, and with a slash that no name can have', async () => {
    const missing = await server.get(`${inNamespace('a')}/x%2Fy`);
    const created = await server.send('POST', inNamespace('a'), { body: widget('a', 'x/y') });
    expect([missing.json().details.name, created.json().details.name]).toEqual(['x/y', 'x/y']);
  });

  it('may not state another namespace than the path', async () => {
    const created = await server.send('POST', inNamespace('a'), { body: widget('b', 'new') });
    expect([created.status, created.json().message]).toEqual([400, expect.stringContaining('"b"')]);
    const put = await server.send('PUT', `${inNamespace('a')}/one`, { body: widget('b', 'one') });
    expect([put.status, put.json().message]).toEqual([400, expect.stringContaining('metadata.namespace')]);
  });

  it('keep their namespace in an update that leaves it out', async () => {
    const { metadata, ...rest } = widget('a', 'one', 11);
    const answer = await server.send('PUT', `${inNamespace('a')}/one`, {
      body: { ...rest, metadata: { name: metadata.name } },
    });
    expect(answer.json().metadata).toMatchObject({ namespace: 'a', name: 'one' });
    await server.send('PUT', `${inNamespace('a')}/one`, { body: widget('a', 'one', 1) });
  });

  it('need a namespace that is a DNS label', async () => {
    for (const namespace of ['A', 'a.b', '..', '-', 'a_b', 'x'.repeat(64)]) {
      const answer = await server.send('POST', inNamespace(encodeURIComponent(namespace)), {
        body: { ...widget('a', 'new'), metadata: { name: 'new' } },
      });
      expect([namespace, answer.status]).toEqual([namespace, 422]);
      expect(answer.json().details.causes[0]?.field).toBe('metadata.namespace');
    }
  });

  it('are named without the namespace in the details of an error', async () => {
    const { details, message } = (await server.get(`${inNamespace('a')}/none`)).json();
    expect(details).toMatchObject({ name: 'none', group: 'shop.example.com' });
    expect(message).toContain('a/none');
  });

  it('cannot be created or changed without a namespace', async () => {
    expect((await server.send('POST', ALL, { body: widget('a', 'new') })).status).toBe(405);
    expect((await server.send('GET', `${ALL}/one`)).status).toBe(404);
    expect((await server.send('DELETE', `${ALL}/one`)).status).toBe(404);
  });

  it('have a status of their own', async () => {
    const path = `${inNamespace('b')}/two/status`;
    const answer = await server.send('PATCH', path, {
      body: { status: { ready: true } },
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    expect(answer.json()).toMatchObject({
      metadata: { namespace: 'b', name: 'two' },
      status: { ready: true },
    });
    expect((await server.get(`${inNamespace('a')}/two`)).json()).not.toHaveProperty('status');
  });

  it('have a history of their own', async () => {
    const answer = await server.get(`${inNamespace('b')}/two/history`);
    expect(answer.json().items.map(({ verb }) => verb)).toEqual(['patch', 'create']);
    expect((await server.get(`${inNamespace('a')}/two/history`)).json().items).toHaveLength(1);
    expect((await server.get(`${ALL}/-/history`)).json().items.length).toBeGreaterThanOrEqual(6);
  });
});

describe('a list', () => {
  it('has the objects of one namespace, or of all in the order of namespace and name', async () => {
    expect(await listed(inNamespace('a'))).toEqual(['a/one', 'a/two']);
    expect(await listed(inNamespace('a-b'))).toEqual(['a-b/one']);
    expect(await listed(inNamespace('none'))).toEqual([]);
    // In the order of the bytes, "-" comes before "/".
    expect(await listed(ALL)).toEqual(['a-b/one', 'a/one', 'a/two', 'b/two', 'b/zero']);
  });

  it('has conditions on namespace and name', async () => {
    const select = (text: string): string => `${ALL}?fieldSelector=${encodeURIComponent(text)}`;
    expect(await listed(select('metadata.name=one'))).toEqual(['a-b/one', 'a/one']);
    expect(await listed(select('metadata.namespace=b'))).toEqual(['b/two', 'b/zero']);
    expect(await listed(select('metadata.namespace!=b,metadata.name=two'))).toEqual(['a/two']);
    expect(await listed(`${inNamespace('b')}?fieldSelector=metadata.name=two`)).toEqual(['b/two']);
    const filter = encodeURIComponent('metadata.name.startsWith("z") || metadata.namespace == "a-b"');
    expect(await listed(`${ALL}?filter=${filter}`)).toEqual(['a-b/one', 'b/zero']);
  });

  it('of a namespace has pages, an order, a total and facets of that namespace', async () => {
    expect(await listed(`${inNamespace('b')}?sort=spec.size,desc`)).toEqual(['b/zero', 'b/two']);
    expect(await listed(`${ALL}?sort=metadata.name,desc`)).toEqual([
      'b/zero',
      'a/two',
      'b/two',
      'a-b/one',
      'a/one',
    ]);
    const page = (
      await server.get(`${inNamespace('b')}?page=2&size=1&facets=metadata.name&aggregates=min(metadata.name)`)
    ).json();
    expect(page).toMatchObject({ total: 2, totalPages: 2, items: [{ metadata: { name: 'zero' } }] });
    expect(page.groups).toEqual([{ key: {}, count: 2, 'min(metadata.name)': 'two' }]);
    expect(page.facets).toEqual({
      'metadata.name': [
        { value: 'two', count: 1 },
        { value: 'zero', count: 1 },
      ],
    });
    expect(await listed(`${inNamespace('a')}?labelSelector=parity=even`)).toEqual(['a/two']);
  });

  it('continues within its namespace, and its token is of no use in another one', async () => {
    const first = (await server.get(`${inNamespace('b')}?limit=1`)).json();
    const token = String(first.metadata.continue);
    expect(await listed(`${inNamespace('b')}?limit=1&continue=${token}`)).toEqual(['b/zero']);
    expect((await server.get(`${inNamespace('a')}?limit=1&continue=${token}`)).status).toBe(400);
  });

  it('explains that it walks the names of the namespace alone', async () => {
    const plan = (await server.get(`${inNamespace('b')}?explain=true&size=1`)).json();
    expect(plan).toMatchObject({ condition: 'metadata.namespace = "b"', method: 'walk', total: 2 });
  });
});

describe('a watch', () => {
  it('has the changes of one namespace, or of all', async () => {
    const watched = async (target: string): Promise<string[]> => {
      const { text } = await server.get(`${target}?watch=true&timeoutSeconds=1`);
      return text
        .trim()
        .split('\n')
        .map(
          (line) => JSON.parse(line) as { readonly type: string; readonly object: ReturnType<typeof widget> },
        )
        .map(({ type, object: { metadata } }) => `${type} ${metadata.namespace}/${metadata.name}`);
    };
    expect((await watched(inNamespace('a'))).sort()).toEqual(['ADDED a/one', 'ADDED a/two']);
    expect(await watched(`${inNamespace('b')}/two`)).toEqual(['ADDED b/two']);
    expect(await watched(ALL)).toHaveLength(5);
  });
});

describe('another version of the model', () => {
  it('has the same objects', async () => {
    const path = inNamespace('a').replace('/v1/', '/v2/');
    expect((await server.get(`${path}/two`)).json()).toMatchObject({
      apiVersion: 'shop.example.com/v2',
      metadata: { namespace: 'a' },
      spec: { size: 2 },
    });
    expect(await listed(`${path}?sort=spec.size,desc`)).toEqual(['a/two', 'a/one']);
    const body = { ...widget('a', 'newer', 7), apiVersion: 'shop.example.com/v2' };
    expect((await server.send('POST', path, { body })).json().apiVersion).toBe('shop.example.com/v2');
    const stored = (await server.get(`${inNamespace('a')}/newer`)).json();
    expect(stored).toMatchObject({ apiVersion: 'shop.example.com/v1', spec: { size: 7 } });
    expect((await server.send('DELETE', `${path}/newer`)).status).toBe(200);
  });
});

describe('the details of an error have the name of the path', () => {
  const APPLY = { 'content-type': 'application/apply-patch+yaml' };
  const TYPE = { apiVersion: 'shop.example.com/v1', kind: 'Widget' };
  const PERSONS = '/apis/demo.example.com/v1alpha1/persons';
  const PERSON = { apiVersion: 'demo.example.com/v1alpha1', kind: 'Person' };
  const paths = (names: readonly string[]) =>
    names.flatMap((name) => [
      [`${inNamespace('a%2Fb')}/${name}`],
      [`${inNamespace('a%252Fb')}/${name}`],
      [`${inNamespace('a%25')}/${name}`],
      [`${inNamespace('a')}/${name}`],
      [`${PERSONS}/${name}`],
    ]);

  it.each(paths(['x', 'x%2Fy', 'x%25y', 'x%252Fy']))('%s', async (target) => {
    const name = decodeURIComponent(target.slice(target.lastIndexOf('/') + 1));
    const headers = { 'content-type': 'application/merge-patch+json' };
    for (const answer of [
      await server.get(target),
      await server.get(`${target}/history`),
      await server.send('PUT', target, { body: {} }),
      await server.send('PATCH', target, { body: {}, headers }),
      await server.send('DELETE', target),
    ])
      expect([answer.status, answer.json().details.name]).toEqual([404, name]);
  });

  it.each(paths(['x%2Fy', 'x%25y']))('also of an apply: %s', async (target) => {
    const body = target.startsWith(PERSONS) ? { ...PERSON, spec: { name: 'X' } } : TYPE;
    const answer = await server.send('PATCH', `${target}?fieldManager=m`, { body, headers: APPLY });
    const { details } = answer.json();
    const field = target.includes('/namespaces/a%') ? 'metadata.namespace' : 'metadata.name';
    expect([answer.status, details.causes[0]?.field]).toEqual([422, field]);
    if (field === 'metadata.name')
      expect(details.name).toBe(decodeURIComponent(target.slice(target.lastIndexOf('/') + 1)));
  });
});

describe('the client', () => {
  it('reads and writes objects by their full names', async () => {
    const client = openRemote(server.url);
    const created = await client.create(WIDGET_REF, widget('d', 'made', 9));
    expect(created.object.metadata).toMatchObject({ namespace: 'd', name: 'made' });
    expect((await client.get(WIDGET_REF, 'd/made')).spec).toEqual({ size: 9 });
    const many = await client.getMany(WIDGET_REF, ['a/one', 'd/made', 'd/one', 'a-b/one']);
    expect(many.map((object) => object?.spec)).toEqual([{ size: 1 }, { size: 9 }, undefined, { size: 3 }]);
    expect((await client.list(WIDGET_REF, { namespace: 'd' })).total).toBe(1);
    await client.patch(WIDGET_REF, 'd/made', { spec: { size: 10 } }, 'merge');
    expect((await client.history(WIDGET_REF, 'd/made')).items).toHaveLength(2);
    await client.delete(WIDGET_REF, 'd/made');
    await expect(client.get(WIDGET_REF, 'd/made')).rejects.toThrow('not found');
  });
});

describe('a batch', () => {
  const TYPE = { apiVersion: 'shop.example.com/v1', kind: 'Widget' };
  const send = (items: readonly object[]) =>
    server.send('POST', '/apis/api.platform.run/v1alpha1/batches', { body: { items } });

  it('names objects by namespace and name, and takes those of new ones from the object', async () => {
    const { status } = await send([
      { verb: 'create', object: widget('e', 'one', 1) },
      { verb: 'create', object: widget('f', 'one', 1) },
      { verb: 'patch', ...TYPE, namespace: 'e', name: 'one', patch: { spec: { size: 2 } } },
      { verb: 'update', object: widget('f', 'one', 3) },
      { verb: 'delete', ...TYPE, namespace: 'e', name: 'one' },
    ]);
    expect(status).toBe(200);
    expect((await server.get(`${inNamespace('f')}/one`)).json().spec).toEqual({ size: 3 });
    expect((await server.get(`${inNamespace('e')}/one`)).status).toBe(404);
  });

  it('goes over the client with full names', async () => {
    const client = openRemote(server.url);
    const resource = WIDGET_REF;
    const { items } = await client.batch([
      { verb: 'create', resource, object: widget('e', 'two', 1) },
      { verb: 'update', resource, name: 'f/one', object: widget('f', 'one', 4) },
      { verb: 'patch', resource, name: 'e/two', patch: { spec: { size: 5 } }, type: 'merge' },
      { verb: 'delete', resource, name: 'e/two' },
      { verb: 'delete', resource, name: 'f/one' },
    ]);
    expect(items.map(({ object }) => object.spec)).toMatchObject([
      { size: 1 },
      { size: 4 },
      { size: 5 },
      {},
      {},
    ]);
  });

  it.each([undefined, '', 'Ä', 'a/one', 7])('is refused with the namespace %j', async (namespace) => {
    const answer = await send([{ verb: 'delete', ...TYPE, namespace, name: 'one' }]);
    expect([answer.status, answer.json().message]).toEqual([
      400,
      'items[0]: needs the namespace of an object',
    ]);
  });

  it('is refused when an object states another namespace', async () => {
    const answer = await send([
      { verb: 'update', namespace: 'a', name: 'one', object: widget('b', 'one', 9) },
    ]);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect((await server.get(`${inNamespace('a')}/one`)).json().spec).toEqual({ size: 1 });
  });
});

describe('paths', () => {
  it('with a namespace do not exist for a cluster-scoped model', async () => {
    expect((await server.get('/apis/demo.example.com/v1alpha1/namespaces/a/persons')).status).toBe(404);
  });

  it('are found with percent-encoded parts', async () => {
    expect((await server.get(`${GROUP}/namespaces/%61/widgets/%6fne`)).status).toBe(200);
    expect((await server.get(`${GROUP}/namespaces/a%2Fone/widgets`)).json().items).toEqual([]);
  });

  it('with too many parts are not found', async () => {
    expect((await server.get(`${inNamespace('a')}/one/status/more`)).status).toBe(404);
    expect((await server.get(`${GROUP}/namespaces/a`)).status).toBe(404);
  });
});

it('discovery says which models are namespaced', async () => {
  const { resources } = (await server.get(GROUP)).json() as unknown as {
    readonly resources: readonly { readonly name: string; readonly namespaced: boolean }[];
  };
  expect(resources).toMatchObject([
    { name: 'widgets', namespaced: true },
    { name: 'widgets/status', namespaced: true },
  ]);
});
