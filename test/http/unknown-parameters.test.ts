import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readWarnings } from '../../src/client/programs/warnings.js';
import { runCli } from '../helpers/cli.js';
import { PERSONS, person, startTestServer, type HttpRequest, type TestServer } from '../helpers/http.js';
import { openStream } from '../helpers/watching.js';

const BATCH = '/apis/api.platform.run/v1alpha1/batches';
const item = {
  verb: 'create',
  object: { apiVersion: 'demo.example.com/v1alpha1', kind: 'Person', ...person('zoe') },
};

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
  await server.send('POST', PERSONS, { body: person('ann') });
});

afterAll(() => server.close());

async function warnings(method: string, target: string, request?: HttpRequest): Promise<readonly string[]> {
  const { status, headers } = await server.send(method, target, request);
  expect([target, status < 300]).toEqual([target, true]);
  const header = headers.warning;
  return readWarnings(Array.isArray(header) ? header.join(', ') : (header ?? null));
}

describe('a query parameter that a route does not know', () => {
  const merge = { 'content-type': 'application/merge-patch+json' };
  it.each([
    ['GET', `${PERSONS}?lableSelector=a`, 'labelSelector', undefined],
    ['GET', `${PERSONS}?pgae=2&size=1`, 'page', undefined],
    ['GET', `${PERSONS}?pgae=2&explain=true`, 'page', undefined],
    ['HEAD', `${PERSONS}?Size=1`, 'size', undefined],
    ['GET', `${PERSONS}/ann?wach=true`, 'watch', undefined],
    ['GET', `${PERSONS}/ann/status?wach=true`, 'watch', undefined],
    ['POST', `${PERSONS}?dryrun=All&dryRun=All`, 'dryRun', { body: person('bob') }],
    ['PUT', `${PERSONS}/ann?dry_run=All`, 'dryRun', { body: person('ann') }],
    ['PATCH', `${PERSONS}/ann?fieldvalidation=Strict`, 'fieldValidation', { body: {}, headers: merge }],
    ['DELETE', `${PERSONS}/ann?dryRun=All&forceFinalizer=true`, 'forceFinalizers', undefined],
    ['POST', `${BATCH}?dryRun=All&retrun=none`, 'return', { body: { items: [item] } }],
  ])('is named in a warning with the near one: %s %s', async (method, target, near, request) => {
    const given = [...new URL(target, server.url).searchParams.keys()];
    const wrong = given.find((name) => !['size', 'dryRun', 'explain'].includes(name)) ?? '';
    expect(await warnings(method, target, request)).toEqual([
      `unknown query parameter "${wrong}", did you mean "${near}"?`,
    ]);
  });

  it('is named alone when no known one is near, and each time that it is another', async () => {
    expect(await warnings('GET', `${PERSONS}?zzzzzzzz=1&zzzzzzzz=2&qqqqqqqq`)).toEqual([
      'unknown query parameter "zzzzzzzz"',
      'unknown query parameter "qqqqqqqq"',
    ]);
    // A page from the cache has the same warnings.
    const kept = `${PERSONS}?size=1&colour=red`;
    expect(await warnings('GET', kept)).toEqual(await warnings('GET', kept));
  });

  it('is named on a watch, a table, YAML and what has not changed', async () => {
    const watch = await openStream(`${server.url}${PERSONS}?watch=true&sise=1`);
    watch.destroy();
    expect(watch.headers.warning).toBe(
      '299 - "unknown query parameter \\"sise\\", did you mean \\"size\\"?"',
    );
    const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    for (const headers of [table, { accept: 'application/yaml' }])
      expect(await warnings('GET', `${PERSONS}?sise=1`, { headers })).toHaveLength(1);
    const { headers } = await server.get(`${PERSONS}/ann`);
    const same = await server.get(`${PERSONS}/ann?x=1`, { 'if-none-match': String(headers.etag) });
    expect([same.status, same.headers.warning]).toEqual([304, '299 - "unknown query parameter \\"x\\""']);
  });

  it('goes together with warnings of the body', async () => {
    const body = person('cid', { agee: 3 });
    expect(await warnings('POST', `${PERSONS}?dryRun=All&x=1`, { body })).toEqual([
      'unknown query parameter "x"',
      expect.stringContaining('agee'),
    ]);
  });

  it('is only a short warning, however long and however many, and is left out of an error', async () => {
    const many = Array.from({ length: 500 }, (_, i) => `${'n'.repeat(100)}${i}=1`).join('&');
    const reported = await warnings('GET', `${PERSONS}?${many}&${'long'.repeat(500)}=%0A`);
    expect([reported.length, reported.at(-1)]).toEqual([20, '482 more warnings']);
    expect(Math.max(...reported.map((text) => text.length))).toBeLessThanOrEqual(200);
    expect((await server.get(`${PERSONS}/nobody?x=1`)).headers.warning).toBeUndefined();
  });

  it('is none that is known, or that Kubernetes clients send', async () => {
    const list =
      'page=1&size=1&sort=metadata.name&labelSelector=&fieldSelector=&filter=&explain=false&watch=0&pretty=true';
    const kubectl =
      'limit=500&resourceVersion=0&timeoutSeconds=3&allowWatchBookmarks=true&includeObject=Object';
    expect(await warnings('GET', `${PERSONS}?${list}`)).toEqual([]);
    expect(await warnings('GET', `${PERSONS}?${kubectl}&timeout=32s`)).toEqual([]);
    const write = 'dryRun=All&fieldManager=kubectl-create&fieldValidation=Strict';
    expect(await warnings('POST', `${PERSONS}?${write}`, { body: person('eve') })).toEqual([]);
    const gone = 'dryRun=All&propagationPolicy=Background&gracePeriodSeconds=0&forceFinalizers=true';
    expect(await warnings('DELETE', `${PERSONS}/ann?${gone}`)).toEqual([]);
  });
});

it('the command line prints the warnings of a server when it reads', async () => {
  const { port } = server;
  // Stands between both, and misspells what the command line asks for.
  const proxy = createServer((req, res) => {
    const target = (req.url ?? '').replace('labelSelector', 'lableSelector');
    void server.send(req.method ?? 'GET', target).then(({ status, headers, text }) => {
      res.writeHead(status, { 'Content-Type': 'application/json', Warning: headers.warning ?? [] }).end(text);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : port}`;
  try {
    const { code, err } = await runCli(['list', 'persons', '-l', 'a=b', '--server', url], { cwd: '/' });
    expect([code, err]).toEqual([
      0,
      expect.stringContaining(
        'warning: unknown query parameter "lableSelector", did you mean "labelSelector"?\n',
      ),
    ]);
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
});
