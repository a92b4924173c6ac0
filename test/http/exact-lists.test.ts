import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKubernetesServer } from '../helpers/kubernetes.js';
import { define, gadget, gadgets, gadgetsIn } from '../helpers/definitions.js';
import type { HttpAnswer, Json, TestServer } from '../helpers/http.js';
import { removeDirectories } from '../helpers/store.js';

const HERE = gadgetsIn('default');
const ALL = '/apis/shop.example.com/v1/gadgets';

let server: TestServer;
beforeAll(async () => {
  server = await startKubernetesServer({ leads: false });
  await define(server, gadgets());
  for (const name of ['a', 'b', 'c']) await server.send('POST', HERE, { body: gadget(name) });
});
afterAll(async () => {
  await server.close();
  removeDirectories();
});

const exactly = (path: string, revision: unknown): Promise<HttpAnswer> =>
  server.get(`${path}?resourceVersion=${String(revision)}&resourceVersionMatch=Exact`);
const events = (text: string): { type: string; object: Json }[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { type: string; object: Json });

describe('a list at an exact revision', () => {
  it('is the present one while the model is unchanged, and expired afterwards', async () => {
    const present = (await server.get(HERE)).json();
    const revision = present.metadata.resourceVersion;
    await define(
      server,
      gadgets((spec) => {
        spec.names = { plural: 'others', kind: 'Other' };
      }),
    );
    for (const path of [HERE, ALL]) {
      const answer = await exactly(path, revision);
      expect([answer.status, answer.json().metadata.resourceVersion]).toEqual([200, revision]);
      expect(answer.json().items).toEqual(present.items);
    }
    await server.send('POST', HERE, { body: gadget('d') });
    const late = await exactly(HERE, revision);
    expect([late.status, late.json().reason]).toEqual([410, 'Expired']);
    const after = (await server.get(HERE)).json().metadata.resourceVersion;
    expect((await exactly(HERE, after)).json().items).toHaveLength(4);
    await server.send('DELETE', `${HERE}/d`);
    expect((await exactly(HERE, after)).status).toBe(410);
  });

  it.each(['', '0', 'x', '99999999'])('refuses the revision "%s"', async (revision) => {
    expect((await exactly(HERE, revision)).status).toBe(400);
  });
});

describe('what informers ask for', () => {
  it.each([HERE, ALL])('lists of any age with a limit: %s', async (path) => {
    for (const query of ['resourceVersion=0', 'resourceVersion=0&resourceVersionMatch=NotOlderThan']) {
      const first = (await server.get(`${path}?limit=2&${query}`)).json();
      expect(first.items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
      const token = encodeURIComponent(String(first.metadata.continue));
      const next = (await server.get(`${path}?limit=2&continue=${token}`)).json();
      expect(next.items.map(({ metadata }) => metadata.name)).toEqual(['c']);
    }
    expect((await server.get(`${path}?resourceVersion=99999999`)).status).toBe(200);
  });

  it.each([HERE, ALL])('initial events that end with a bookmark: %s', async (path) => {
    const query =
      'watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1';
    const found = events((await server.get(`${path}?${query}`)).text);
    expect(found.map(({ type }) => type)).toEqual(['ADDED', 'ADDED', 'ADDED', 'BOOKMARK']);
    const { object } = found[3] ?? { object: undefined };
    expect(object).toEqual({
      kind: 'Gadget',
      apiVersion: 'shop.example.com/v1',
      metadata: {
        resourceVersion: (await server.get(path)).json().metadata.resourceVersion,
        annotations: { 'k8s.io/initial-events-end': 'true' },
      },
    });
    const resumed = events(
      (
        await server.get(
          `${path}?watch=true&resourceVersion=${String(object?.metadata.resourceVersion)}&timeoutSeconds=1`,
        )
      ).text,
    );
    expect(resumed).toEqual([]);
  });

  it.each([HERE, ALL])('a watch from a revision that was never there is over: %s', async (path) => {
    const answer = await server.get(`${path}?watch=true&resourceVersion=99999999&timeoutSeconds=1`);
    expect(answer.status).toBe(410);
  });
});
