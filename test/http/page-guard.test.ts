import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Router } from '../../src/index.js';
import { endpointOf, startEndpointServer, type EndpointServer } from '../endpoint/server.js';
import { PERSONS, PERSON_REF, person, rawAnswer, startTestServer, type TestServer } from '../helpers/http.js';
import { removeDirectories } from '../helpers/store.js';

const BATCHES = '/apis/api.platform.run/v1alpha1/batches';
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const BASE = '/apis/api.demo.example.com/v1alpha1';
const FOREIGN = 'https://evil.example';

let server: TestServer;
let custom: EndpointServer;
let called = 0;

beforeAll(async () => {
  server = await startTestServer();
  custom = await startEndpointServer();
  const count = (): object => ({ called: ++called });
  const router = Router();
  router.use(express.text({ type: () => true }));
  router.all('/routed', (_req, res) => void res.json(count()));
  custom.add('a', [
    endpointOf((r) => r.GET('/things', count).POST('/things', count).DELETE('/things', count)),
    { groupVersion: () => 'api.demo.example.com/v1alpha1', endpoint: () => router },
  ]);
});
afterEach(async () => {
  await server.clear();
});
afterAll(async () => {
  await server.close();
  await custom.close();
  removeDirectories();
});

const own = (): string => `http://127.0.0.1:${server.port}`;

