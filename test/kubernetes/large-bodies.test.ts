import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { putFiles, runCli } from '../helpers/cli.js';
import { PERSONS, person } from '../helpers/http.js';
import { startKubernetesServer, type KubernetesServer } from '../helpers/kubernetes.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const MIB = 1024 * 1024;
const DEFAULT = '/api/v1/namespaces/default';
const GADGETS = '/apis/shop.example.com/v1/gadgets';

let server: KubernetesServer;
beforeAll(async () => {
  server = await startKubernetesServer();
  const names = { plural: 'gadgets', singular: 'gadget', kind: 'Gadget' };
  const schema = { type: 'object', properties: { text: { type: 'string' } } };
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }];
  await server.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gadgets.shop.example.com' },
    spec: { group: 'shop.example.com', scope: 'Cluster', names, versions },
  });
  await vi.waitFor(async () => expect((await server.get(GADGETS)).status).toBe(200));
});
afterAll(async () => {
  await server.close();
  removeDirectories();
});

const secret = (bytes: number) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'large' },
  data: {
    a: Buffer.alloc(bytes / 2, 'x').toString('base64'),
    b: Buffer.alloc(bytes / 2, 'y').toString('base64'),
  },
});
const map = (bytes: number) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'large' },
  data: { a: '"'.repeat(bytes) },
});
const gadget = (bytes: number) => ({
  apiVersion: 'shop.example.com/v1',
  kind: 'Gadget',
  metadata: { name: 'large' },
  text: 'x'.repeat(bytes),
});

describe.each([
  ['a secret of 1 MiB of data', `${DEFAULT}/secrets`, secret(MIB), secret(MIB + 2)],
  ['a map of 1 MiB of data', `${DEFAULT}/configmaps`, map(MIB), map(MIB + 1)],
  ['an object of a definition of 2.9 MiB', GADGETS, gadget(2.9 * MIB), gadget(3 * MIB)],
])('%s', (_what, collection, object, tooLarge) => {
  const name = `${collection}/large`;

  it('is created, replaced, patched and applied, and no larger one is', async () => {
    expect((await server.send('POST', collection, { body: object })).status).toBe(201);
    expect((await server.send('PUT', name, { body: { ...object, kind: object.kind } })).status).toBe(200);
    const merge = { 'content-type': 'application/merge-patch+json' };
    expect((await server.send('PATCH', name, { body: { ...object }, headers: merge })).status).toBe(200);
    const labels = { metadata: { labels: { a: 'b' } } };
    expect((await server.send('PATCH', name, { body: labels, headers: merge })).status).toBe(200);
    const apply = { 'content-type': 'application/apply-patch+yaml' };
    const applied = await server.send('PATCH', `${name}?fieldManager=test&force=true`, {
      body: object,
      headers: apply,
    });
    expect([applied.status, applied.text.slice(0, 300)]).toEqual([200, expect.any(String)]);
    const refused = await server.send('PUT', name, { body: tooLarge });
    const field = refused.json().details.causes[0]?.field;
    expect([refused.status, field]).toEqual(collection === GADGETS ? [413, undefined] : [422, 'data']);
    expect((await server.send('DELETE', name)).status).toBe(200);
  });

  it('is created from a file by the command line', async () => {
    const cwd = temporaryDirectory();
    await putFiles(cwd, { 'large.json': JSON.stringify(object) });
    const argv = ['create', '-f', path.join(cwd, 'large.json')];
    expect(await runCli(argv, { cwd, env: { XSVC_SERVER: server.url } })).toMatchObject({ code: 0, err: '' });
    const applying = ['apply', '--server-side', '--force-conflicts', ...argv.slice(1)];
    expect(await runCli(applying, { cwd, env: { XSVC_SERVER: server.url } })).toMatchObject({ code: 0 });
    expect((await server.send('DELETE', name)).status).toBe(200);
  });
});

it('objects of plugins have the limit of the service', async () => {
  const { status } = await server.send('POST', PERSONS, {
    body: person('large', { title: 'x'.repeat(MIB) }),
  });
  expect(status).toBe(413);
});
