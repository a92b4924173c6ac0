import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Router, respond, ServiceError as Fault } from '../../src/index.js';
import { endpointOf, startEndpointServer, type EndpointServer } from '../endpoint/server.js';
import { Person } from '../helpers/models.js';

const BASE = '/apis/api.demo.example.com/v1alpha1';

let server: EndpointServer;
/** Gives handlers up soon: for those that never answer. */
let impatient: EndpointServer;

beforeAll(async () => {
  server = await startEndpointServer({ bodyBytesMax: 10_000 });
  await server.register(Person);
  impatient = await startEndpointServer({ handlerTimeoutMs: 150 });
});
afterEach(() => {
  for (const plugin of ['a', 'b']) server.stop(plugin);
  impatient.stop('a');
  server.logs.length = 0;
});
afterAll(async () => {
  await server.close();
  await impatient.close();
});

const get = (path: string, headers: Record<string, string> = {}) =>
  server.send('GET', BASE + path, { headers });

/** A promise of what plugins may well reject with, but should not. */
function rejected(reason: unknown): Promise<never> {
  return new Promise((_resolve, reject) => {
    Reflect.apply(reject, undefined, [reason]);
  });
}

describe('a custom endpoint', () => {
  it('answers with values as JSON, or as YAML for a client that prefers it', async () => {
    const paths = server.add('a', [
      endpointOf((r) =>
        r.GET('/persons/{name}', ({ params, query }) => ({ params, query })).GET('/none', () => null),
      ),
    ]);
    expect(paths).toEqual([`${BASE}/persons/{name}`, `${BASE}/none`]);
    const answer = await get('/persons/J%C3%BCrgen%2F1?a=1&b=2&b=3');
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
    expect(answer.json()).toEqual({ params: { name: 'Jürgen/1' }, query: { a: '1', b: ['2', '3'] } });
    expect((await get('/persons/x/', { accept: 'application/yaml' })).text).toBe(
      'params:\n  name: x\nquery: {}\n',
    );
    expect((await get('/none')).text).toBe('null');
  });

  it('answers 204 for nothing, unless the handler has taken the response', async () => {
    server.add('a', [
      endpointOf((r) =>
        r
          .GET('/nothing', () => undefined)
          .GET('/later', ({ res }) => void setTimeout(() => res.status(202).json({ late: true }), 20))
          .GET('/now', async ({ res }) => void res.type('text/plain').send('now'))
          .GET('/created', (req) => {
            req.res.status(201).set('X-Own', 'yes');
            return { made: true };
          }),
      ),
    ]);
    expect(await get('/nothing')).toMatchObject({ status: 204, text: '' });
    expect(await get('/later')).toMatchObject({ status: 202, text: '{"late":true}' });
    expect(await get('/now')).toMatchObject({ status: 200, text: 'now' });
    expect(await get('/created')).toMatchObject({
      status: 201,
      text: '{"made":true}',
      headers: { 'x-own': 'yes' },
    });
  });

  it('answers with a status and headers through respond(), what looks like its answer, and the web’s Response', async () => {
    server.add('a', [
      endpointOf((r) =>
        r
          .POST('/made', () => respond(201, { a: 1 }, { Location: '/x' }))
          .GET('/text', () => respond(200, 'a;b', { 'Content-Type': 'text/csv' }))
          .GET('/web', () => new Response('web', { status: 418, headers: { 'X-Own': 'w' } }))
          .GET('/gone', () => respond(204))
          .GET('/bytes', () => new Uint8Array([104, 105]))
          .GET('/like', () => ({ status: 202, headers: { 'X-Own': 'l' }, body: { a: 1 } }))
          .GET('/model', () => ({ spec: {}, status: 202 }))
          .GET('/state', () => ({ status: { phase: 'READY' } })),
      ),
    ]);
    expect(await server.send('POST', `${BASE}/made`)).toMatchObject({
      status: 201,
      text: '{"a":1}',
      headers: { location: '/x' },
    });
    expect(await get('/text')).toMatchObject({
      status: 200,
      text: 'a;b',
      headers: { 'content-type': 'text/csv' },
    });
    expect(await get('/web')).toMatchObject({ status: 418, text: 'web', headers: { 'x-own': 'w' } });
    expect(await get('/gone')).toMatchObject({ status: 204, text: '' });
    expect(await get('/bytes')).toMatchObject({
      text: 'hi',
      headers: { 'content-type': 'application/octet-stream' },
    });
    expect(await get('/like')).toMatchObject({ status: 202, text: '{"a":1}', headers: { 'x-own': 'l' } });
    expect(await get('/model')).toMatchObject({ status: 200, text: '{"spec":{},"status":202}' });
    expect(await get('/state')).toMatchObject({ status: 200, text: '{"status":{"phase":"READY"}}' });
  });

  it('sends a stream as a stream', async () => {
    async function* words(): AsyncGenerator<string> {
      for (const word of ['a', 'b', 'c']) {
        yield word;
        await sleep(1);
      }
    }
    server.add('a', [
      endpointOf((r) =>
        r
          .GET('/words', () => words())
          .GET('/web', () => new Blob(['blob'], { type: 'text/plain' }).stream())
          .GET('/typed', () => respond(200, words(), { 'Content-Type': 'text/plain' }))
          .GET('/broken', async function* () {
            yield 'begun';
            throw new Error('broke');
          })
          .GET('/early', async function* () {
            await sleep(1);
            if (Date.now() > 0) throw new Error('secret of the disk');
            yield 'never';
          }),
      ),
    ]);
    expect(await get('/words')).toMatchObject({ status: 200, text: 'abc' });
    expect((await get('/web')).text).toBe('blob');
    expect(await get('/typed')).toMatchObject({ text: 'abc', headers: { 'content-type': 'text/plain' } });
    await expect(get('/broken')).rejects.toThrow();
    const early = await get('/early');
    expect(early.status).toBe(500);
    expect(early.text).not.toContain('secret');
    expect(await server.send('HEAD', `${BASE}/words`)).toMatchObject({ status: 200, text: '' });
  });

  it('reads JSON and YAML bodies as generated routes do, and leaves others to the handler', async () => {
    server.add('a', [
      endpointOf((r) =>
        r
          .POST('/echo', ({ body }) => ({ body: body === undefined ? 'none' : body }))
          .POST('/raw', async ({ raw, body }) => {
            let text = '';
            for await (const part of raw) text += String(part);
            return { text, body };
          }),
      ),
    ]);
    const echo = (body: unknown, type?: string) =>
      server.send('POST', `${BASE}/echo`, {
        body,
        headers: type === undefined ? {} : { 'content-type': type },
      });
    expect((await echo({ a: 1 })).json()).toEqual({ body: { a: 1 } });
    expect((await echo('a: 1\n', 'application/yaml')).json()).toEqual({ body: { a: 1 } });
    expect((await echo('[]', 'application/json-patch+json')).json()).toEqual({ body: [] });
    expect((await echo('a=1', 'application/x-www-form-urlencoded')).json()).toEqual({ body: 'none' });
    expect((await server.send('POST', `${BASE}/echo`)).json()).toEqual({ body: 'none' });
    expect((await echo('{', 'application/json')).status).toBe(400);
    expect((await echo('x'.repeat(10_001))).status).toBe(413);
    expect((await echo(`"${'x'.repeat(9_998)}"`)).status).toBe(200);
    const raw = await server.send('POST', `${BASE}/raw`, {
      body: 'plain',
      headers: { 'content-type': 'text/plain' },
    });
    expect(raw.json()).toEqual({ text: 'plain' });
  });

  it('answers HEAD like GET, 405 for other methods, 404 for other paths', async () => {
    server.add('a', [endpointOf((r) => r.GET('/x/{id}', () => 1).DELETE('/x/{id}', () => undefined))]);
    expect(await server.send('HEAD', `${BASE}/x/1`)).toMatchObject({ status: 200, text: '' });
    expect(await server.send('POST', `${BASE}/x/1`)).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD, DELETE' },
    });
    for (const path of ['/x', '/x/1/2', '/y', '/x//1', '//x/1'])
      expect((await get(path)).status, path).toBe(404);
    expect((await get('/x/%ff')).status).toBe(400);
  });

  it('prefers literal segments to variables', async () => {
    server.add('a', [endpointOf((r) => r.GET('/p/{name}', () => 'variable').GET('/p/me', () => 'literal'))]);
    expect((await get('/p/me')).text).toBe('"literal"');
    expect((await get('/p/you')).text).toBe('"variable"');
  });

  it('passes the language, and a signal that the client has gone', async () => {
    const seen: string[] = [];
    let begun: () => void = () => undefined;
    const isWaiting = new Promise<void>((resolve) => (begun = resolve));
    server.add('a', [
      endpointOf((r) =>
        r
          .GET('/language', ({ locale }) => locale)
          .GET(
            '/wait',
            ({ signal }) =>
              new Promise((resolve) => {
                begun();
                signal.addEventListener('abort', () => {
                  seen.push((signal.reason as Fault).message);
                  resolve(undefined);
                });
              }),
          ),
      ),
    ]);
    expect((await get('/language', { 'accept-language': 'zh-HK' })).text).toBe('"zh-TW"');
    const abort = new AbortController();
    const waiting = fetch(`${server.url}${BASE}/wait`, { signal: abort.signal }).catch(() => undefined);
    await isWaiting;
    abort.abort();
    await waiting;
    await expect.poll(() => seen).toEqual(['the client has disconnected']);
  });
});

