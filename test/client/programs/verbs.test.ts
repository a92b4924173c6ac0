import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, it } from 'vitest';
import { ApiError, createClient, type ListParameters, type ModelClient } from 'xsvc/client';
import { WATCH_PARAMETERS } from '../../../src/client/programs/types.js';
import { SELECTORS, type ListParameterName } from '../../../src/query/list-parameters.js';
import { freePort } from '../../helpers/daemon.js';
import { startTestServer, type TestServer } from '../../helpers/http.js';
import { openWidgets, widget } from '../../helpers/namespaced.js';

/** As `xsvc types` writes it, without descriptions. */
interface Person {
  apiVersion: 'demo.example.com/v1alpha1';
  kind: 'Person';
  metadata: { name: string; version?: number; resourceVersion?: string };
  spec: { name: string; age?: number; tags?: string[] };
  status?: { phase?: string };
}

const PERSON = { apiVersion: 'demo.example.com/v1alpha1', kind: 'Person' } as const;

let server: TestServer;
let persons: ModelClient<Person>;

beforeAll(async () => {
  server = await startTestServer();
  persons = createClient({ server: server.url }).model<Person>('persons.demo.example.com');
});
beforeEach(() => server.clear());
afterAll(() => server.close());

const person = (name: string, age = 30) => ({ metadata: { name }, spec: { name: `Of ${name}`, age } });

/** The failure of a call. */
async function failureOf(call: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ApiError) return error;
  throw new Error(`not an ApiError: ${String(error)}`);
}

/** A server that gives one answer to everything. */
async function answering(
  status: number,
  text: string,
  type = 'text/html',
): Promise<{ url: string; close(): void }> {
  const other = createServer((_req, res) => res.writeHead(status, { 'Content-Type': type }).end(text));
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const { port } = other.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => void other.close() };
}

