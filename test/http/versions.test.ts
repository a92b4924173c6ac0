import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../helpers/http.js';
import { removeDirectories } from '../helpers/store.js';
import { registerTickets, TICKET } from '../helpers/tickets.js';
import { openStream } from '../helpers/watching.js';

const BASE = '/apis/desk.example.com';
const NOW = `${BASE}/v1/tickets`;
const OLD = `${BASE}/v1alpha1/tickets`;
const MIDDLE = `${BASE}/v1beta1/tickets`;
const DEPRECATED = '299 - "desk.example.com/v1alpha1 Ticket is deprecated; use v1"';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
  await registerTickets(server);
});

afterAll(async () => {
  expect(await server.check()).toEqual([]);
  await server.close();
  removeDirectories();
});

async function create(name: string, title: string, spec: object = {}): Promise<void> {
  await server.service.create(TICKET, { metadata: { name }, spec: { title, ...spec } });
}

function patch(target: string, body: object): ReturnType<TestServer['send']> {
  return server.send('PATCH', target, { body, headers: { 'content-type': 'application/merge-patch+json' } });
}

describe('the routes of a version', () => {
  it('answer with the object in it, as JSON, YAML and rows, with a warning where it is deprecated', async () => {
    await create('one', 'One', { priority: 4 });
    const now = await server.get(`${NOW}/one`);
    expect(now.headers.warning).toBeUndefined();
    const old = await server.get(`${OLD}/one`);
    expect(old.json()).toMatchObject({ apiVersion: 'desk.example.com/v1alpha1', spec: { subject: 'One' } });
    expect(old.headers.warning).toBe(DEPRECATED);
    expect((await server.get(`${MIDDLE}/one`)).headers.warning).toBeUndefined();
    const yaml = await server.get(`${OLD}/one`, { accept: 'application/yaml' });
    expect(yaml.text).toContain('subject: One');
    const rows = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const cellsAt = async (path: string): Promise<unknown> =>
      ((await server.get(path, rows)).json() as unknown as { rows: { cells: unknown[] }[] }).rows[0]?.cells;
    expect(await cellsAt(NOW)).toEqual(['one', 'One', 4, expect.any(String), expect.any(String)]);
    expect(await cellsAt(OLD)).toEqual(['one', 'One', true, null, expect.any(String), expect.any(String)]);
  });

  it('each representation has its own tag, and a write may name any of them', async () => {
    await create('tags', 'Tags');
    const tags = await Promise.all(
      [`${NOW}/tags`, `${OLD}/tags`, `${MIDDLE}/tags`].flatMap((path) =>
        ['application/json', 'application/yaml'].map(async (accept) => {
          const { headers } = await server.get(path, { accept });
          const again = await server.get(path, { accept, 'if-none-match': String(headers.etag) });
          expect(again.status).toBe(304);
          return String(headers.etag);
        }),
      ),
    );
    expect(new Set(tags).size).toBe(6);
    for (const tag of tags) {
      const { status } = await server.send('PATCH', `${OLD}/tags?dryRun=All`, {
        body: { spec: { urgent: true } },
        headers: { 'content-type': 'application/merge-patch+json', 'if-match': tag },
      });
      expect(status).toBe(200);
    }
    const stale = await server.send('DELETE', `${OLD}/tags`, { headers: { 'if-match': '"1-version-abc"' } });
    expect(stale.status).toBe(412);
  });

  it('a version that is not served is not found', async () => {
    expect((await server.get(`${BASE}/v2/tickets`)).status).toBe(404);
    expect((await server.get(`${BASE}/v2`)).status).toBe(404);
  });

  it('writes answer in the version they came in, and warn on each use, errors included', async () => {
    const made = await server.send('POST', OLD, {
      body: { metadata: { name: 'made' }, spec: { subject: 'Made' } },
    });
    expect([made.status, made.headers.location, made.headers.warning]).toEqual([
      201,
      `${OLD}/made`,
      DEPRECATED,
    ]);
    expect(made.json().spec).toEqual({ subject: 'Made', urgent: false });
    expect((await server.get(`${OLD}/made`)).headers.etag).toBe(made.headers.etag);
    expect((await server.get(`${NOW}/made`)).json().spec).toEqual({ title: 'Made', priority: 2 });
    const patched = await patch(`${OLD}/made`, { spec: { urgent: true } });
    expect(patched.json().spec).toEqual({ subject: 'Made', urgent: true });
    const refused = await patch(`${OLD}/made`, { spec: { subject: 7 } });
    expect([refused.status, refused.headers.warning]).toEqual([422, DEPRECATED]);
    expect((await server.get(`${OLD}/nobody`)).headers.warning).toBe(DEPRECATED);
    const status = await server.send('PUT', `${OLD}/made/status`, { body: { status: { phase: 'Open' } } });
    expect(status.json()).toMatchObject({
      apiVersion: 'desk.example.com/v1alpha1',
      status: { phase: 'Open' },
    });
    const gone = await server.send('DELETE', `${OLD}/made`);
    expect(gone.json()).toMatchObject({ apiVersion: 'desk.example.com/v1alpha1', spec: { subject: 'Made' } });
  });

  it('a batch takes items of several versions', async () => {
    const answer = await server.send('POST', '/apis/api.platform.run/v1alpha1/batches', {
      body: {
        items: [
          {
            verb: 'create',
            object: {
              apiVersion: 'desk.example.com/v1alpha1',
              kind: 'Ticket',
              metadata: { name: 'batched' },
              spec: { subject: 'Batch' },
            },
          },
          {
            verb: 'patch',
            apiVersion: 'desk.example.com/v1',
            kind: 'Ticket',
            name: 'batched',
            patch: { spec: { place: { city: 'Rome', zip: '1' } } },
          },
          {
            verb: 'patch',
            apiVersion: 'desk.example.com/v1alpha1',
            kind: 'Ticket',
            name: 'batched',
            patch: { spec: { city: 'Oslo' } },
          },
        ],
      },
    });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers.warning).toBe(DEPRECATED);
    const specs = (answer.json().items as unknown as { object: { spec: object } }[]).map(
      ({ object }) => object.spec,
    );
    expect(specs).toEqual([
      { subject: 'Batch', urgent: false },
      { title: 'Batch', priority: 2, place: { city: 'Rome', zip: '1' } },
      { subject: 'Batch', urgent: false, city: 'Oslo' },
    ]);
    expect((await server.get(`${NOW}/batched`)).json().spec).toMatchObject({
      place: { city: 'Oslo', zip: '1' },
    });
  });

  it('discovery names each version, the stored one first', async () => {
    const group = (await server.get(BASE)).json();
    expect(group).toMatchObject({
      preferredVersion: { version: 'v1' },
      versions: [{ version: 'v1' }, { version: 'v1beta1' }, { version: 'v1alpha1' }],
    });
    expect((await server.get(`${BASE}/v1alpha1`)).json()).toMatchObject({
      groupVersion: 'desk.example.com/v1alpha1',
      resources: [{ name: 'tickets' }, { name: 'tickets/status' }],
    });
    const metrics = (await server.get('/metrics')).text;
    expect(metrics.match(/xsvc_objects\{[^}]*kind="Ticket"/g)).toHaveLength(1);
  });
});