describe('errors of a custom endpoint', () => {
  it('keep the code of the client’s fault, in the one shape', async () => {
    const httpError = Object.assign(new Error('too many'), { status: 429, expose: true });
    server.add('a', [
      endpointOf((r) =>
        r
          .GET('/missing', () => {
            throw new Fault('NotFound', 'no such thing');
          })
          .GET('/conflict', async () => {
            throw new Fault('Conflict', 'changed');
          })
          .GET('/invalid', () => Promise.reject(new Fault('Invalid', 'bad')))
          .GET('/express', () => {
            throw httpError;
          }),
      ),
    ]);
    expect((await get('/missing')).json()).toMatchObject({
      kind: 'Status',
      code: 404,
      reason: 'NotFound',
      message: 'no such thing',
    });
    expect((await get('/conflict')).status).toBe(409);
    expect((await get('/invalid')).status).toBe(422);
    expect((await get('/express')).json()).toMatchObject({ code: 429, message: 'too many' });
    expect(server.logs.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('that are defects carry an id, which the log has with the plugin, and nothing else', async () => {
    const cyclic: { self?: unknown } = {};
    cyclic.self = cyclic;
    const causes: Record<string, () => unknown> = {
      error: () => {
        throw new Error('secret /etc/passwd');
      },
      text: () => rejected('secret'),
      nothing: () => rejected(undefined),
      textless: () => rejected(Object.create(null)),
      untold: () => rejected(new Fault('Invalid', 'bad', { causes: [1n as never] })),
      bigint: () => ({ n: 1n }),
      map: () => ({ a: new Map([[1, 2]]) }),
      cyclic: () => cyclic,
      function: () => () => 1,
      getter: () => ({
        get x(): never {
          throw new Error('secret');
        },
      }),
    };
    server.add('a', [
      endpointOf((r) =>
        Object.entries(causes).reduce((routes, [name, handler]) => routes.GET(`/${name}`, handler), r),
      ),
    ]);
    for (const name of Object.keys(causes)) {
      server.logs.length = 0;
      const answer = await get(`/${name}`);
      expect(answer.status, name).toBe(500);
      const [, id = ''] = /service log, id ([0-9a-f-]{36})$/.exec(answer.json().message) ?? [];
      expect(answer.text).not.toMatch(/secret|\.ts|stack/);
      expect(server.logs.find(({ level }) => level === 'error')?.fields, name).toMatchObject({
        id,
        plugin: 'a',
      });
    }
  });

  it('after the answer has begun break it off, and are logged', async () => {
    server.add('a', [
      endpointOf((r) =>
        r.GET('/torn', async ({ res }) => {
          res.write('half');
          await sleep(5);
          throw new Error('too late');
        }),
      ),
    ]);
    server.logs.length = 0;
    await expect(get('/torn')).rejects.toThrow();
    expect(server.logs).toMatchObject([{ level: 'warn', fields: { plugin: 'a' } }]);
  });

  it('do not keep headers of the answer that never came', async () => {
    server.add('a', [
      endpointOf((r) =>
        r.GET('/x', ({ res }) => {
          res.set({ 'Content-Encoding': 'gzip', 'Cache-Control': 'max-age=1000' });
          throw new Error('no');
        }),
      ),
    ]);
    const { status, headers } = await get('/x');
    expect([status, headers['content-encoding'], headers['cache-control']]).toEqual([
      500,
      undefined,
      'private, no-cache',
    ]);
  });

  it('of a handler that answers twice are nothing', async () => {
    const answers: Promise<void>[] = [];
    /** Answers after all is over, which must not throw where nobody catches. */
    const answerLater = (answer: () => void, ms: number): void => void answers.push(sleep(ms).then(answer));
    const twice = endpointOf((r) =>
      r.GET('/twice', ({ res }) => {
        answerLater(() => res.json({ second: true }), 10);
        return { first: true };
      }),
    );
    server.add('a', [twice]);
    expect((await get('/twice')).text).toBe('{"first":true}');
    const late = endpointOf((r) =>
      r.GET('/late', ({ res }) => answerLater(() => res.json({ late: true }), 200)),
    );
    impatient.add('a', [late]);
    expect((await impatient.send('GET', `${BASE}/late`)).status).toBe(503);
    await Promise.all(answers);
    expect((await get('/twice')).status).toBe(200);
  });

  it('of a handler that never answers are 503 after a while, whatever it does later', async () => {
    let later: (value: unknown) => void = () => undefined;
    let reason: unknown;
    impatient.add('a', [
      endpointOf((r) =>
        r.GET('/never', ({ signal }) => {
          signal.addEventListener('abort', () => {
            reason = signal.reason;
          });
          return new Promise((resolve) => (later = resolve));
        }),
      ),
    ]);
    const answer = await impatient.send('GET', `${BASE}/never`);
    expect(answer.json()).toMatchObject({ code: 503, message: 'plugin "a" did not answer within 0.15 s' });
    expect(reason).toBeInstanceOf(Error);
    later({ too: 'late' });
    expect((await impatient.send('GET', `${BASE}/other`)).status).toBe(404);
  });
});

describe('a router of Express', () => {
  it('is served below the prefix, with its own parsers and errors', async () => {
    const router = Router();
    router.use(express.json());
    router.get(
      '/hello/:name',
      (req, res) => void res.json({ name: req.params.name, base: req.baseUrl, q: req.query.q }),
    );
    router.post('/echo', (req, res) => void res.status(201).json(req.body));
    router.get('/throws', () => {
      throw new Error('secret');
    });
    router.get('/rejects', async () => Promise.reject(Object.assign(new Error('gone'), { statusCode: 410 })));
    router.get('/never', () => undefined);
    const paths = server.add('a', [
      { groupVersion: () => 'api.demo.example.com/v1alpha1', endpoint: () => router },
    ]);
    expect(paths).toEqual([`${BASE}/**`]);
    expect(server.endpoints.list()).toEqual([]);
    expect((await get('/hello/ann?q=1')).json()).toEqual({ name: 'ann', base: BASE, q: '1' });
    expect(await server.send('POST', `${BASE}/echo`, { body: { a: 1 } })).toMatchObject({
      status: 201,
      text: '{"a":1}',
    });
    expect((await server.send('POST', `${BASE}/echo`, { body: '{' })).json()).toMatchObject({
      kind: 'Status',
      code: 400,
    });
    const thrown = await get('/throws');
    expect([thrown.status, thrown.text.includes('secret')]).toEqual([500, false]);
    expect(server.logs.find(({ level }) => level === 'error')?.fields).toMatchObject({ plugin: 'a' });
    expect((await get('/rejects')).json()).toMatchObject({ code: 410, reason: 'Expired', message: 'gone' });
    impatient.add('a', [{ groupVersion: () => 'api.demo.example.com/v1alpha1', endpoint: () => router }]);
    expect((await impatient.send('GET', `${BASE}/never`)).status).toBe(503);
    expect((await get('/unknown')).json()).toMatchObject({ kind: 'Status', code: 404 });
    const encoded = await server.send('GET', `${BASE.replaceAll('.', '%2E')}/hello/a%2Fb?q=%3F`);
    expect(encoded.json()).toEqual({ name: 'a/b', base: BASE, q: '?' });
  });

  it('comes after described routes, and before the next router', async () => {
    const first = Router().get('/one', (_req, res) => void res.send('first'));
    const second = Router().get('/two', (_req, res) => void res.send('second'));
    const groupVersion = (): string => 'api.demo.example.com/v1alpha1';
    server.add('a', [{ groupVersion, endpoint: () => first }]);
    server.add('b', [
      { groupVersion, endpoint: () => second },
      endpointOf((r) => r.GET('/three', () => 'described')),
    ]);
    expect([(await get('/one')).text, (await get('/two')).text, (await get('/three')).text]).toEqual([
      'first',
      'second',
      '"described"',
    ]);
    expect((await server.send('POST', `${BASE}/three`)).status).toBe(405);
  });
});
