import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SILENT } from '../../src/lib/log/logger.js';
import type { OwnerReference } from '../../src/model/object.js';
import { Collector } from '../../src/owners/collector.js';
import { define, gadget, gadgets, gadgetsIn, plan, PLANS, plans } from '../helpers/definitions.js';
import type { Json } from '../helpers/http.js';
import { startKubernetesServer, waitFor, type KubernetesServer } from '../helpers/kubernetes.js';
import { removeDirectories } from '../helpers/store.js';

let server: KubernetesServer;
let stop: () => Promise<void>;
const unresolvable: string[] = [];

beforeEach(async () => {
  server = await startKubernetesServer();
  stop = () => Promise.resolve();
  unresolvable.length = 0;
  await define(server, gadgets());
  await define(server, plans());
  for (const name of ['one', 'two']) await server.post('/api/v1/namespaces', { metadata: { name } });
});

afterEach(async () => {
  await stop();
  await server.close();
});
afterAll(removeDirectories);

function collect(): void {
  const ending = new AbortController();
  const running = new Collector(server.service, SILENT, ending.signal, {
    onUnresolvable: ({ metadata }, owner) => unresolvable.push(`${metadata.name} ${owner.name}`),
  }).run();
  stop = () => {
    ending.abort();
    return running;
  };
}

const mapsIn = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;

function owners(...given: readonly Json[]): { readonly ownerReferences: readonly OwnerReference[] } {
  return {
    ownerReferences: given.map(({ apiVersion, kind, metadata }) => {
      const { name, uid } = metadata as { readonly name: string; readonly uid: string };
      return { apiVersion: String(apiVersion), kind: String(kind), name, uid, blockOwnerDeletion: true };
    }),
  };
}

async function makeGadget(namespace: string, name: string, further: object = {}): Promise<Json> {
  return (await server.post(gadgetsIn(namespace), gadget(name, {}, further))).json();
}

async function makePlan(name: string, further: object = {}): Promise<Json> {
  return (await server.post(PLANS, plan(name, further))).json();
}

async function makeMap(namespace: string, name: string, further: object = {}): Promise<Json> {
  return (await server.post(mapsIn(namespace), { metadata: { name, ...further } })).json();
}

async function namesAt(target: string): Promise<readonly string[]> {
  const { items } = (await server.get(target)).json();
  return items.map(({ metadata }) => String(metadata.name));
}

const remove = (target: string, propagationPolicy = 'Background') =>
  server.send('DELETE', target, { body: { propagationPolicy } });

async function until(target: string, names: readonly string[]): Promise<void> {
  await waitFor(
    () => namesAt(target),
    (found) => found.join() === names.join(),
  );
}

/** Until all that was written before was looked at. */
async function settle(): Promise<void> {
  await makeMap('default', 'last', owners({ ...(await makeGadget('default', 'gone')) }));
  await remove(`${gadgetsIn('default')}/gone`);
  await until(mapsIn('default'), []);
}

describe('an owner in a namespace', () => {
  it('has dependents of any kind in its namespace, and none of another object of its name elsewhere', async () => {
    for (const namespace of ['one', 'two']) {
      const owner = await makeGadget(namespace, 'main');
      await makeMap(namespace, 'settings', owners(owner));
      await makeGadget(namespace, 'part', owners(owner));
    }
    collect();
    await settle();
    expect(await namesAt(mapsIn('one'))).toEqual(['settings']);
    await remove(`${gadgetsIn('one')}/main`);
    await until(mapsIn('one'), []);
    await until(gadgetsIn('one'), []);
    await settle();
    expect(await namesAt(mapsIn('two'))).toEqual(['settings']);
    expect(await namesAt(gadgetsIn('two'))).toEqual(['main', 'part']);
  });

  it('is gone for an object of another namespace, also where an object of its name is', async () => {
    const owner = await makeGadget('one', 'main');
    const other = await makeGadget('two', 'main');
    await makeMap('two', 'foreign', owners(owner));
    await makeMap('two', 'shared', owners(owner, other));
    collect();
    await until(mapsIn('two'), ['shared']);
    await waitFor(
      () => server.get(`${mapsIn('two')}/shared`),
      ({ text }) =>
        !text.includes(String((owner.metadata as Json).uid)) &&
        text.includes(String((other.metadata as Json).uid)),
    );
  });

  it('keeps an object without a namespace for good, and says so', async () => {
    const owner = await makeGadget('one', 'main');
    const plan = await makePlan('gone');
    await makePlan('kept', owners(owner, plan));
    collect();
    await remove(`${gadgetsIn('one')}/main`);
    await remove(`${PLANS}/gone`);
    await settle();
    expect(await namesAt(PLANS)).toEqual(['kept']);
    expect(unresolvable).toContain('kept main');
  });

  it('waits in the foreground for its own dependents alone', async () => {
    const owner = await makeGadget('one', 'main');
    const held = { finalizers: ['example.com/hold'] };
    await makePlan('unresolvable', { ...owners(owner), ...held });
    await makeMap('two', 'foreign', { ...owners(owner), ...held });
    await makeMap('one', 'held', { ...owners(owner), ...held });
    await makeMap('one', 'free', owners(owner));
    collect();
    await remove(`${gadgetsIn('one')}/main`, 'Foreground');
    await until(mapsIn('one'), ['held']);
    await settle();
    expect(await namesAt(gadgetsIn('one'))).toEqual(['main']);
    await server.send('PATCH', `${mapsIn('one')}/held`, {
      body: { metadata: { finalizers: null } },
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    await until(gadgetsIn('one'), []);
    expect(await namesAt(PLANS)).toEqual(['unresolvable']);
  });

  it('leaves its dependents without it when it is deleted as an orphan', async () => {
    const owner = await makeGadget('one', 'main');
    await makeMap('one', 'kept', owners(owner));
    collect();
    await remove(`${gadgetsIn('one')}/main`, 'Orphan');
    await until(gadgetsIn('one'), []);
    const kept = (await server.get(`${mapsIn('one')}/kept`)).json();
    expect(kept.metadata).not.toHaveProperty('ownerReferences');
  });

  it('that was made again under its name is another one, also while the earlier one waits', async () => {
    const owner = await makeGadget('one', 'main');
    await makeMap('one', 'old', { ...owners(owner), finalizers: ['example.com/hold'] });
    collect();
    await remove(`${gadgetsIn('one')}/main`);
    const again = await makeGadget('one', 'main');
    await makeMap('one', 'new', owners(again));
    await waitFor(
      () => server.get(`${mapsIn('one')}/old`),
      ({ text }) => text.includes('deletionTimestamp'),
    );
    await settle();
    expect(await namesAt(mapsIn('one'))).toEqual(['new', 'old']);
  });
});

describe('an owner without a namespace', () => {
  it('has dependents in all namespaces, and in none', async () => {
    const plan = await makePlan('whole');
    for (const namespace of ['one', 'two']) await makeMap(namespace, 'part', owners(plan));
    await makePlan('detail', owners(plan));
    collect();
    await settle();
    expect(await namesAt(mapsIn('one'))).toEqual(['part']);
    await remove(`${PLANS}/whole`, 'Foreground');
    for (const target of [mapsIn('one'), mapsIn('two'), PLANS]) await until(target, []);
  });
});