describe('a client for programs', () => {
  it('creates, reads, replaces, patches and deletes an object', async () => {
    const created = await persons.create(person('ann'));
    expect(created).toMatchObject({ ...PERSON, metadata: { name: 'ann', version: 0 }, spec: { age: 30 } });
    const changed = await persons.update({ ...created, spec: { ...created.spec, name: 'Ann', age: 31 } });
    expect(changed.metadata.version).toBe(1);
    const patched = await persons.patch('ann', { spec: { age: 32 } });
    expect(patched.spec).toMatchObject({ name: 'Ann', age: 32 });
    const byPath = await persons.patch('ann', [{ op: 'replace', path: '/spec/age', value: 33 }]);
    expect(byPath.spec.age).toBe(33);
    const withStatus = await persons.patch('ann', { status: { phase: 'Ready' } }, { subresource: 'status' });
    expect(withStatus.status).toEqual({ phase: 'Ready' });
    expect(await persons.get('ann')).toEqual(withStatus);
    expect((await persons.delete('ann')).metadata.name).toBe('ann');
    expect(await failureOf(persons.get('ann'))).toMatchObject({
      status: 404,
      code: 404,
      reason: 'NotFound',
      details: { name: 'ann' },
    });
  });

  it('applies an object: it creates it, or writes its members alone', async () => {
    await persons.apply(person('ann', 1));
    await persons.patch('ann', { spec: { tags: ['kept'] } });
    const applied = await persons.apply({ metadata: { name: 'ann' }, spec: { name: 'Ann', age: 2 } });
    expect(applied.spec).toEqual({ name: 'Ann', age: 2, tags: ['kept'] });
    const again = await persons.apply({ metadata: { name: 'ann' }, spec: { name: 'Ann', age: 2 } });
    expect(again.metadata.resourceVersion).toBe(applied.metadata.resourceVersion);
    const all = await Promise.all([1, 2, 3, 4, 5].map((age) => persons.apply(person('new', age))));
    expect(all).toHaveLength(5);
  });

  it('makes objects with generated names, and stores nothing in a dry run', async () => {
    const { metadata } = await persons.create({
      metadata: { generateName: 'guest-' },
      spec: { name: 'Guest' },
    });
    expect(metadata.name).toMatch(/^guest-\w{5,}$/);
    await persons.create(person('ann'), { dryRun: true });
    expect((await persons.list()).total).toBe(1);
    expect(await failureOf(persons.apply({ metadata: {}, spec: { name: 'x' } }))).toMatchObject({
      status: 0,
      reason: 'BadRequest',
    });
  });

  it('lists with all that its parameters request', async () => {
    for (const [name, age] of [
      ['ann', 30],
      ['bob', 20],
      ['cid', 40],
    ] as const)
      await persons.create(person(name, age));
    const page = await persons.list({
      filter: ['spec.age > 10', 'spec.age < 50'],
      sort: 'spec.age,desc',
      limit: 2,
      facets: 'spec.age',
      aggregates: ['count', 'sum(spec.age)'],
    });
    expect(page.items.map(({ metadata }) => metadata.name)).toEqual(['cid', 'ann']);
    expect(page).toMatchObject({
      total: 3,
      metadata: { continue: expect.any(String) as string, resourceVersion: expect.any(String) as string },
    });
    expect(page.facets?.['spec.age']).toHaveLength(3);
    expect(page.groups?.[0]).toEqual({ key: {}, count: 3, 'sum(spec.age)': 90 });
    const rest = await persons.list({
      ...{ filter: ['spec.age > 10', 'spec.age < 50'], sort: 'spec.age,desc', limit: 2 },
      continue: page.metadata.continue ?? '',
    });
    expect(rest.items.map(({ metadata }) => metadata.name)).toEqual(['bob']);
  });

  it('lists 10,000 objects in parts while others are created and deleted', async () => {
    const client = createClient({ server: server.url });
    const names = Array.from({ length: 10_000 }, (_, i) => `p${String(i).padStart(5, '0')}`);
    for (let from = 0; from < names.length; from += 2_000) {
      const some = names.slice(from, from + 2_000);
      await client.batch(some.map((name) => ({ verb: 'create', object: { ...PERSON, ...person(name) } })));
    }
    const seen: string[] = [];
    for await (const { metadata } of persons.listAll({ sort: 'metadata.name' })) {
      if (seen.push(metadata.name) % 1_000 !== 0) continue;
      await persons.create(person(`a-${seen.length}`));
      await persons.create(person(`z-${seen.length}`));
      await persons.delete(`a-${seen.length}`);
    }
    const kept = seen.filter((name) => name.startsWith('p'));
    expect(kept).toEqual(names);
    expect(new Set(seen).size).toBe(seen.length);
    const first = persons.listAll({ limit: 10 });
    await first.next();
    await first.return(undefined);
  });

  it('writes a batch in one commit or none', async () => {
    const client = createClient({ server: server.url });
    const { items } = await client.batch([
      { verb: 'create', object: { ...PERSON, ...person('ann') } },
      {
        verb: 'patch',
        ...PERSON,
        name: 'ann',
        patch: { spec: { age: 7 } },
        contentType: 'application/merge-patch+json',
      },
    ]);
    expect(items.map(({ code }) => code)).toEqual([201, 200]);
    const failure = await failureOf(
      client.batch([
        { verb: 'create', object: { ...PERSON, ...person('bob') } },
        { verb: 'delete', ...PERSON, name: 'none' },
      ]),
    );
    expect(failure).toMatchObject({
      status: 404,
      details: { causes: [{ field: 'items[1].metadata.name' }] },
    });
    expect((await persons.list()).items.map(({ metadata }) => metadata.name)).toEqual(['ann']);
  });

  it('names every error of an invalid object, and a lost update', async () => {
    const invalid = await failureOf(
      persons.create({ metadata: { name: 'ann' }, spec: { name: '', age: 900 } }),
    );
    expect(invalid).toMatchObject({ status: 422, reason: 'Invalid', details: { kind: 'Person' } });
    expect(invalid.details.causes?.map(({ field }) => field)).toEqual(
      expect.arrayContaining(['spec.name', 'spec.age']),
    );
    const { metadata } = await persons.create(person('ann'));
    await persons.patch('ann', { spec: { age: 31 } });
    const old = { name: 'ann', version: metadata.version ?? 0 };
    expect(await failureOf(persons.update({ metadata: old, spec: { name: 'Ann' } }))).toMatchObject({
      reason: 'Conflict',
    });
    const ifMatch = metadata.resourceVersion ?? '';
    expect(await failureOf(persons.delete('ann', { ifMatch }))).toMatchObject({ status: 412 });
    expect(await failureOf(persons.create(person('ann')))).toMatchObject({
      status: 409,
      reason: 'AlreadyExists',
    });
    expect(await failureOf(persons.list({ sort: 'spec.nothing' }))).toMatchObject({
      status: 400,
      reason: 'BadRequest',
    });
  });

  it('gives the warnings of answers', async () => {
    const warnings: string[] = [];
    const client = createClient({ server: server.url, onWarning: (text) => warnings.push(text) });
    const draft = { metadata: { name: 'ann' }, spec: { name: 'Ann', hair: 'grün' } };
    await client.model('persons.demo.example.com').create(draft);
    expect(warnings).toEqual([expect.stringContaining('hair')]);
    expect(
      await failureOf(persons.create({ ...draft, spec: { ...draft.spec } }, { fieldValidation: 'Strict' })),
    ).toMatchObject({ status: 422 });
  });
});