describe('a write that a page of another origin asks for', () => {
  it.each([
    ['POST', PERSONS, { origin: FOREIGN }],
    ['POST', PERSONS, { origin: 'null' }],
    ['POST', PERSONS, { origin: '' }],
    ['POST', PERSONS, { origin: 'http://127.0.0.1' }],
    ['POST', PERSONS, { origin: 'http://127.0.0.1:1' }],
    ['POST', PERSONS, { 'sec-fetch-site': 'cross-site' }],
    ['POST', PERSONS, { 'sec-fetch-site': 'same-site' }],
    ['PUT', `${PERSONS}/ann`, { origin: FOREIGN }],
    ['PATCH', `${PERSONS}/ann`, { origin: FOREIGN }],
    ['DELETE', `${PERSONS}/ann`, { origin: FOREIGN }],
    ['POST', BATCHES, { origin: FOREIGN }],
    ['POST', REVIEWS, { origin: FOREIGN }],
    ['POST', '/nothing', { origin: FOREIGN }],
    ['POST', '/livez', { origin: FOREIGN }],
  ])('is refused: %s %s with %j', async (method, target, headers) => {
    await server.service.create(PERSON_REF, person('ann'));
    const before = await server.store.revision();
    const answer = await server.send(method, target, { headers, body: person('bob') });
    expect([answer.status, answer.json()]).toMatchObject([403, { kind: 'Status', reason: 'Forbidden' }]);
    expect(await server.store.revision()).toBe(before);
  });

  it('is refused whatever header says that it means another method', async () => {
    await server.service.create(PERSON_REF, person('ann'));
    for (const name of ['x-http-method-override', 'x-method-override', 'x-http-method']) {
      const headers = { origin: FOREIGN, [name]: 'DELETE' };
      expect((await server.send('POST', `${PERSONS}/ann`, { headers })).status).toBe(403);
      expect((await server.send('GET', `${PERSONS}/ann?_method=DELETE`, { headers })).status).toBe(200);
    }
    expect(await server.service.count(PERSON_REF)).toBe(1);
  });

  it.each([
    ['POST', '/things'],
    ['DELETE', '/things'],
    ['PUT', '/routed'],
    ['PROPFIND', '/routed'],
  ])('does not reach a custom endpoint: %s %s', async (method, target) => {
    const before = called;
    const headers = { origin: FOREIGN };
    expect((await custom.send(method, BASE + target, { headers })).status).toBe(403);
    expect((await custom.send(method, BASE + target, { headers: {} })).status).toBe(200);
    expect(called).toBe(before + 1);
  });

  it('is refused before its body has come', async () => {
    const socket = connect(server.port, '127.0.0.1');
    let text = '';
    socket.on('data', (part) => (text += part.toString()));
    socket.write(
      `POST ${PERSONS} HTTP/1.1\r\nHost: localhost\r\nOrigin: ${FOREIGN}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n',
    );
    await expect.poll(() => rawAnswer(text).status).toBe(403);
    socket.destroy();
    await sleep(10);
  });

  it('is named in the log, but does not fill it', async () => {
    const other = await startTestServer();
    try {
      for (let i = 0; i < 100; i++)
        await other.send('POST', '/nothing?secret=1', { headers: { origin: FOREIGN } });
      expect(other.logs.length).toBeLessThan(20);
      const first = other.logs.find(({ level }) => level === 'warn');
      expect(first).toMatchObject({ fields: { method: 'POST', path: '/nothing' } });
      expect(first?.message).toContain(FOREIGN);
    } finally {
      await other.close();
    }
  });
});

describe('a request that passes', () => {
  it.each([
    ['a client that is no browser', () => ({})],
    ['a page of the service', () => ({ origin: own(), 'sec-fetch-site': 'same-origin' })],
    ['who types the address', () => ({ 'sec-fetch-site': 'none' })],
    ['a page behind a proxy that speaks TLS', () => ({ origin: own().replace('http', 'https') })],
  ])('is a write of %s', async (_who, headers) => {
    const answer = await server.send('POST', PERSONS, { headers: headers(), body: person('ann') });
    expect(answer.status).toBe(201);
  });

  it.each([
    ['http://localhost', 'localhost'],
    ['http://localhost', 'LOCALHOST:80'],
    ['https://localhost', 'localhost:443'],
    ['http://[::1]:8090', '[::1]:8090'],
  ])('is a write of %s to the Host %s', async (origin, host) => {
    const answer = await server.send('DELETE', `${PERSONS}/nobody`, { headers: { origin, host } });
    expect(answer.status).toBe(404);
  });

  it.each(['GET', 'HEAD', 'OPTIONS'])('is %s with an Origin alone, which changes nothing', async (method) => {
    const headers = { origin: FOREIGN };
    expect([200, 405]).toContain((await server.send(method, PERSONS, { headers })).status);
    expect([200, 405]).toContain((await custom.send(method, `${BASE}/things`, { headers })).status);
  });
});

describe('a body without a type', () => {
  const untyped = (method: string, target: string, framing: string, body: string): string =>
    `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${framing}\r\n\r\n${body}`;
  const framings = (text: string) =>
    [
      [`Content-Length: ${text.length}`, text],
      ['Transfer-Encoding: chunked', `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`],
      [`Content-Type: \r\nContent-Length: ${text.length}`, text],
    ] as const;
  const text = JSON.stringify(person('bob'));

  it.each([
    ['POST', PERSONS],
    ['PUT', `${PERSONS}/ann`],
    ['PATCH', `${PERSONS}/ann`],
    ['DELETE', `${PERSONS}/ann`],
    ['POST', BATCHES],
    ['POST', REVIEWS],
  ])('is refused with 415 when a page sends it: %s %s', async (method, target) => {
    await server.service.create(PERSON_REF, person('ann'));
    for (const header of [`Origin: http://localhost`, 'Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: none'])
      for (const [framing, body] of framings(text)) {
        const request = untyped(method, target, `${header}\r\n${framing}`, body);
        const { status, body: answer } = rawAnswer(await server.raw(request));
        expect([status, JSON.parse(answer)]).toMatchObject([415, { reason: 'UnsupportedMediaType' }]);
      }
    expect(await server.service.listNames(PERSON_REF)).toEqual(['ann']);
  });

  it.each([
    ['POST', PERSONS, text, 201],
    ['POST', PERSONS, 'spec: {}', 400],
    ['PUT', `${PERSONS}/ann`, JSON.stringify(person('ann')), 200],
    ['DELETE', `${PERSONS}/ann`, '{}', 200],
    ['POST', BATCHES, '{"items": []}', 400],
    ['PATCH', `${PERSONS}/ann`, '{}', 415],
  ])('is JSON when a program sends it: %s %s %s', async (method, target, body, expected) => {
    for (const [framing, framed] of framings(body)) {
      await server.clear();
      await server.service.create(PERSON_REF, person('ann'));
      const answer = rawAnswer(await server.raw(untyped(method, target, framing, framed)));
      expect(answer.status).toBe(expected);
    }
  });

  it.each([
    ['/things', 'Sec-Fetch-Site: none\r\n', 415],
    ['/routed', 'Sec-Fetch-Site: none\r\n', 415],
    ['/things', '', 200],
    ['/routed', '', 200],
  ])('reaches the custom endpoint %s unless it is of a page (%j)', async (target, header, status) => {
    const before = called;
    const bytes = untyped('POST', BASE + target, `${header}Content-Length: 2`, '{}');
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(custom.port, '127.0.0.1');
      let all = '';
      socket.on('data', (part) => (all += part.toString())).on('close', () => resolve(all));
      socket.write(bytes);
    });
    expect([rawAnswer(answer).status, called]).toEqual([status, before + (status === 200 ? 1 : 0)]);
  });

  it('is none at all when it is empty', async () => {
    await server.service.create(PERSON_REF, person('ann'));
    expect((await server.send('DELETE', `${PERSONS}/ann`)).status).toBe(200);
  });
});