describe('objects that cannot be converted', () => {
  it('a read of one is an error that names it; lists name it, go on without it, and count it', async () => {
    await create('bad', 'down-throws');
    const answer = await server.get(`${OLD}/bad`);
    expect(answer.status).toBe(500);
    expect(answer.json().message).toContain(
      'Ticket "bad" cannot be converted to v1alpha1: down() of version v1alpha1 failed: no way',
    );
    expect((await server.get(`${NOW}/bad`)).status).toBe(200);
    const total = (await server.get(NOW)).json().items.length;
    for (const query of ['', '?size=100', '?limit=100']) {
      const list = await server.get(`${OLD}${query}`);
      expect(list.status).toBe(200);
      expect(list.json()).toMatchObject({ total });
      expect(list.json().items).toHaveLength(total - 1);
      expect(list.headers.warning).toContain('Ticket \\"bad\\" cannot be converted to v1alpha1');
    }
    const yaml = await server.get(OLD, { accept: 'application/yaml' });
    expect(yaml.headers.warning).toContain('Ticket \\"bad\\" cannot be converted');
    await server.send('DELETE', `${OLD}/bad`);
    expect((await server.get(`${NOW}/bad`)).status).toBe(404);
  });

  it('a long list names those it comes to late in a trailer', async () => {
    const text = 'x'.repeat(30);
    for (let part = 0; part < 4; part++) {
      await server.service.batch(
        Array.from({ length: 500 }, (_, i) => ({
          verb: 'create' as const,
          resource: TICKET,
          object: { metadata: { name: `long-${part}-${i}` }, spec: { title: text } },
        })),
      );
    }
    await create('zz-last', 'down-throws');
    const {
      headers,
      trailers,
      text: body,
    } = await new Promise<{
      headers: unknown;
      trailers: Record<string, unknown>;
      text: string;
    }>((resolve, reject) => {
      httpRequest(`${server.url}${OLD}`, (res) => {
        const parts: Buffer[] = [];
        res.on('data', (bytes: Buffer) => parts.push(bytes));
        res.on('end', () =>
          resolve({ headers: res.headers, trailers: res.trailers, text: Buffer.concat(parts).toString() }),
        );
      })
        .on('error', reject)
        .end();
    });
    expect(headers).toMatchObject({ trailer: 'Warning' });
    expect(trailers.warning).toContain('Ticket \\"zz-last\\" cannot be converted to v1alpha1');
    const list = JSON.parse(body) as { total: number; items: unknown[] };
    expect(list.items).toHaveLength(list.total - 1);
    await server.service.delete(TICKET, 'zz-last');
  });
});

