import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deleteCollection } from '../../src/http/routes/delete-collection.js';
import { neededRights } from '../../src/http/platform/rights.js';
import { startKubernetesServer } from '../helpers/kubernetes.js';
import { define, DEFINITIONS, gadget, gadgets, gadgetsIn } from '../helpers/definitions.js';
import { PERSONS, type HttpAnswer, type Json, type TestServer } from '../helpers/http.js';
import { removeDirectories } from '../helpers/store.js';

const HERE = gadgetsIn('here');
const NAMESPACES = '/api/v1/namespaces';
const CONFIG_MAPS = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  scope: 'Namespaced',
} as const;
const FINALIZED = { finalizers: ['example.com/hold'] };

let server: TestServer;
beforeAll(async () => {
  server = await startKubernetesServer({ leads: false });
  await define(server, gadgets());
  for (const name of ['here', 'there', 'many'])
    await server.send('POST', NAMESPACES, {
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    });
});
beforeEach(async () => {
  for (const path of [HERE, gadgetsIn('there')]) await server.send('DELETE', `${path}?forceFinalizers=true`);
  for (const [namespace, name, size] of [
    ['here', 'a', 1],
    ['here', 'b', 2],
    ['here', 'c', 1],
    ['there', 'a', 1],
  ] as const)
    await server.send('POST', gadgetsIn(namespace), {
      body: gadget(name, { size }, { labels: { size: String(size) } }),
    });
});
afterAll(async () => {
  expect(await server.check()).toEqual([]);
  await server.close();
  removeDirectories();
});

const remove = (target: string, body?: object): Promise<HttpAnswer> =>
  server.send('DELETE', target, body === undefined ? {} : { body });
const namesIn = ({ items }: Json): unknown[] => items.map(({ metadata }) => metadata.name);
const left = async (target: string): Promise<unknown[]> => namesIn((await server.get(target)).json());

