import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createClient, type LiveList, type ModelClient, type ModelEvent, type ModelWatch } from 'xsvc/client';
import { readLines } from '../../../src/client/programs/lines.js';
import { startTestServer, type TestServer } from '../../helpers/http.js';
import { useProxies } from '../../helpers/tcp-proxy.js';

let server: TestServer;
let persons: ModelClient;
const open: { close(): void }[] = [];
const proxyTo = useProxies();

beforeAll(async () => {
  server = await startTestServer();
  persons = modelAt(server.url);
});
beforeEach(() => server.clear());
afterEach(() => open.splice(0).forEach((one) => one.close()));
afterAll(() => server.close());

const modelAt = (url: string): ModelClient => createClient({ server: url }).model('persons.demo.example.com');
const person = (name: string, age = 30) => ({ metadata: { name }, spec: { name: `Öl ${name}`, age } });

/** Collects the events of a watch as `<type> <name>`. */
function collect(watch: ModelWatch<object>): { readonly events: string[]; readonly ended: Promise<unknown> } {
  open.push(watch);
  const events: string[] = [];
  const run = async (): Promise<void> => {
    for await (const event of watch) events.push(textOf(event));
  };
  return { events, ended: run().catch((error: unknown) => error) };
}

function textOf(event: ModelEvent<object>): string {
  if (!('object' in event)) return event.type;
  const { metadata } = event.object as { readonly metadata: { readonly name?: string } };
  return [event.type, metadata.name ?? ''].join(' ').trim();
}

function keep<T>(live: LiveList<T>): LiveList<T> {
  open.push(live);
  return live;
}

const namesOf = (live: LiveList<{ metadata: { name: string } }>): string[] =>
  live.items.map(({ metadata }) => metadata.name);

/** A service that answers lookups, and everything else as a test wants it. */
async function pretend(answer: (res: ServerResponse, url: URL, count: number) => void): Promise<ModelClient> {
  let count = 0;
  const other = createServer((req, res) => {
    const url = new URL(req.url ?? '/', 'http://localhost');
    res.setHeader('Content-Type', 'application/json');
    if (url.pathname === '/apis/demo.example.com/v1alpha1')
      res.end(
        '{"resources": [{"name": "persons", "singularName": "person", "kind": "Person", "namespaced": false}]}',
      );
    else answer(res, url, ++count);
  });
  await once(other.listen(0, '127.0.0.1'), 'listening');
  open.push({
    close: () => {
      other.closeAllConnections();
      other.close();
    },
  });
  const { port } = other.address() as AddressInfo;
  return createClient({ server: `http://127.0.0.1:${port}` }).model('persons.v1alpha1.demo.example.com');
}

const line = (type: string, name: string, resourceVersion: string): string =>
  `${JSON.stringify({ type, object: { metadata: { name, resourceVersion } } })}\n`;
const gone = '{"kind": "Status", "code": 410, "reason": "Expired", "message": "too old"}';