describe('a model', () => {
  it.each([
    'persons.demo.example.com',
    'persons.v1alpha1.demo.example.com',
    'person.demo.example.com',
    'pe.demo.example.com',
    'Person.demo.example.com',
  ])('is found as %s', async (name) => {
    const found = createClient({ server: `${server.url}/` }).model(name);
    expect(await found.list()).toMatchObject({ kind: 'PersonList' });
  });

  it.each([
    'nobody.demo.example.com',
    'persons.v9.demo.example.com',
    'persons.example.org',
    'persons',
    '',
    '../x',
    'persons/ann',
  ])('named "%s" is not there', async (name) => {
    const model = createClient({ server: server.url }).model(name);
    for (const call of [model.list(), model.get('a'), model.create({ metadata: { name: 'a' } })])
      expect(await failureOf(call)).toMatchObject({
        status: 404,
        reason: 'NotFound',
        message: expect.stringContaining('<plural>.<group>') as string,
      });
    const watch = model.watch()[Symbol.asyncIterator]();
    expect(await failureOf(watch.next())).toMatchObject({ status: 404 });
    const live = model.live();
    expect(await failureOf(live.ready)).toMatchObject({ status: 404 });
    expect(live.error).toMatchObject({ status: 404 });
  });

  it.each(['', '.', '..'])('has no object named "%s", whose address would be another one', async (name) => {
    expect(await failureOf(persons.get(name))).toMatchObject({ status: 0, reason: 'BadRequest' });
    expect(await failureOf(persons.delete(name))).toMatchObject({ status: 0, reason: 'BadRequest' });
  });

  it('is looked up again after a failure', async () => {
    const port = await freePort();
    const early = createClient({ server: `http://127.0.0.1:${port}` }).model('persons.demo.example.com');
    const failure = await failureOf(early.list());
    expect(failure).toMatchObject({
      status: 0,
      reason: 'ServiceUnavailable',
      message: expect.stringContaining(`cannot reach http://127.0.0.1:${port}`) as string,
    });
    const late = createServer((req, res) => {
      void server.send(req.method ?? 'GET', req.url ?? '/').then(({ status, text }) => {
        res.writeHead(status, { 'Content-Type': 'application/json' }).end(text);
      });
    });
    await once(late.listen(port, '127.0.0.1'), 'listening');
    expect(await early.list()).toMatchObject({ total: 0 });
    late.closeAllConnections();
    late.close();
  });
});

