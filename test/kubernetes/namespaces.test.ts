import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKubernetesServer, waitFor, type KubernetesServer } from '../helpers/kubernetes.js';
import { removeDirectories } from '../helpers/store.js';

const NAMESPACES = '/api/v1/namespaces';
const CLIENTS = 64;

let server: KubernetesServer;
beforeAll(async () => {
  server = await startKubernetesServer();
});
afterAll(async () => {
  await server.close();
  removeDirectories();
});

async function makeNamespace(name: string): Promise<string> {
  await server.post(NAMESPACES, { metadata: { name } });
  return `${NAMESPACES}/${name}`;
}

function merge(target: string, body: object) {
  return server.send('PATCH', target, { body, headers: { 'content-type': 'application/merge-patch+json' } });
}

const isGone = ({ status }: { readonly status: number }): boolean => status === 404;

async function countIn(namespace: string): Promise<unknown> {
  const answers = await Promise.all(
    ['configmaps', 'secrets', 'serviceaccounts', 'events'].map((kind) => server.get(`${namespace}/${kind}`)),
  );
  return answers.flatMap((answer) => answer.json().items).length;
}

describe('a namespace', () => {
  it('has a service account from its first moment', async () => {
    const namespace = await makeNamespace('with-account');
    expect((await server.get(`${namespace}/serviceaccounts/default`)).status).toBe(200);
    for (const name of ['default', 'kube-node-lease', 'kube-public', 'kube-system']) {
      expect((await server.get(`${NAMESPACES}/${name}/serviceaccounts/default`)).status).toBe(200);
      expect((await server.send('DELETE', `${NAMESPACES}/${name}`)).status).toBe(403);
    }
  });

  // As recorded from a kube-apiserver 1.37.
  it.each([[undefined], [''], [null]])('is that of the path when a body states %j', async (namespace) => {
    const collection = `${NAMESPACES}/default/configmaps`;
    const metadata = { name: `stated-${typeof namespace}`, namespace };
    const made = await server.send('POST', collection, { body: { metadata } });
    expect([made.status, made.json().metadata['namespace']]).toEqual([201, 'default']);
    const body = { metadata, data: { a: 'b' } };
    const put = await server.send('PUT', `${collection}/${metadata.name}`, { body });
    expect([put.status, put.json().metadata['namespace']]).toEqual([200, 'default']);
    const other = { ...body, metadata: { ...metadata, namespace: 'other' } };
    expect((await server.send('PUT', `${collection}/${metadata.name}`, { body: other })).status).toBe(400);
  });

  it('goes with all its objects, and nothing that clients create meanwhile stays', async () => {
    const namespace = await makeNamespace('busy');
    let created = 0;
    const create = async (client: number): Promise<number> => {
      for (let i = 0; ; i++) {
        const body = { metadata: { name: `a${client}-${i}` } };
        const { status } = await server.send('POST', `${namespace}/configmaps`, { body });
        if (status !== 201) return status;
        created += 1;
      }
    };
    const clients = Array.from({ length: CLIENTS }, (_, client) => create(client));
    await waitFor(
      () => Promise.resolve(created),
      (count) => count > 4 * CLIENTS,
    );
    const deleted = await server.send('DELETE', namespace);
    expect([deleted.status, deleted.json().status]).toEqual([200, { phase: 'Terminating' }]);
    const refusals = await Promise.all(clients);
    expect(refusals.filter((status) => status !== 403 && status !== 404)).toEqual([]);
    await waitFor(() => server.get(namespace), isGone);
    expect(await countIn(namespace)).toBe(0);
  });

  it('waits for the finalizers of its objects, and says what is left', async () => {
    const namespace = await makeNamespace('held');
    const finalizers = ['example.com/hold'];
    await server.post(`${namespace}/configmaps`, { metadata: { name: 'kept', finalizers } });
    await server.post(`${namespace}/secrets`, { metadata: { name: 'gone' } });
    await server.send('DELETE', namespace);
    const held = await waitFor(
      () => server.get(namespace),
      (answer) => answer.text.includes('NamespaceFinalizersRemaining'),
    );
    expect(held.json().status).toMatchObject({
      phase: 'Terminating',
      conditions: [
        { type: 'NamespaceContentRemaining', status: 'True', message: 'configmaps: 1 left' },
        { type: 'NamespaceFinalizersRemaining', status: 'True', message: 'configmaps: example.com/hold' },
      ],
    });
    expect((await server.get(`${namespace}/secrets/gone`)).status).toBe(404);
    // Objects in it can be changed.
    const changed = await merge(`${namespace}/configmaps/kept`, { data: { a: 'b' } });
    expect(changed.status).toBe(200);
    await merge(`${namespace}/configmaps/kept`, { metadata: { finalizers: null } });
    await waitFor(() => server.get(namespace), isGone);
  });

  it('has objects of definitions, and takes them with it', async () => {
    await server.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'gears.test.example.com' },
      spec: {
        group: 'test.example.com',
        scope: 'Namespaced',
        names: { plural: 'gears', kind: 'Gear' },
        versions: [
          { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
        ],
      },
    });
    const GROUP = '/apis/test.example.com/v1';
    const gear = { metadata: { name: 'name.with.dots' } };
    await server.post(`${GROUP}/namespaces/nowhere/gears`, gear, 404);
    const namespace = await makeNamespace('with-gears');
    await server.post(`${GROUP}/namespaces/with-gears/gears`, gear);
    await server.send('DELETE', namespace);
    await waitFor(() => server.get(namespace), isGone);
    expect((await server.get(`${GROUP}/gears`)).json().items).toEqual([]);
  });

  it('stays until its own finalizers are removed', async () => {
    const namespace = await makeNamespace('finalized');
    const body = { metadata: { name: 'finalized' }, spec: { finalizers: ['kubernetes', 'example.com/own'] } };
    await server.send('PUT', `${namespace}/finalize`, { body });
    await server.send('DELETE', `${namespace}?forceFinalizers=true`);
    const empty = await waitFor(
      () => server.get(namespace),
      (answer) => !answer.text.includes('"kubernetes"'),
    );
    expect(empty.json().spec).toEqual({ finalizers: ['example.com/own'] });
    expect(await countIn(namespace)).toBe(0);
    const last = await server.send('PUT', `${namespace}/finalize`, {
      body: { metadata: { name: 'finalized' }, spec: { finalizers: [] } },
    });
    expect([last.status, (await server.get(namespace)).status]).toEqual([200, 404]);
  });

  it('can be made again when it is gone', async () => {
    const namespace = await makeNamespace('again');
    await server.post(`${namespace}/configmaps`, { metadata: { name: 'old' } });
    await server.send('DELETE', namespace);
    await waitFor(() => server.get(namespace), isGone);
    await makeNamespace('again');
    expect(await countIn(namespace)).toBe(1);
  });

  it('leaves a consistent store', async () => {
    expect(await server.check()).toEqual([]);
  });
});