describe('a watch in a version', () => {
  it('sends each change once in it, an object that cannot be converted as an error, and goes on', async () => {
    const { metadata } = (await server.get(`${NOW}?limit=1`)).json();
    const from = `watch=true&resourceVersion=${String(metadata.resourceVersion)}`;
    const watches = await Promise.all([
      openStream(`${server.url}${NOW}?${from}`),
      openStream(`${server.url}${OLD}?${from}`),
      openStream(`${server.url}${OLD}?${from}`, { accept: 'text/event-stream' }),
      openStream(`${server.url}${OLD}?${from}&fieldSelector=spec.subject%3Dseen`),
    ]);
    const [now, old, events, selected] = watches;
    await create('w1', 'seen');
    await create('w2', 'down-throws');
    await patch(`${OLD}/w1`, { spec: { urgent: true } });
    await patch(`${OLD}/w1`, { spec: { subject: 'other' } });
    await server.send('DELETE', `${OLD}/w1`);
    await server.send('DELETE', `${NOW}/w2`);
    await Promise.all([now.take(6), old.take(6), events.take(6), selected.take(3)]);
    // Nothing more comes.
    await sleep(200);
    for (const watch of watches) watch.destroy();
    const linesOf = (text: string): Event[] =>
      text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Event]));
    const inNow = linesOf(now.text);
    const inOld = linesOf(old.text);
    expect(inNow.map(({ type }) => type)).toEqual([
      'ADDED',
      'ADDED',
      'MODIFIED',
      'MODIFIED',
      'DELETED',
      'DELETED',
    ]);
    expect(inOld.map(({ type }) => type)).toEqual([
      'ADDED',
      'ERROR',
      'MODIFIED',
      'MODIFIED',
      'DELETED',
      'ERROR',
    ]);
    expect(old.headers.warning).toBe(DEPRECATED);
    for (const [i, { type, object }] of inOld.entries()) {
      if (type === 'ERROR')
        expect(object).toMatchObject({ kind: 'Status', code: 500, details: { name: 'w2' } });
      else {
        expect(object.apiVersion).toBe('desk.example.com/v1alpha1');
        expect(object.metadata).toEqual(inNow[i]?.object.metadata);
      }
    }
    expect(inOld[2]?.object.spec).toEqual({ subject: 'seen', urgent: true });
    const blocks = events.text.split('\n\n').filter((block) => block.includes('data: '));
    expect(blocks.map((block) => (JSON.parse(block.slice(block.indexOf('{'))) as Event).type)).toEqual(
      inOld.map(({ type }) => type),
    );
    expect(linesOf(selected.text).map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    const last = linesOf(selected.text)[2]?.object;
    expect(last).toMatchObject({
      apiVersion: 'desk.example.com/v1alpha1',
      spec: { subject: 'seen', urgent: true },
    });
    expect(last?.metadata.resourceVersion).toBe(inOld[3]?.object.metadata.resourceVersion);
  });

  it('begins with the objects there are, in it', async () => {
    await create('i1', 'down-throws');
    await create('i2', 'Two');
    const { text } = await server.get(`${OLD}?watch=true&timeoutSeconds=1&labelSelector=!a`);
    const events = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Event]));
    const of = (name: string): (string | undefined)[] =>
      events
        .filter(({ object }) => object.metadata.name === name || object.details?.name === name)
        .map(({ type }) => type);
    expect(of('i1')).toEqual(['ERROR']);
    expect(of('i2')).toEqual(['ADDED']);
    await server.send('DELETE', `${NOW}/i1`);
  });
});

interface Event {
  readonly type: string;
  readonly object: {
    readonly apiVersion: string;
    readonly metadata: { readonly name: string; readonly resourceVersion: string };
    readonly spec: object;
    readonly details?: { readonly name: string };
  };
}
