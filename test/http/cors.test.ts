import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpointOf, startEndpointServer, type EndpointServer } from '../endpoint/server.js';
import { PERSONS, person, startTestServer, type HttpAnswer, type TestServer } from '../helpers/http.js';
import { removeDirectories } from '../helpers/store.js';

const APP = 'https://app.example';
const BASE = '/apis/api.demo.example.com/v1alpha1';

let closed: TestServer;
let server: TestServer;
let everybodys: TestServer;
let custom: EndpointServer;

beforeAll(async () => {
  closed = await startTestServer();
  server = await startTestServer({ allowedOrigins: new Set([APP]) });
  everybodys = await startTestServer({ allowedOrigins: new Set(['*', APP]) });
  custom = await startEndpointServer({ allowedOrigins: new Set([APP]) });
  const routes = endpointOf((r) =>
    r
      .GET('/things', () => ({}))
      .POST('/things', () => ({}))
      .GET('/fails', ({ res }) => {
        res.setHeader('X-Own', '1');
        throw new Error('on purpose');
      }),
  );
  custom.add('a', [routes]);
});
afterAll(async () => {
  await Promise.all([closed, server, everybodys, custom].map((one) => one.close()));
  removeDirectories();
});

const of = (origin: string): { headers: Record<string, string> } => ({
  headers: { origin, 'sec-fetch-site': 'cross-site' },
});

function preflight(where: TestServer | EndpointServer, target: string, origin: string): Promise<HttpAnswer> {
  const asked = {
    'access-control-request-method': 'PATCH',
    'access-control-request-headers': 'authorization,content-type',
  };
  return where.send('OPTIONS', target, { headers: { ...of(origin).headers, ...asked } });
}

function expectAllowed({ headers }: HttpAnswer): void {
  expect(headers).toMatchObject({
    'access-control-allow-origin': APP,
    'access-control-allow-credentials': 'true',
    vary: expect.stringContaining('Origin') as unknown,
  });
}

describe('a page of an allowed origin', () => {
  it.each([PERSONS, `${PERSONS}/ann`, '/apis/api.platform.run/v1alpha1/batches', '/nothing'])(
    'gets permission in a preflight for %s',
    async (target) => {
      const answer = await preflight(server, target, APP);
      expect([answer.status, answer.text]).toEqual([204, '']);
      expectAllowed(answer);
      expect(answer.headers['access-control-allow-methods']).toContain('PATCH');
      expect(answer.headers['access-control-allow-headers']).toBe('authorization,content-type');
    },
  );

  it('reads and writes objects, and can read the answers', async () => {
    const created = await server.send('POST', PERSONS, { ...of(APP), body: person('ann') });
    expect(created.status).toBe(201);
    for (const answer of [
      created,
      await server.send('GET', PERSONS, of(APP)),
      await server.send('GET', `${PERSONS}/ann`, of(APP)),
      await server.send('GET', `${PERSONS}/nobody`, of(APP)),
      await server.send('GET', `${PERSONS}?watch=true&timeoutSeconds=1`, {
        headers: { ...of(APP).headers, accept: 'text/event-stream' },
      }),
      await server.send('GET', '/v3/api-docs', of(APP)),
    ]) {
      expectAllowed(answer);
      expect(answer.headers['access-control-expose-headers']).toBe('ETag, Location, Warning, Retry-After');
    }
  });

  it('uses custom endpoints, and can read their errors', async () => {
    expectAllowed(await preflight(custom, `${BASE}/things`, APP));
    expectAllowed(await custom.send('GET', `${BASE}/things`, of(APP)));
    expectAllowed(await custom.send('POST', `${BASE}/things`, of(APP)));
    const failed = await custom.send('GET', `${BASE}/fails`, of(APP));
    expect(failed.status).toBe(500);
    expectAllowed(failed);
    expect(failed.headers).not.toHaveProperty('x-own');
  });
});

describe('a page of another origin', () => {
  it.each(['http://app.example', 'https://app.example.evil.example', 'https://app.example:444', 'null', '*'])(
    'gets no permission, and can neither read nor write: %s',
    async (origin) => {
      const asked = await preflight(server, PERSONS, origin);
      expect([asked.status, asked.headers['access-control-allow-origin']]).toEqual([403, undefined]);
      const read = await server.send('GET', PERSONS, of(origin));
      expect([read.status, read.headers['access-control-allow-origin']]).toEqual([403, undefined]);
      const written = await server.send('POST', PERSONS, { ...of(origin), body: person('eve') });
      expect([written.status, written.headers['access-control-allow-origin']]).toEqual([403, undefined]);
    },
  );

  it('gets no permission from a service that allows none', async () => {
    const asked = await preflight(closed, PERSONS, APP);
    expect([asked.status, asked.headers['access-control-allow-origin']]).toEqual([403, undefined]);
    expect((await closed.send('GET', PERSONS, of(APP))).headers.vary).toBe('Accept');
  });
});

describe('a service for the pages of all origins', () => {
  it('lets them read and write, without credentials except for named origins', async () => {
    const headers = { 'access-control-allow-origin': '*' };
    const asked = await preflight(everybodys, PERSONS, 'https://any.example');
    expect(asked).toMatchObject({ status: 204, headers });
    const body = person('ann');
    const created = await everybodys.send('POST', PERSONS, { ...of('https://any.example'), body });
    expect(created).toMatchObject({ status: 201, headers });
    expect(created.headers).not.toHaveProperty('access-control-allow-credentials');
    expectAllowed(await everybodys.send('GET', PERSONS, of(APP)));
  });

  it('still refuses pages whose browser names no origin', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect((await everybodys.send('DELETE', `${PERSONS}/ann`, { headers })).status).toBe(403);
  });
});
