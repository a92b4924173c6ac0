import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createExpressApp } from '../../src/http/express-app.js';
import { listen, type RunningServer } from '../../src/http/server.js';
import { WatchStreams } from '../../src/http/routes/watch.js';
import { SILENT } from '../../src/lib/log/logger.js';
import { Service, type ServiceOptions } from '../../src/service/service.js';
import { PERSON, registerModels } from '../helpers/models.js';
import { openTestService, removeDirectories, type TestService } from '../helpers/store.js';
import { openStream, streamText, type OpenStream } from '../helpers/watching.js';
import { person } from '../suites/verbs-helpers.js';

const PERSONS = '/apis/demo.example.com/v1/persons';
const IDLE_MS = 50;

let t: TestService;
let service: Service;
let server: RunningServer;
let watches: WatchStreams;
const streams: OpenStream[] = [];

async function start(watch: ServiceOptions['watch'] = {}, stallMs = 60_000): Promise<void> {
  service = new Service({ store: t.store, models: t.service.models, watch });
  watches = new WatchStreams();
  const app = createExpressApp({
    service,
    models: service.models,
    logger: SILENT,
    bodyBytesMax: 8 * 1024 * 1024,
    loopbackOnly: true,
    version: '0.1.0',
    watches,
    stallMs,
    watchIdleMs: IDLE_MS,
  });
  server = await listen(app, { host: '127.0.0.1', port: 0 });
}

beforeEach(async () => {
  t = await openTestService();
  await registerModels(t);
});

afterEach(async () => {
  for (const stream of streams.splice(0)) stream.destroy();
  // A watch that still reads what there is has not subscribed yet.
  await expect.poll(() => [service.hub.subscribers, watches.size]).toEqual([0, 0]);
  await server.close(0);
  await service.hub.close();
  await t.close();
  removeDirectories();
});

async function watch(
  query = '',
  headers: Readonly<Record<string, string>> = {},
  path = '',
): Promise<OpenStream> {
  const stream = await openStream(`${server.url}${PERSONS}${path}?watch=true${query}`, headers);
  streams.push(stream);
  return stream;
}

async function create(name: string, age = 1): Promise<string> {
  return (await service.create(PERSON, person(name, { age }))).object.metadata.resourceVersion;
}

const patch = (name: string, age: number): Promise<unknown> =>
  service.patch(PERSON, name, { spec: { age } }, 'merge');