describe('every answer', () => {
  const OWN = {
    'content-security-policy': "frame-ancestors 'self'",
    'cross-origin-resource-policy': 'cross-origin',
  };
  const mounted = express();
  mounted.get('/', (_req, res) => void res.send('<b>text</b>'));
  const router = Router();
  router.use('/mounted', mounted);

  it('forbids browsers to guess its type, to load it elsewhere and to frame it', async () => {
    custom.add('b', [
      endpointOf((r) =>
        r
          .GET('/text', () => 'x')
          .GET('/stream', () => new Blob(['x']))
          .GET('/nothing', () => undefined)
          .GET('/raw', ({ res }) => void res.writeHead(200, 'Fine', ['X-Own', '1']).end('x'))
          .GET('/fails', () => {
            throw new Error('on purpose');
          }),
      ),
      { groupVersion: () => 'b.api.demo.example.com/v1alpha1', endpoint: () => router },
    ]);
    await server.service.create(PERSON_REF, person('ann'));
    const etag = (await server.get(`${PERSONS}/ann`)).headers.etag ?? '';
    const answers = [
      ...['/livez', '/metrics', '/version', '/swagger-ui.html', '/swagger-ui/swagger-ui.css', '/nothing']
        .concat('/v3/api-docs', '/apis', PERSONS, `${PERSONS}/ann`, `${PERSONS}/bob`, `${PERSONS}?page=0`)
        .map((target) => server.get(target)),
      server.get(`${PERSONS}/ann`, { 'if-none-match': etag }),
      server.get('/livez', { host: 'evil.example' }),
      server.get(`${PERSONS}?watch=true&timeoutSeconds=1`),
      server.send('POST', PERSONS, { body: person('bob') }),
      ...['text', 'stream', 'nothing', 'raw', 'fails'].map((name) => custom.send('GET', `${BASE}/${name}`)),
      custom.send('GET', '/apis/b.api.demo.example.com/v1alpha1/mounted'),
    ];
    for (const { status, headers } of await Promise.all(answers))
      expect({ status, ...headers }).toMatchObject({
        status,
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
        'content-security-policy': expect.stringContaining("frame-ancestors 'none'") as unknown,
      });
    const malformed = await server.raw('garbage\r\n\r\n');
    expect(malformed).toMatch(/^x-content-type-options: nosniff\r$/im);
    expect(malformed).toMatch(/^cross-origin-resource-policy: same-origin\r$/im);
    expect(malformed).toMatch(/^content-security-policy: frame-ancestors 'none'\r$/im);
  });

  it('of a plugin may say something else', async () => {
    custom.add('c', [
      endpointOf(
        (r) => r.GET('/shown', ({ res }) => void res.writeHead(200, OWN).end('x')),
        'c.api.demo.example.com/v1alpha1',
      ),
    ]);
    const { headers } = await custom.send('GET', '/apis/c.api.demo.example.com/v1alpha1/shown');
    expect(headers).toMatchObject({ ...OWN, 'x-content-type-options': 'nosniff' });
  });
});
