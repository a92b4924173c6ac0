import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PERSONS, PERSON_REF, person, startTestServer, type TestServer } from '../helpers/http.js';
import { parseYaml } from '../../src/lib/json/yaml.js';
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

  it('shows each item the writes of the items before it', async () => {
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

  it('takes a propagation policy for what it deletes, and no other word for one', async () => {
    await server.service.create(PERSON_REF, person('ann'));
    const deletion = (propagationPolicy: unknown) => ({
      verb: 'delete',
      ...TYPE,
      name: 'ann',
      propagationPolicy,
    });
    const refused = await batch([deletion('Orphans')]);
    expect(refused.json()).toMatchObject({
      code: 400,
      message: 'items[0]: propagationPolicy must be one of Background, Foreground, Orphan',
    });
    const { items } = (await batch([deletion('Orphan')])).json();
    expect(items).toMatchObject([{ code: 200, object: { metadata: { finalizers: ['orphan'] } } }]);
  });

  it('validates strictly when asked to', async () => {
    const items = [{ verb: 'create', object: object('ann', { agee: 1 }) }];
    expect((await batch(items, '?fieldValidation=Strict')).status).toBe(422);
    expect((await batch(items)).status).toBe(200);
  });

  it('takes 10,000 items and not one more', async () => {
    const items = Array.from({ length: 10_001 }, (_, i) => ({ verb: 'create', object: object(`p${i}`) }));
    const answer = await batch(items);
    expect(answer.json()).toMatchObject({ code: 413, message: expect.stringContaining('10000') as unknown });
    expect(await server.service.count(PERSON_REF)).toBe(0);
    expect((await batch(items.slice(1))).status).toBe(200);
    expect(await server.service.count(PERSON_REF)).toBe(10_000);
  });

  describe('of large objects', () => {
    const MIB = 1024 * 1024;
    const patch = (name: string, i: number) => ({
      verb: 'patch',
      ...TYPE,
      name,
      patch: { metadata: { annotations: { 'example.com/turn': String(i).padStart(5, '0') } } },
    });
    const patches = (count: number) => Array.from({ length: count }, (_, i) => patch('big', i));
    /** Its JSON has a mebibyte, or a little less. */
    const storeBig = (name: string) =>
      server.service.create(PERSON_REF, object(name, { note: 'x'.repeat(MIB - 1_000) }), {
        fieldValidation: 'Ignore',
      });

    it('stores 64 MiB together, counted once an item, and nothing of more', async () => {
      await storeBig('big');
      const before = (await server.get(`${PERSONS}/big`)).text;
      const refused = await batch([...patches(65)]);
      expect(refused.status).toBe(413);
      expect(refused.json()).toMatchObject({
        reason: 'RequestEntityTooLarge',
        message: expect.stringContaining('64MiB') as unknown,
      });
      expect((await server.get(`${PERSONS}/big`)).text).toBe(before);
      const done = await batch(patches(64), '?return=none&fieldValidation=Ignore');
      expect(done.json().items).toEqual(Array.from({ length: 64 }, () => ({ code: 200 })));
      expect((await server.get(`${PERSONS}/big`)).json().metadata).toMatchObject({
        version: 64,
        annotations: { 'example.com/turn': '00063' },
      });
    });

    it('counts deletions, and objects that it does not change', async () => {
      await storeBig('big');
      const kept = Array.from({ length: 65 }, () => patch('big', 0));
      expect((await batch(kept)).status).toBe(413);
      for (let i = 0; i < 65; i++) await storeBig(`big-${i}`);
      const deletes = Array.from({ length: 65 }, (_, i) => ({ verb: 'delete', ...TYPE, name: `big-${i}` }));
      expect((await batch(deletes)).status).toBe(413);
      expect(await names()).toHaveLength(66);
      expect((await batch(deletes.slice(1))).status).toBe(200);
      expect(await names()).toEqual(['big', 'big-0']);
    });

    it('may be larger than other bodies, in JSON', async () => {
      const items = Array.from({ length: 9 }, (_, i) => ({
        verb: 'create',
        object: object(`big-${i}`, { note: 'x'.repeat(MIB - 1_000) }),
      }));
      const headers = { 'content-type': 'application/yaml' };
      expect((await server.send('POST', BATCHES, { body: { items }, headers })).status).toBe(413);
      expect((await batch(items)).status).toBe(200);
      expect(await names()).toHaveLength(9);
    });

    it('is answered in parts, with all objects', async () => {
      await storeBig('big');
      const answer = await batch(patches(20));
      expect(answer.status).toBe(200);
      expect(answer.headers).toMatchObject({ 'transfer-encoding': 'chunked' });
      const versions = answer.json().items.map((item) => (item.object as typeof item).metadata.version);
      expect(versions).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    });

    it('lets others be answered while it is planned', async () => {
      await storeBig('big');
      const slow = batch(patches(60), '?return=none&dryRun=All');
      const progress = { answered: 0, isDone: false };
      void slow.then(() => (progress.isDone = true));
      while (!progress.isDone) {
        await server.get('/livez');
        progress.answered += 1;
      }
      expect((await slow).status).toBe(200);
      expect(progress.answered).toBeGreaterThan(10);
    });
  });

  it('leaves the objects out of the answer with return=none, and takes no other value', async () => {
    const answer = await batch(
      [
        { verb: 'create', object: object('ann') },
        { verb: 'create', object: object('bob', { agee: 1 }) },
      ],
      '?return=none',
    );
    expect(answer.json()).toEqual({
      kind: 'BatchResult',
      metadata: { resourceVersion: expect.any(String) as unknown },
      items: [{ code: 201 }, { code: 201, warnings: [expect.stringContaining('spec.agee') as unknown] }],
    });
    expect(await names()).toEqual(['ann', 'bob']);
    for (const value of ['', 'all', 'None']) {
      expect((await batch([{ verb: 'delete', ...TYPE, name: 'ann' }], `?return=${value}`)).status).toBe(400);
    }
    expect(await names()).toEqual(['ann', 'bob']);
  });

  it('is answered in YAML', async () => {
    const { text } = await server.send('POST', BATCHES, {
      headers: { accept: 'application/yaml' },
      body: { items: [{ verb: 'create', object: object('ann') }] },
    });
    expect(parseYaml(text, { maxAliases: 0 })).toMatchObject({
      kind: 'BatchResult',
      items: [{ code: 201, object: { kind: 'Person', metadata: { name: 'ann' } } }],
    });
  });

  it('is answered as done, also when a text of it is too long for the style of YAML', async () => {
    const note = 'x'.repeat(6 * 1024 * 1024);
    const headers = { accept: 'application/yaml' };
    const items = [{ verb: 'create', object: object('ann', { note }) }];
    const answer = await server.send('POST', BATCHES, { headers, body: { items } });
    expect(answer.status).toBe(200);
    const result = parseYaml(answer.text, { maxAliases: 0 }) as {
      items: [{ object: { spec: { note: string } } }];
    };
    expect(result.items[0].object.spec.note === note).toBe(true);
    const one = await server.send('PUT', `${PERSONS}/ann`, {
      headers,
      body: object('ann', { note, age: 1 }),
    });
    expect(one.status).toBe(200);
    expect(parseYaml(one.text, { maxAliases: 0 })).toMatchObject({ spec: { age: 1 } });
  });

  it('is planned again when objects change meanwhile, so that no change is lost', async () => {
    for (const name of ['ann', 'bob']) await server.service.create(PERSON_REF, person(name));
    const note = (name: string, i: number) => ({
      verb: 'patch',
      ...TYPE,
      name,
      patch: { metadata: { annotations: { [`example.com/a${i}`]: name } } },
    });
    const batches = Array.from({ length: 30 }, (_, i) =>
      batch([note('ann', i), note('bob', i), note('ann', i + 50)]),
    );
    for (const answer of await Promise.all(batches)) expect(answer.status).toBe(200);
    const { metadata } = (await server.get(`${PERSONS}/ann`)).json();
    expect(metadata.version).toBe(60);
    expect(Object.keys(metadata.annotations as object)).toHaveLength(60);
  });

  it.each([[null], [[]], [{}], ['"x"'], [{ items: {} }], [{ items: [] }]])(
    'refuses %j with 400',
    async (body) => {
      expect((await server.send('POST', BATCHES, { body })).json()).toMatchObject({ code: 400 });
    },
  );
});