describe('a namespaced model', () => {
  it('has the namespace of the call, of the client, or of the object', async () => {
    await openWidgets(server);
    const client = createClient({ server: server.url });
    const everywhere = client.model('widgets.v1.shop.example.com');
    const red = client.model('widgets.shop.example.com', { namespace: 'red' });
    await everywhere.create(widget('red', 'one', 1));
    await everywhere.create(widget('blue', 'one', 2));
    await red.create({ metadata: { name: 'two' }, spec: { size: 3 } });
    expect((await everywhere.list()).total).toBe(3);
    expect((await red.list({ sort: 'spec.size,desc' })).items.map(({ spec }) => spec)).toEqual([
      { size: 3 },
      { size: 1 },
    ]);
    expect((await everywhere.list({ namespace: 'blue' })).total).toBe(1);
    expect(await red.get('one', { namespace: 'blue' })).toMatchObject({ spec: { size: 2 } });
    await everywhere.apply(widget('blue', 'one', 4));
    await red.patch('one', { spec: { size: 5 } });
    await everywhere.update({ ...widget('blue', 'one', 6) });
    const sizes: unknown[] = [];
    for await (const { spec } of everywhere.listAll({ limit: 1 })) sizes.push(spec);
    expect(sizes).toEqual([{ size: 6 }, { size: 5 }, { size: 3 }]);
    const live = red.live();
    await live.ready;
    await everywhere.delete('one', { namespace: 'blue' });
    await red.delete('two');
    await expect.poll(() => live.total).toBe(1);
    live.close();
    expect(await failureOf(everywhere.get('one'))).toMatchObject({ status: expect.any(Number) as number });
  });
});

describe('the parameters of lists', () => {
  it('are those of the table, and a live list watches those that select', () => {
    expectTypeOf<Exclude<keyof ListParameters, 'namespace' | 'signal'>>().toEqualTypeOf<ListParameterName>();
    const selecting: readonly string[] = SELECTORS.map(({ name }) => name);
    expect([...WATCH_PARAMETERS].sort()).toEqual([...selecting].sort());
  });
});

describe('an answer of something else', () => {
  it.each([
    [200, '<h1>Welcome</h1>', 'ServiceUnavailable', 'not JSON'],
    [502, '<h1>Bad gateway</h1>', 'ServiceUnavailable', 'answered 502'],
    [503, '{"error": "busy"}', 'ServiceUnavailable', 'answered 503'],
    [500, '', 'InternalError', 'answered 500'],
    [200, '[]', 'ServiceUnavailable', 'not a list'],
    [200, '{"kind": "Other"}', 'ServiceUnavailable', 'not a list'],
  ])('of %d with %s is an error', async (status, text, reason, message) => {
    const other = await answering(status, text);
    const model = createClient({ server: other.url }).model('persons.demo.example.com');
    for (const call of [model.list(), model.watch()[Symbol.asyncIterator]().next()])
      expect(await failureOf(call)).toMatchObject({
        status,
        reason,
        message: expect.stringContaining(message) as string,
      });
    other.close();
  });

  it('is refused before anything is sent when the server has no URL', () => {
    for (const url of ['', 'localhost:8090', 'ftp://localhost', '/api'])
      expect(() => createClient({ server: url }), url).toThrow(ApiError);
  });
});

describe('an aborted call', () => {
  it('fails with the reason of its signal', async () => {
    const reason = new Error('the user left');
    await expect(persons.list({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const silent = createServer(() => undefined);
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as AddressInfo;
    const slow = createClient({ server: `http://127.0.0.1:${port}` }).model(
      'persons.v1alpha1.demo.example.com',
    );
    const stop = new AbortController();
    const call = slow.get('ann', { signal: stop.signal });
    setTimeout(() => stop.abort(reason), 20);
    await expect(call).rejects.toBe(reason);
    await expect(slow.list({ signal: AbortSignal.timeout(20) })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    silent.closeAllConnections();
    silent.close();
  });
});
