import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PERSONS, PERSON_REF, person, startTestServer, type TestServer } from '../helpers/http.js';
import { removeDirectories } from '../helpers/store.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ bodyBytesMax: 8 * 1024 * 1024 });
});
afterEach(async () => {
  expect(await server.check()).toEqual([]);
  expect(server.logs.filter(({ level }) => level === 'error')).toEqual([]);
  await server.clear();
});
afterAll(async () => {
  await server.close();
  removeDirectories();
});

const BATCHES = '/apis/api.platform.run/v1alpha1/batches';
const TYPE = { apiVersion: 'demo.example.com/v1alpha1', kind: 'Person' };
const batch = (items: unknown, query = '') => server.send('POST', BATCHES + query, { body: { items } });
const object = (name: string, spec: object = {}) => ({ ...TYPE, ...person(name, spec) });
const names = () => server.service.listNames(PERSON_REF);

describe('a batch', () => {
  it('commits items of all verbs at one moment, with revisions that follow one another', async () => {
    for (const name of ['ann', 'bob', 'cyd', 'dee']) await server.service.create(PERSON_REF, person(name));
    const answer = await batch([
      { verb: 'create', object: object('new') },
      { verb: 'update', object: object('ann', { age: 1 }) },
      { verb: 'patch', ...TYPE, name: 'bob', patch: { spec: { age: 2 } } },
      {
        verb: 'patch',
        ...TYPE,
        name: 'cyd',
        patch: [{ op: 'add', path: '/spec/age', value: 3 }],
        contentType: 'application/json-patch+json',
      },
      { verb: 'delete', ...TYPE, name: 'dee' },
    ]);
    expect(answer.status).toBe(200);
    const { kind, metadata, items } = answer.json();
    expect(kind).toBe('BatchResult');
    expect(items.map(({ code }) => code)).toEqual([201, 200, 200, 200, 200]);
    const revisions = items.map((item) => (item.object as typeof item).metadata.resourceVersion);
    const last = Number(metadata.resourceVersion);
    expect(revisions.map(Number)).toEqual([4, 3, 2, 1, 0].map((before) => last - before));
    expect(await names()).toEqual(['ann', 'bob', 'cyd', 'new']);
    expect((await server.get(`${PERSONS}?sort=spec.age`)).json().items.map(({ spec }) => spec.age)).toEqual([
      undefined,
      1,
      2,
      3,
    ]);
  });

  it('sees in an item what the items before it did', async () => {
    const answer = await batch([
      { verb: 'create', object: object('ann', { email: 'a@example.com' }) },
      { verb: 'delete', ...TYPE, name: 'ann' },
      { verb: 'create', object: object('bob', { email: 'a@example.com' }) },
      { verb: 'update', object: object('bob', { age: 1 }) },
    ]);
    expect(answer.status).toBe(200);
    expect(await names()).toEqual(['bob']);
  });

  it.each([
    ['invalid', 422, { verb: 'create', object: object('bad', { age: -1 }) }, 'items[1].spec.age'],
    ['taken', 409, { verb: 'create', object: object('ann') }, 'items[1].metadata.name'],
    ['missing', 404, { verb: 'delete', ...TYPE, name: 'nobody' }, 'items[1].'],
    [
      'without an index value of its own',
      409,
      { verb: 'create', object: object('b', { email: 'a@b.cd' }) },
      'items[1].spec.email',
    ],
    [
      'late',
      409,
      { verb: 'update', object: { ...object('ann'), metadata: { name: 'ann', version: 7 } } },
      'items[1].',
    ],
    [
      'not patchable',
      422,
      {
        verb: 'patch',
        ...TYPE,
        name: 'ann',
        patch: [{ op: 'remove', path: '/x' }],
        contentType: 'application/json-patch+json',
      },
      'items[1].',
    ],
    ['of an unknown verb', 400, { verb: 'destroy', object: object('b') }, 'items[1].'],
    ['of an unknown model', 400, { verb: 'create', object: { ...object('b'), kind: 'Cat' } }, 'items[1].'],
    ['not an object', 400, null, 'items[1].'],
    ['without a name', 400, { verb: 'delete', ...TYPE }, 'items[1].'],
    [
      'of the type __proto__',
      400,
      { verb: 'create', object: { apiVersion: '__proto__', kind: 'constructor' } },
      'items[1].',
    ],
  ])('stores nothing when an item is %s', async (_what, code, item, field) => {
    const before = person('ann', { email: 'a@b.cd' });
    await server.service.create(PERSON_REF, before);
    const answer = await batch([
      { verb: 'create', object: object('first') },
      item,
      { verb: 'create', object: object('last') },
    ]);
    expect(answer.json()).toMatchObject({ kind: 'Status', code });
    expect(answer.status).toBe(code);
    expect(answer.json().details.causes.length).toBeGreaterThan(0);
    for (const cause of answer.json().details.causes) expect(cause.field.startsWith(field)).toBe(true);
    expect(await names()).toEqual(['ann']);
    expect((await server.get(`${PERSONS}/ann`)).json().metadata.version).toBe(0);
  });

  it('stores nothing with dryRun=All, and answers as ever', async () => {
    const answer = await batch([{ verb: 'create', object: object('ann') }], '?dryRun=All');
    expect([answer.status, answer.json().kind]).toEqual([200, 'BatchResult']);
    expect(await names()).toEqual([]);
    expect(
      (await batch([{ verb: 'create', object: object('ann', { age: -1 }) }], '?dryRun=All')).status,
    ).toBe(422);
  });

  it('validates strictly when asked to', async () => {
    const items = [{ verb: 'create', object: object('ann', { agee: 1 }) }];
    expect((await batch(items, '?fieldValidation=Strict')).status).toBe(422);
    expect((await batch(items)).status).toBe(200);
  });

  it('takes 10,000 items and not one more', async () => {
    const items = Array.from({ length: 10_001 }, (_, i) => ({ verb: 'create', object: object(`p${i}`) }));
    const answer = await batch(items);
    expect(answer.json()).toMatchObject({ code: 400, message: expect.stringContaining('10000') as unknown });
    expect(await server.service.count(PERSON_REF)).toBe(0);
    expect((await batch(items.slice(1))).status).toBe(200);
    expect(await server.service.count(PERSON_REF)).toBe(10_000);
  });

  it.each([[null], [[]], [{}], ['"x"'], [{ items: {} }], [{ items: [] }]])(
    'refuses %j with 400',
    async (body) => {
      expect((await server.send('POST', BATCHES, { body })).json()).toMatchObject({ code: 400 });
    },
  );
});
