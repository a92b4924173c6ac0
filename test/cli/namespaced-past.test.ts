import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerReference, type Owner } from '../../src/model/owner-references.js';
import { runCli, type CliResult } from '../helpers/cli.js';
import { define, gadget, gadgets, gadgetsIn, plan, PLANS, plans } from '../helpers/definitions.js';
import type { Json } from '../helpers/http.js';
import { startKubernetesServer, waitFor, type KubernetesServer } from '../helpers/kubernetes.js';
import { removeDirectories } from '../helpers/store.js';

const GROUP = 'shop.example.com';

let server: KubernetesServer;

beforeAll(async () => {
  server = await startKubernetesServer();
  const reference = { group: GROUP, kind: 'Gadget' };
  await define(
    server,
    gadgets(({ versions: [version] }) => {
      const next = { type: 'string', 'x-xsvc-reference': reference };
      const spec = { type: 'object', properties: { size: { type: 'integer' }, next } };
      if (version !== undefined) version.schema.openAPIV3Schema.properties.spec = spec;
    }),
  );
  await define(server, plans());
  for (const name of ['one', 'two']) await server.post('/api/v1/namespaces', { metadata: { name } });
});
afterAll(async () => {
  await server.close();
  removeDirectories();
});

function xsvc(...argv: readonly string[]): Promise<CliResult> {
  return runCli(argv, { cwd: '/', env: { XSVC_SERVER: server.url } });
}

/** The moment after all changes so far: times have milliseconds. */
async function moment(): Promise<string> {
  const begun = Date.now();
  while (Date.now() <= begun + 1) await new Promise(setImmediate);
  return new Date().toISOString();
}

const ownedBy = (owner: Json): object => ({ ownerReferences: [ownerReference(owner as unknown as Owner)] });

describe('the history', () => {
  it('names objects by namespace and name', async () => {
    for (const namespace of ['one', 'two']) await server.post(gadgetsIn(namespace), gadget('past'));
    const one = (await server.get(`${gadgetsIn('one')}/past/history`)).json();
    expect(one.metadata).toMatchObject({ namespace: 'one', name: 'past' });
    const all = (await server.get(`/apis/${GROUP}/v1/gadgets/-/history`)).json();
    expect(all.items.map(({ namespace, name }) => [namespace, name])).toEqual([
      ['two', 'past'],
      ['one', 'past'],
    ]);
    await server.post(PLANS, plan('past'));
    const past = (await server.get(`${PLANS}/-/history`)).json();
    expect(past.items.map((item) => Object.keys(item))).toEqual([
      ['name', 'resourceVersion', 'time', 'verb', 'changes'],
    ]);
  });

  it('is printed for one namespace, or for all', async () => {
    const all = await xsvc('history', 'gadgets', '-A');
    expect(all.out).toMatch(/VERB +NAMESPACE +NAME +CHANGED\n.* two +past .*\n.* one +past /);
    const one = await xsvc('history', 'gadgets', '-n', 'one');
    expect(one.out).not.toContain('two');
    const { out } = await xsvc('history', 'gadgets', '-A', '-o', 'ndjson');
    const [line = ''] = out.split('\n');
    expect(JSON.parse(line)).toMatchObject({ namespace: 'two', name: 'past' });
  });
});

describe('undo --since', () => {
  it('takes changes of all namespaces back, each object in its own, with the owners that exist', async () => {
    const owner = (await server.post(gadgetsIn('one'), gadget('owner'))).json();
    await server.post(gadgetsIn('one'), gadget('same', { size: 1 }, ownedBy(owner)));
    await server.post(gadgetsIn('two'), gadget('same', { size: 2 }));
    const since = await moment();
    await server.send('DELETE', `${gadgetsIn('one')}/same`);
    await server.send('PUT', `${gadgetsIn('two')}/same`, { body: gadget('same', { size: 3 }) });
    await server.post(gadgetsIn('two'), gadget('new'));
    const { code, out, err } = await xsvc('undo', '--since', since, '-A', '--yes');
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(
      /two +delete +gadgets\/new\ntwo +update +gadgets\/same\none +create +gadgets\/same\n/,
    );
    const again = (await server.get(`${gadgetsIn('one')}/same`)).json();
    expect([again.spec, again.metadata]).toMatchObject([{ size: 1 }, ownedBy(owner)]);
    expect((await server.get(`${gadgetsIn('two')}/same`)).json().spec).toEqual({ size: 2 });
    expect((await server.get(`${gadgetsIn('two')}/new`)).status).toBe(404);
  });

  it('leaves the other namespaces alone without -A', async () => {
    const since = await moment();
    for (const namespace of ['one', 'two']) await server.post(gadgetsIn(namespace), gadget('fresh'));
    await xsvc('undo', '--since', since, '-n', 'one', '--yes');
    expect((await server.get(`${gadgetsIn('one')}/fresh`)).status).toBe(404);
    expect((await server.get(`${gadgetsIn('two')}/fresh`)).status).toBe(200);
  });

  it('names the namespace of an object that it refuses', async () => {
    const since = await moment();
    const finalizers = ['example.com/hold'];
    await server.post(gadgetsIn('two'), gadget('held', {}, { finalizers }));
    await server.send('PUT', `${gadgetsIn('two')}/held`, {
      body: gadget('held', { size: 3 }, { finalizers }),
    });
    await server.post(gadgetsIn('two'), gadget('refers', { next: 'held' }));
    const other = await moment();
    await server.send('PUT', `${gadgetsIn('two')}/refers`, { body: gadget('refers', { size: 1 }) });
    await server.send('DELETE', `${gadgetsIn('two')}/held`);
    const { code, err } = await xsvc('undo', 'gadgets', '--since', other, '-A', '--yes');
    expect([code, err]).toEqual([4, expect.stringContaining('gadgets/held in the namespace two')]);
    expect(since < other).toBe(true);
  });
});

describe('undo of a definition', () => {
  it('serves the kind again, and says that its objects are gone', async () => {
    const definition = `plans.${GROUP}`;
    await server.send('DELETE', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition}`);
    await waitFor(
      () => xsvc('get', 'crd', definition),
      ({ code }) => code !== 0,
    );
    const { code, out, err } = await xsvc('undo', 'crd', definition);
    expect([code, out]).toEqual([0, expect.stringContaining('created again')]);
    expect(err).toContain('do not come again');
    expect((await server.get(PLANS)).json().items).toEqual([]);
    await server.post(PLANS, plan('fresh'));
  });

  it('is refused while its objects are being deleted', async () => {
    const finalizers = ['example.com/hold'];
    await server.post(PLANS, plan('held', { finalizers }));
    const definition = `plans.${GROUP}`;
    await server.send('DELETE', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition}`);
    const { code, err } = await xsvc('undo', 'crd', definition);
    expect([code, err]).toEqual([4, expect.stringContaining('is being deleted')]);
  });
});

it('undo of a namespace serves it again, and says that the objects in it are gone', async () => {
  await server.post('/api/v1/namespaces', { metadata: { name: 'three' } });
  await server.post(gadgetsIn('three'), gadget('gone'));
  await server.send('DELETE', '/api/v1/namespaces/three');
  await waitFor(
    () => xsvc('get', 'namespaces', 'three'),
    ({ code }) => code !== 0,
  );
  const { code, err } = await xsvc('undo', 'namespaces', 'three');
  expect([code, err]).toEqual([0, expect.stringContaining('the objects in the namespace')]);
  expect(err).toContain('do not come again');
  expect((await server.get(gadgetsIn('three'))).json().items).toEqual([]);
});
