import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MetadataShape } from '../../src/http/routes/metadata-shape.js';
import { startKubernetesServer } from '../helpers/kubernetes.js';
import { define, gadget, gadgets, gadgetsIn } from '../helpers/definitions.js';
import type { Json, TestServer } from '../helpers/http.js';
import { Random, seedOfRun } from '../helpers/seed.js';
import { removeDirectories } from '../helpers/store.js';

const JSON_TYPE = 'application/json';
/** As client-go sends them. */
const as = (kind: string): string =>
  ['application/vnd.kubernetes.protobuf', JSON_TYPE]
    .map((type) => `${type};as=${kind};g=meta.k8s.io;v=v1`)
    .concat(JSON_TYPE)
    .join(',');
const OBJECT = { accept: as('PartialObjectMetadata') };
const LIST = { accept: as('PartialObjectMetadataList') };
const TYPE = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' };

const SEED = seedOfRun();

let server: TestServer;
beforeAll(async () => {
  server = await startKubernetesServer({ leads: false });
  await define(server, gadgets());
  for (const name of ['one', 'two', 'three'])
    await server.send('POST', gadgetsIn('default'), {
      body: gadget(name, { size: 3 }, { labels: { n: name }, annotations: { text: `}"{\\"${name}` } }),
    });
});
afterAll(async () => {
  await server.close();
  removeDirectories();
});

const lines = (text: string): Json[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Json);

describe('a client that asks for metadata', () => {
  it('gets that of an object', async () => {
    const path = `${gadgetsIn('default')}/one`;
    const { metadata } = (await server.get(path)).json();
    const answer = await server.get(path, OBJECT);
    expect(answer.json()).toEqual({ ...TYPE, metadata });
    expect(answer.headers.etag).not.toBe((await server.get(path)).headers.etag);
    const again = await server.get(path, { ...OBJECT, 'if-none-match': String(answer.headers.etag) });
    expect(again.status).toBe(304);
  });

  it('gets that of a list, with its pages', async () => {
    for (const path of [gadgetsIn('default'), '/apis/shop.example.com/v1/gadgets']) {
      const whole = (await server.get(path)).json();
      const answer = (await server.get(path, LIST)).json();
      expect(answer).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' });
      expect(answer.metadata).toEqual(whole.metadata);
      expect(answer.items).toEqual(whole.items.map(({ metadata }) => ({ ...TYPE, metadata })));
    }
    const first = (await server.get(`${gadgetsIn('default')}?limit=1`, LIST)).json();
    const next = `?limit=1&continue=${encodeURIComponent(String(first.metadata.continue))}`;
    const second = (await server.get(`${gadgetsIn('default')}${next}`, LIST)).json();
    expect([first, second].flatMap(({ items }) => items.map(({ metadata }) => metadata.name))).toEqual([
      'one',
      'three',
    ]);
    const none = (await server.get(gadgetsIn('nowhere'), LIST)).json();
    expect(none).toMatchObject({ kind: 'PartialObjectMetadataList', items: [] });
  });

  it('gets that of the objects of a watch', async () => {
    const query =
      'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1';
    const { text } = await server.get(`${gadgetsIn('default')}?${query}`, OBJECT);
    const events = lines(text) as unknown as { type: string; object: Json }[];
    const whole = (await server.get(gadgetsIn('default'))).json();
    const initial = events.filter(({ type }) => type === 'ADDED');
    expect(initial).toHaveLength(whole.items.length);
    expect(initial.map(({ object }) => object)).toEqual(
      expect.arrayContaining(whole.items.map(({ metadata }) => ({ ...TYPE, metadata }))),
    );
    expect(events.find(({ type }) => type === 'BOOKMARK')?.object).toMatchObject({
      ...TYPE,
      metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } },
    });
  });

  it('gets that of what it wrote', async () => {
    const headers = { ...OBJECT, 'content-type': 'application/merge-patch+json' };
    const body = { metadata: { labels: { more: 'yes' } } };
    const answer = await server.send('PATCH', `${gadgetsIn('default')}/one`, { body, headers });
    expect(Object.keys(answer.json())).toEqual(['kind', 'apiVersion', 'metadata']);
    expect(answer.json().metadata.labels).toEqual({ n: 'one', more: 'yes' });
  });

  it('gets it of a model of the platform as well, and objects for the form of the other request', async () => {
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    expect((await server.get(definitions, LIST)).json().items[0]).not.toHaveProperty('spec');
    expect((await server.get(`${gadgetsIn('default')}/one`, LIST)).json().kind).toBe('Gadget');
    expect((await server.get(gadgetsIn('default'), OBJECT)).json().kind).toBe('GadgetList');
  });
});

describe('metadata that is cut from bytes', () => {
  const resource = { group: 'g.example.com', version: 'v1', kind: 'Thing' };

  it(`is that of the parsed object, for any texts and any order of members (seed ${SEED})`, () => {
    const random = new Random(SEED);
    const pick = (count: number): number => random.below(count);
    const text = (): string =>
      Array.from({ length: pick(12) }, () => ['"', '\\', '{', '}', 'é', '\u2028', 'a', ':'][pick(8)]).join(
        '',
      );
    const shape = new MetadataShape({ ...RESOURCE, ...resource });
    for (let i = 0; i < 2_000; i++) {
      const metadata = { name: text(), labels: { [text()]: text() }, list: [{ [text()]: text() }, pick(9)] };
      const rest = { spec: { [text()]: text() } };
      const type = { apiVersion: 'g.example.com/v1', kind: 'Thing' };
      const object = pick(4) === 0 ? { ...rest, metadata, ...type } : { ...type, metadata, ...rest };
      const bytes = shape.one(Buffer.from(JSON.stringify(object)));
      expect(JSON.parse(bytes.toString())).toEqual({ ...TYPE, metadata });
    }
  });
});

const RESOURCE = {
  plural: 'things',
  singular: 'thing',
  shortNames: [],
  categories: [],
  columns: [],
  schema: {},
  indexes: [],
  storageVersion: 'v1',
};