describe('a watch', () => {
  it('begins with the existing objects, and goes on with changes of those that match', async () => {
    await persons.create(person('ann'));
    const { events } = collect(persons.watch({ filter: 'spec.age >= 18', bookmarks: true }));
    await expect.poll(() => events).toEqual(['ADDED ann', 'BOOKMARK']);
    await persons.patch('ann', { spec: { age: 31 } });
    await persons.create(person('kid', 9));
    await persons.patch('ann', { spec: { age: 3 } });
    await expect.poll(() => events.slice(2)).toEqual(['MODIFIED ann', 'DELETED ann']);
  });

  it('begins after a revision, or with one object', async () => {
    const { metadata } = await persons.create(person('ann'));
    const after = collect(persons.watch({ resourceVersion: metadata.resourceVersion ?? '' }));
    const one = collect(persons.watch({ name: 'bob' }));
    await persons.create(person('bob'));
    await persons.delete('ann');
    await expect.poll(() => after.events).toEqual(['ADDED bob', 'DELETED ann']);
    await expect.poll(() => one.events).toEqual(['ADDED bob']);
  });

  it('loses and repeats nothing when the connection is cut again and again', async () => {
    const proxy = await proxyTo(server.port);
    const { events } = collect(modelAt(`http://127.0.0.1:${proxy.port}`).watch());
    for (let i = 0; i < 30; i++) {
      await persons.create(person(`p${i}`));
      if (i === 0) await expect.poll(() => events).toEqual(['ADDED p0']);
      if (i % 10 === 5) proxy.cut();
    }
    await expect.poll(() => events).toEqual(Array.from({ length: 30 }, (_, i) => `ADDED p${i}`));
  });

  it('ends with close, with its signal and with the loop, also while nothing happens', async () => {
    const closed = persons.watch();
    const first = collect(closed);
    const stop = new AbortController();
    const second = collect(persons.watch({ signal: stop.signal }));
    const third = collect(persons.watch({ signal: AbortSignal.abort() }));
    await persons.create(person('ann'));
    await expect.poll(() => [first.events.length, second.events.length]).toEqual([1, 1]);
    closed.close();
    stop.abort();
    expect(await Promise.all([first.ended, second.ended, third.ended])).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    for await (const event of persons.watch()) {
      expect(textOf(event)).toBe('ADDED ann');
      break;
    }
  });

  it('reports a relist when the log does not go back so far', async () => {
    const seen: (string | null)[] = [];
    const model = await pretend((res, url, count) => {
      seen.push(url.searchParams.get('resourceVersion'));
      if (count === 1) res.end(`${line('ADDED', 'ann', '5')}{"type": "ERROR", "object": ${gone}}\n`);
      else if (count === 2) res.writeHead(410).end(gone);
      else if (count === 3) res.write(line('ADDED', 'bob', '9'));
    });
    const { events } = collect(model.watch({ resourceVersion: '4' }));
    await expect.poll(() => events).toEqual(['ADDED ann', 'RELIST', 'ADDED bob']);
    expect(seen).toEqual(['4', null, null]);
  });

  it('starts again when it is interrupted among the existing objects, which have no order', async () => {
    const model = await pretend((res, _url, count) => {
      if (count === 1) res.end(line('ADDED', 'ann', '9'));
      else res.write(line('ADDED', 'ann', '9') + line('ADDED', 'bob', '3'));
    });
    const { events } = collect(model.watch());
    await expect.poll(() => events).toEqual(['ADDED ann', 'RELIST', 'ADDED ann', 'ADDED bob']);
  });

  it('survives cuts in a line and in a character, bad gateways, and pages of proxies', async () => {
    const positions: (string | null)[] = [];
    const whole = Buffer.from(line('ADDED', 'jörg', '7'));
    const model = await pretend((res, url, count) => {
      positions.push(url.searchParams.get('resourceVersion'));
      if (count === 1) {
        res.write(`${line('ADDED', 'ann', '6')}{"type": "ADDED", "obj`);
        setTimeout(() => res.destroy(), 20);
      } else if (count === 2) res.writeHead(502).end('<h1>Bad gateway</h1>');
      else if (count === 3) res.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Welcome</h1>\n');
      else if (count === 4) res.writeHead(429, { 'Retry-After': '0' }).end('{}');
      else {
        const middle = whole.indexOf(Buffer.from('ö')) + 1;
        res.write(whole.subarray(0, middle));
        setTimeout(() => res.write(whole.subarray(middle)), 20);
      }
    });
    const { events } = collect(model.watch({ resourceVersion: '5' }));
    await expect.poll(() => events).toEqual(['ADDED ann', 'ADDED jörg']);
    expect(positions).toEqual(['5', '6', '6', '6', '6']);
  });

  it('ends with the error when the service refuses', async () => {
    const model = await pretend((res, _url, count) => {
      if (count === 1) res.end(line('ADDED', 'ann', '6'));
      else
        res
          .writeHead(401)
          .end('{"kind": "Status", "code": 401, "reason": "Unauthorized", "message": "expired"}');
    });
    const { events, ended } = collect(model.watch({ resourceVersion: '5' }));
    expect(await ended).toMatchObject({ status: 401, reason: 'Unauthorized', message: 'expired' });
    expect(events).toEqual(['ADDED ann']);
    const refused = collect(persons.watch({ filter: 'spec.none ==' }));
    expect(await refused.ended).toMatchObject({ status: 400 });
  });

  it('waits for a model whose plugin is loaded again', async () => {
    const model = await pretend((res, _url, count) => {
      if (count === 2 || count === 3)
        res.writeHead(404).end('{"kind": "Status", "code": 404, "reason": "NotFound"}');
      else res.write(line('ADDED', `n${count}`, String(count)), () => count === 1 && res.end());
    });
    const { events } = collect(model.watch({ resourceVersion: '1' }));
    await expect.poll(() => events).toEqual(['ADDED n1', 'ADDED n4']);
  });

  it('goes on after an object that cannot be converted', async () => {
    const status = {
      kind: 'Status',
      code: 500,
      reason: 'InternalError',
      details: { name: 'old', causes: [{ field: 'apiVersion', message: 'up failed' }] },
    };
    const model = await pretend((res) => {
      res.write(`${JSON.stringify({ type: 'ERROR', object: status })}\n${line('ADDED', 'ann', '6')}`);
    });
    const onError = vi.fn();
    const { events } = collect(model.watch({ resourceVersion: '5', onError }));
    await expect.poll(() => events).toEqual(['ADDED ann']);
    expect(onError).toHaveBeenCalledWith(
      expect.objectContaining({ details: expect.objectContaining({ name: 'old' }) as object }),
    );
  });
});