describe('the deletion of a collection', () => {
  it('deletes the objects of one namespace, and answers with the list as it was', async () => {
    const before = (await server.get(HERE)).json();
    const answer = await remove(HERE);
    expect([answer.status, answer.json().kind]).toEqual([200, 'GadgetList']);
    expect(answer.json().items).toEqual(before.items);
    expect(await left(HERE)).toEqual([]);
    expect(await left(gadgetsIn('there'))).toEqual(['a']);
    expect((await remove(HERE)).json().items).toEqual([]);
  });

  it('deletes what matches selectors', async () => {
    expect(namesIn((await remove(`${HERE}?labelSelector=size%3D1`)).json())).toEqual(['a', 'c']);
    expect(await left(HERE)).toEqual(['b']);
    expect((await remove(`${HERE}?fieldSelector=metadata.name%3Db`)).status).toBe(200);
    expect(await left(HERE)).toEqual([]);
  });

  it('deletes as many as the limit says, and continues', async () => {
    const answer = await remove(`${HERE}?limit=2`);
    expect(namesIn(answer.json())).toEqual(['a', 'b']);
    const token = encodeURIComponent(String(answer.json().metadata.continue));
    expect(namesIn((await remove(`${HERE}?limit=2&continue=${token}`)).json())).toEqual(['c']);
  });

  it('deletes more than one page', async () => {
    const names = Array.from({ length: 1_203 }, (_, i) => `x${i}`);
    for (let i = 0; i < names.length; i += 100)
      await Promise.all(
        names.slice(i, i + 100).map((name) => server.send('POST', gadgetsIn('many'), { body: gadget(name) })),
      );
    expect((await remove(gadgetsIn('many'))).json().items).toHaveLength(1_203);
    expect(await left(gadgetsIn('many'))).toEqual([]);
  });

  it('deletes few large objects at a time', async () => {
    const many = '/api/v1/namespaces/many/configmaps';
    const data = { text: 'x'.repeat(1000 * 1024) };
    for (let i = 0; i < 9; i++)
      await server.send('POST', many, {
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `c${i}` }, data },
      });
    let [running, most] = [0, 0];
    const remove = async (name: string): Promise<void> => {
      most = Math.max(most, (running += 1));
      await server.service.delete(CONFIG_MAPS, name);
      running -= 1;
    };
    const collection = {
      service: server.service,
      resource: CONFIG_MAPS,
      options: { namespace: 'many' },
      remove,
    };
    await deleteCollection(collection, {});
    expect([most, await left(many)]).toEqual([4, []]);
  });

  it('deletes nothing in a dry run, of the query or of the body', async () => {
    expect((await remove(`${HERE}?dryRun=All`)).json().items).toHaveLength(3);
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] };
    expect((await remove(HERE, body)).json().items).toHaveLength(3);
    expect(await left(HERE)).toEqual(['a', 'b', 'c']);
  });

  it('keeps objects with finalizers, marked', async () => {
    await server.send('POST', HERE, { body: gadget('held', {}, FINALIZED) });
    expect((await remove(HERE)).status).toBe(200);
    expect(await left(HERE)).toEqual(['held']);
    expect((await server.get(`${HERE}/held`)).json().metadata).toHaveProperty('deletionTimestamp');
    expect((await remove(HERE)).status).toBe(200);
  });

  it('has the policy and the preconditions of its options', async () => {
    expect((await remove(HERE, { preconditions: { uid: 'other' } })).status).toBe(409);
    expect(await left(HERE)).toEqual(['a', 'b', 'c']);
    await remove(`${HERE}?propagationPolicy=Foreground&fieldSelector=metadata.name%3Da`);
    expect((await server.get(`${HERE}/a`)).json().metadata.finalizers).toEqual(['foregroundDeletion']);
  });

  it('refuses unknown parameters and selectors, and deletes nothing', async () => {
    for (const query of [
      'labelSelecto=size%3D1',
      'page=1&size=1',
      'fieldSelector=spec.other%3D1',
      'dryRun=all',
    ]) {
      expect([query, (await remove(`${HERE}?${query}`)).status]).toEqual([query, 400]);
    }
    expect(await left(HERE)).toEqual(['a', 'b', 'c']);
  });

  it('is there for kinds without namespaces, and in discovery', async () => {
    const widgets = gadgets((spec) => {
      spec.names = { plural: 'parts', kind: 'Part' };
      spec.scope = 'Cluster';
    });
    await define(server, widgets);
    const parts = '/apis/shop.example.com/v1/parts';
    await server.send('POST', parts, { body: { ...gadget('one'), kind: 'Part' } });
    expect(namesIn((await remove(parts)).json())).toEqual(['one']);
    const { resources } = (await server.get('/apis/shop.example.com/v1')).json();
    expect(resources).toContainEqual(
      expect.objectContaining({
        name: 'parts',
        verbs: expect.arrayContaining(['deletecollection']) as unknown,
      }),
    );
    expect((await remove(`${DEFINITIONS}?fieldSelector=metadata.name%3Dparts.shop.example.com`)).status).toBe(
      200,
    );
  });

  it('needs a right of its own, where it is there', () => {
    const { models } = server.service;
    const rights = neededRights((...path) => models.find(...path));
    const verbOf = (target: string): string | undefined => rights.findAction('DELETE', target)?.verb;
    expect(verbOf(`${HERE}?labelSelector=a`)).toBe('deletecollection');
    expect(verbOf(`${HERE}/a`)).toBe('delete');
    expect(verbOf(PERSONS)).toBe('delete');
  });

  it('is not there for all namespaces, for namespaces themselves, and for models of plugins', async () => {
    expect((await remove(NAMESPACES)).status).toBe(405);
    expect((await remove('/apis/shop.example.com/v1/gadgets')).status).toBe(405);
    const persons = await remove(PERSONS);
    expect([persons.status, persons.json().message]).toEqual([405, expect.stringContaining('by name')]);
    expect(await left(HERE)).toEqual(['a', 'b', 'c']);
  });
});