describe('a watch over HTTP', () => {
  it('is a JSON text on each line, with the objects as they are stored', async () => {
    await start();
    await create('ann');
    const stream = await watch();
    expect(stream.status).toBe(200);
    expect(stream.headers).toMatchObject({
      'content-type': 'application/json',
      'transfer-encoding': 'chunked',
    });
    await stream.take(1);
    await patch('ann', 2);
    await service.delete(PERSON, 'ann');
    const events = await stream.take(3);
    expect(events.map(streamText)).toEqual(['ADDED ann 1', 'MODIFIED ann 2', 'DELETED ann 3']);
    expect(stream.text.replace(/^\n+/gm, '').split('\n').filter(Boolean)).toHaveLength(3);
    expect(stream.text).toContain(JSON.stringify(events[1]?.object));
  });

  it('answers at once, also when there is nothing to tell', async () => {
    await start();
    const stream = await watch();
    expect(stream.status).toBe(200);
    expect(stream.text).toBe('');
  });

  it('tells the objects there in the order of their revisions, so that it can be resumed after any of them', async () => {
    await start();
    for (const name of ['cy', 'ann', 'bob']) await create(name);
    await patch('cy', 2);
    const stream = await watch();
    const events = await stream.take(3);
    expect(events.map(streamText)).toEqual(['ADDED ann 2', 'ADDED bob 3', 'ADDED cy 4']);
    const { resourceVersion } = events[0]?.object.metadata ?? {};
    const rest = await watch(`&resourceVersion=${resourceVersion}`);
    expect((await rest.take(2)).map(streamText)).toEqual(['ADDED bob 3', 'MODIFIED cy 4']);
  });

  it('of one object is asked for at its own path', async () => {
    await start();
    await create('bob');
    const stream = await watch('&resourceVersion=1', {}, '/ann');
    await create('ann');
    await patch('bob', 2);
    await patch('ann', 2);
    expect((await stream.take(2)).map(streamText)).toEqual(['ADDED ann 2', 'MODIFIED ann 4']);
  });

  it('sends an empty line while nothing happens', async () => {
    await start();
    const stream = await watch();
    await expect.poll(() => stream.text).toMatch(/^\n\n/);
  });

  it('ends cleanly after timeoutSeconds', async () => {
    await start();
    await create('ann');
    const began = performance.now();
    const stream = await watch('&timeoutSeconds=1');
    await stream.take(1);
    expect(await stream.ended).toBe(true);
    expect(performance.now() - began).toBeGreaterThan(900);
    expect(stream.events()).toHaveLength(1);
  });

  it('tells bookmarks only when they are asked for', async () => {
    await start({ bookmarkMs: 10 });
    await create('ann');
    const [plain, marked] = [
      await watch('&resourceVersion=1'),
      await watch('&resourceVersion=1&allowWatchBookmarks=1&fieldSelector=metadata.name%3Dnobody'),
    ];
    await patch('ann', 2);
    await plain.take(1);
    expect(await marked.take(1)).toEqual([
      {
        type: 'BOOKMARK',
        object: { apiVersion: 'demo.example.com/v1', kind: 'Person', metadata: { resourceVersion: '2' } },
      },
    ]);
    await sleep(50);
    expect([plain.events().length, marked.events().length]).toEqual([1, 1]);
  });

  it('tells where the objects there are end, for sendInitialEvents', async () => {
    await start();
    await create('ann');
    const query = '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const events = await (await watch(query)).take(2);
    expect(events.map(streamText)).toEqual(['ADDED ann 1', 'BOOKMARK - 1']);
    expect(events[1]?.object.metadata).toMatchObject({
      annotations: { 'k8s.io/initial-events-end': 'true' },
    });
  });

  it('refuses a revision that was trimmed, and one that the store never had: 410 Expired', async () => {
    await start();
    await create('ann');
    await patch('ann', 2);
    await patch('ann', 3);
    await t.store.history.trim({ count: 1, ageMs: -60_000 });
    for (const revision of [1, 4]) {
      const stream = await watch(`&resourceVersion=${revision}`);
      expect(stream.status).toBe(410);
      await stream.ended;
      expect(JSON.parse(stream.text)).toMatchObject({ kind: 'Status', reason: 'Expired', code: 410 });
    }
    expect((await (await watch('&resourceVersion=2')).take(1)).map(streamText)).toEqual(['MODIFIED ann 3']);
  });

  it.each([
    ['&timeoutSeconds=-1', /timeoutSeconds/],
    ['&timeoutSeconds=soon', /timeoutSeconds/],
    ['&resourceVersion=x', /resourceVersion/],
    ['&resourceVersionMatch=Exact', /resourceVersionMatch/],
    ['&sendInitialEvents=maybe', /sendInitialEvents/],
    ['&page=2', /page/],
    ['&size=10', /size/],
    ['&sort=spec.age', /sort/],
    ['&explain=true', /explain/],
    ['&continue=abc', /continue/],
    ['&fieldSelector=spec.nothing%3D1', /spec\.nothing/],
    ['&labelSelector=a%20in', /labelSelector/],
  ])('refuses %s with 400 and says why', async (query, message) => {
    await start();
    const stream = await watch(query);
    await stream.ended;
    expect(stream.status).toBe(400);
    expect((JSON.parse(stream.text) as { message: string }).message).toMatch(message);
  });

  it('is not refused for a limit, which some clients send with every request', async () => {
    await start();
    await create('ann');
    expect(await (await watch('&limit=500&timeout=30s')).take(1)).toHaveLength(1);
  });

  it('of a status or by HEAD is refused', async () => {
    await start();
    await create('ann');
    expect((await watch('', {}, '/ann/status')).status).toBe(400);
    const head = await fetch(`${server.url}${PERSONS}?watch=true`, { method: 'HEAD' });
    expect(head.status).toBe(400);
  });

  it('ends with an ERROR event when the model is taken away', async () => {
    await start();
    const stream = await watch();
    await expect.poll(() => service.hub.subscribers).toBe(1);
    const { models } = service;
    const resource = models.find(PERSON.group, PERSON.version, PERSON.plural);
    if (resource === undefined) throw new Error('persons are not served');
    models.close(resource);
    const [event] = await stream.take(1);
    expect(event).toMatchObject({ type: 'ERROR', object: { kind: 'Status', reason: 'NotFound', code: 404 } });
    expect(await stream.ended).toBe(true);
  });

  it('leaves nothing behind when the client vanishes', async () => {
    await start();
    const gone = await Promise.all(Array.from({ length: 20 }, () => watch()));
    await expect.poll(() => service.hub.subscribers).toBe(20);
    for (const stream of gone) stream.destroy();
    await expect.poll(() => [service.hub.subscribers, watches.size]).toEqual([0, 0]);
  });

  it('cuts off a client that is too slow, with an ERROR event once it reads on, and without a gap', async () => {
    await start({ backlog: { changes: 20, bytes: 1_000_000 } });
    const tags = [`t${'x'.repeat(200_000)}`];
    await service.create(PERSON, person('ann'));
    const stream = await watch('&resourceVersion=1');
    await expect.poll(() => service.hub.subscribers).toBe(1);
    stream.pause();
    for (let age = 1; age <= 100 && service.hub.subscribers > 0; age++) {
      const patched = { spec: { age, code: 'ABC', owner: tags[0] } };
      await service.patch(PERSON, 'ann', patched, 'merge');
    }
    expect(service.hub.subscribers).toBe(0);
    stream.resume();
    expect(await stream.ended).toBe(true);
    const events = stream.events();
    expect(events.at(-1)).toMatchObject({
      type: 'ERROR',
      object: { kind: 'Status', reason: 'Expired', code: 410 },
    });
    const revisions = events.slice(0, -1).map(({ object }) => Number(object.metadata.resourceVersion));
    expect(revisions).toEqual(revisions.map((_, i) => i + 2));
  });

  it('is closed when its client takes nothing for too long', async () => {
    await start({}, 100);
    await service.create(PERSON, person('ann'));
    const stream = await watch('&resourceVersion=1');
    await expect.poll(() => service.hub.subscribers).toBe(1);
    stream.pause();
    for (let i = 0; i < 60; i++) {
      const owner = `${i}-${'x'.repeat(200_000)}`;
      await service.patch(PERSON, 'ann', { spec: { owner } }, 'merge');
    }
    await expect.poll(() => watches.size).toBe(0);
    stream.resume();
    expect(await stream.ended).toBe(false);
  });

  it('ends cleanly, at once, when the service stops, and no other begins', async () => {
    await start();
    const open = await Promise.all([watch(), watch('', { accept: 'text/event-stream' })]);
    const began = performance.now();
    watches.close();
    await server.close(10_000);
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(await Promise.all(open.map(({ ended }) => ended))).toEqual([true, true]);
  });
});