describe('the lines of a stream', () => {
  it('end after a silence, and cancel the stream', async () => {
    const cancel = vi.fn();
    const body = new ReadableStream<Uint8Array>({
      start: (one) => one.enqueue(Buffer.from('a\n\nb')),
      cancel,
    });
    const lines: string[] = [];
    for await (const one of readLines(body, { silenceMs: 30 })) lines.push(one);
    expect(lines).toEqual(['a', '']);
    expect(cancel).toHaveBeenCalled();
  });
});

describe('a live list', () => {
  it('has the order, the page and the totals of the service after each change', async () => {
    for (const [name, age] of [
      ['ann', 30],
      ['bob', 20],
      ['cid', 40],
    ] as const)
      await persons.create(person(name, age));
    const live = keep(persons.live({ sort: 'spec.age,desc', limit: 2, facets: 'spec.age' }));
    expect([live.items, live.total, live.error]).toEqual([[], 0, undefined]);
    await live.ready;
    expect([namesOf(live), live.total]).toEqual([['cid', 'ann'], 3]);
    const before = live.items;
    const listener = vi.fn();
    const leave = live.subscribe(listener);
    await persons.create(person('dan', 50));
    await expect.poll(() => namesOf(live)).toEqual(['dan', 'cid']);
    expect(live.total).toBe(4);
    expect(live.page?.facets?.['spec.age']).toHaveLength(4);
    expect(before).toHaveLength(2);
    expect(listener).toHaveBeenCalled();
    leave();
    listener.mockClear();
    await persons.delete('dan');
    await expect.poll(() => live.total).toBe(3);
    expect(listener).not.toHaveBeenCalled();
  });

  it('reads the list once for many changes, one request at a time', async () => {
    const counted = { now: 0, most: 0, lists: 0 };
    let watcher: ServerResponse | undefined;
    const model = await pretend((res, url) => {
      if (url.searchParams.has('watch')) {
        watcher = res;
        res.write('\n');
        return;
      }
      counted.lists += 1;
      counted.most = Math.max(counted.most, ++counted.now);
      setTimeout(() => {
        counted.now -= 1;
        res.end(
          JSON.stringify({
            metadata: { resourceVersion: String(counted.lists) },
            items: [],
            total: counted.lists,
          }),
        );
      }, 30);
    });
    const live = keep(model.live());
    await live.ready;
    await expect.poll(() => watcher).toBeDefined();
    const changes = 200;
    for (let i = 0; i < changes; i++) {
      watcher?.write(line('MODIFIED', 'ann', String(1_000 + i)));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await expect.poll(() => live.total).toBeGreaterThan(1);
    expect(counted.most).toBe(1);
    expect(counted.lists).toBeLessThan(20);
  });

  it('ignores what the list has already, and lists again after a relist', async () => {
    let lists = 0;
    const model = await pretend((res, url, count) => {
      if (!url.searchParams.has('watch'))
        res.end(JSON.stringify({ metadata: { resourceVersion: '50' }, items: [], total: ++lists }));
      else if (count === 2) res.end(line('MODIFIED', 'ann', '50') + line('BOOKMARK', '', '60'));
      else if (count === 3) res.writeHead(410).end(gone);
      else res.write('\n');
    });
    const live = keep(model.live());
    await live.ready;
    await expect.poll(() => live.total).toBe(2);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(lists).toBe(2);
  });

  it('counts every change where a watch cannot have the conditions of the list', async () => {
    const selections: (string | null)[] = [];
    let lists = 0;
    const model = await pretend((res, url) => {
      const filter = url.searchParams.get('filter');
      if (!url.searchParams.has('watch')) {
        res.end(JSON.stringify({ metadata: { resourceVersion: '5' }, items: [], total: ++lists }));
        return;
      }
      selections.push(filter);
      if (filter !== null) res.writeHead(400).end('{"kind": "Status", "code": 400, "reason": "BadRequest"}');
      else res.write(line('MODIFIED', 'ann', '6'));
    });
    const live = keep(model.live({ filter: 'ref(spec.service).spec.tier == "gold"' }));
    await expect.poll(() => live.total).toBe(2);
    expect(selections).toEqual(['ref(spec.service).spec.tier == "gold"', null]);
    expect(live.error).toBeUndefined();
  });

  it('is read again on request, and with each change of another list', async () => {
    let lists = 0;
    const model = await pretend((res, url) => {
      if (url.searchParams.has('watch')) res.write('\n');
      else res.end(JSON.stringify({ metadata: { resourceVersion: '5' }, items: [], total: ++lists }));
    });
    const live = keep(model.live());
    await live.ready;
    live.refresh();
    await expect.poll(() => live.total).toBe(2);
    const other = keep(persons.live({ limit: 1 }));
    await other.ready;
    other.subscribe(live.refresh);
    await persons.create(person('ann'));
    await expect.poll(() => live.total).toBe(3);
    live.close();
    live.refresh();
    expect(live.total).toBe(3);
  });

  it('says why it may be outdated, and recovers', async () => {
    const proxy = await proxyTo(server.port);
    const live = keep(modelAt(`http://127.0.0.1:${proxy.port}`).live());
    await live.ready;
    proxy.target = 1;
    proxy.cut();
    await persons.create(person('ann'));
    await expect.poll(() => live.error).toMatchObject({ status: 0, reason: 'ServiceUnavailable' });
    expect(live.items).toEqual([]);
    proxy.target = server.port;
    await expect.poll(() => live.total).toBe(1);
    await expect.poll(() => live.error).toBeUndefined();
  });

  it('rejects ready when the service is away, and is current as soon as it is there', async () => {
    const proxy = await proxyTo(1);
    const live = keep(modelAt(`http://127.0.0.1:${proxy.port}`).live());
    await expect(live.ready).rejects.toMatchObject({ status: 0 });
    proxy.target = server.port;
    await persons.create(person('ann'));
    await expect.poll(() => live.total).toBe(1);
    expect(live.error).toBeUndefined();
  });

  it('does not depend on its listeners', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const live = keep(persons.live());
    live.subscribe(() => {
      throw new Error('a broken listener');
    });
    const other = vi.fn(() => leave());
    const leave = live.subscribe(other);
    await live.ready;
    await persons.create(person('ann'));
    await expect.poll(() => live.total).toBe(1);
    expect(other).toHaveBeenCalledTimes(1);
    expect(said).toHaveBeenCalledWith(expect.objectContaining({ message: 'a broken listener' }));
    said.mockRestore();
  });

  it('ends with close, also before it is ready, and with its signal', async () => {
    const early = persons.live();
    const listener = vi.fn();
    early.subscribe(listener);
    early.close();
    await expect(early.ready).rejects.toMatchObject({ name: 'AbortError' });
    const aborted = persons.live({ signal: AbortSignal.abort() });
    await expect(aborted.ready).rejects.toMatchObject({ name: 'AbortError' });
    aborted.subscribe(listener)();
    const stop = new AbortController();
    const live = persons.live({ signal: stop.signal });
    live.subscribe(listener);
    await live.ready;
    const calls = listener.mock.calls.length;
    stop.abort();
    await persons.create(person('ann'));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([live.total, live.error, listener.mock.calls.length]).toEqual([0, undefined, calls]);
  });
});