describe('server-sent events', () => {
  const SSE = { accept: 'text/event-stream' };

  it.each([
    ['text/event-stream', 'text/event-stream'],
    ['Text/Event-Stream; charset=utf-8', 'text/event-stream'],
    ['*/*, text/event-stream', 'text/event-stream'],
    ['application/json;q=0.5, text/event-stream;q=0.9', 'text/event-stream'],
    ['application/json;q=0, */*', 'text/event-stream'],
    ['application/json, text/event-stream;q=0.9', 'application/json'],
    ['text/event-stream;q=0, */*', 'application/json'],
    ['application/json;stream=watch', 'application/json;stream=watch'],
    ['application/json;stream=watch, text/event-stream;q=0.1', 'application/json;stream=watch'],
    ['application/json;as=Table;v=v1;g=meta.k8s.io, text/event-stream;q=0.1', 'application/json'],
    ['application/yaml', 'application/json'],
    ['*/*', 'application/json'],
  ])('are for who likes them best: Accept %s gets %s', async (accept, type) => {
    await start();
    expect((await watch('', { accept })).headers['content-type']).toBe(type);
  });

  it('carry the same JSON, with revisions as their ids', async () => {
    await start();
    await create('bob');
    await create('ann');
    const stream = await watch('', SSE);
    expect(stream.headers['content-type']).toBe('text/event-stream');
    await stream.take(2);
    await patch('bob', 2);
    const events = await stream.take(3);
    expect(events.map(streamText)).toEqual(['ADDED bob 1', 'ADDED ann 2', 'MODIFIED bob 3']);
    const ids = stream.text.split('\n').filter((line) => line.startsWith('id:'));
    expect(ids).toEqual(['id: 1', 'id: 2', 'id: 2', 'id: 3']);
  });

  it('of one commit each have an id, and a watch resumed after any of them gets the next', async () => {
    await start();
    const commit = (...names: string[]): Promise<unknown> =>
      service.batch(names.map((name) => ({ verb: 'create', resource: PERSON, object: person(name, {}) })));
    const idsOf = ({ text }: OpenStream): string[] =>
      text.split('\n').flatMap((line) => /^(?:id: .*|data: .*"name":"(\w+)".*)$/.exec(line)?.[1] ?? line);
    await commit('ann', 'bob');
    const stream = await watch('', SSE);
    await stream.take(2);
    await commit('cid', 'dan', 'eve');
    await stream.take(5);
    expect(idsOf(stream).filter((line) => line !== '' && line !== ':')).toEqual([
      ...['id: 1', 'ann', 'id: 2', 'bob', 'id: 2'],
      ...['id: 3', 'cid', 'id: 4', 'dan', 'id: 5', 'eve'],
    ]);
    for (const [after, next] of [
      [1, 'ADDED bob'],
      [3, 'ADDED dan'],
      [4, 'ADDED eve'],
    ] as const) {
      const resumed = await watch('', { ...SSE, 'last-event-id': String(after) });
      expect((await resumed.take(1)).map(streamText)[0]).toContain(next);
    }
  });

  it('go on after Last-Event-ID, whatever the URL says', async () => {
    await start();
    await create('ann');
    await patch('ann', 2);
    await patch('ann', 3);
    const stream = await watch('&resourceVersion=1', { ...SSE, 'last-event-id': '2' });
    expect((await stream.take(1)).map(streamText)).toEqual(['MODIFIED ann 3']);
  });

  it('have a comment instead of an empty line', async () => {
    await start();
    const stream = await watch('', SSE);
    await expect.poll(() => stream.text).toMatch(/^(id: 0\n\n)?:\n\n/);
  });
});
