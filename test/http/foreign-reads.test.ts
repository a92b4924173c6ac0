import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PluginAssets } from '../../src/http/plugins/plugin-assets.js';
import { endpointOf, startEndpointServer, type EndpointServer } from '../endpoint/server.js';
import { PERSONS, PERSON_REF, person, startTestServer, type TestServer } from '../helpers/http.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const APP = 'https://app.example';
const ENDPOINT = '/apis/api.demo.example.com/v1alpha1/things';
const ASSET = '/plugins/shop/assets/logo.svg';
const NAVIGATION = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

/** `Sec-Fetch-Mode` and `Sec-Fetch-Dest` as browsers send them, and what does. */
const LOADS = [
  ['no-cors', 'empty', 'fetch without CORS, a beacon'],
  ['cors', 'empty', 'fetch, XMLHttpRequest'],
  ['cors', 'script', 'a module'],
  ['no-cors', 'script', 'a script'],
  ['no-cors', 'style', 'a style sheet'],
  ['no-cors', 'image', 'a picture'],
  ['no-cors', 'video', 'a film'],
  ['no-cors', 'track', 'subtitles'],
  ['no-cors', 'worker', 'a worker'],
  ['no-cors', 'object', 'an object'],
  ['navigate', 'object', 'an object that shows a document'],
  ['navigate', 'embed', 'an embedded document'],
  ['navigate', 'iframe', 'a frame'],
  ['navigate', 'frame', 'a frame of a set'],
  ['navigate', '', 'a frame of an old browser'],
  ['websocket', 'websocket', 'a socket'],
] as const;

let server: TestServer;
let open: TestServer;
let everybodys: TestServer;
let custom: EndpointServer;
let called = 0;

beforeAll(async () => {
  const consoleDirectory = temporaryDirectory();
  writeFileSync(path.join(consoleDirectory, 'index.html'), '<p>console</p>');
  writeFileSync(path.join(consoleDirectory, 'app.js'), 'none');
  const plugin = temporaryDirectory();
  mkdirSync(path.join(plugin, 'public'));
  writeFileSync(path.join(plugin, 'public', 'logo.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  const assets = new PluginAssets();
  assets.add('shop', plugin);
  server = await startTestServer({ consoleDirectory, assets });
  open = await startTestServer({ allowedOrigins: new Set([APP]) });
  everybodys = await startTestServer({ allowedOrigins: new Set(['*']) });
  custom = await startEndpointServer();
  custom.add('a', [endpointOf((r) => r.GET('/things', () => ({ called: ++called })))]);
  for (const one of [server, open, everybodys]) await one.service.create(PERSON_REF, person('ann'));
});
afterAll(async () => {
  await Promise.all([server, open, everybodys, custom].map((one) => one.close()));
  removeDirectories();
});

describe.each(['cross-site', 'same-site'])('a read that a %s page asks for', (site) => {
  const from = (mode: string, dest: string): Record<string, string> => ({
    'sec-fetch-site': site,
    'sec-fetch-mode': mode,
    ...(dest && { 'sec-fetch-dest': dest }),
  });

  it.each(LOADS)('is refused: %s %s (%s)', async (mode, dest) => {
    for (const method of ['GET', 'HEAD', 'OPTIONS'])
      for (const target of ['/', '/console/', PERSONS, `${PERSONS}/ann`, `${PERSONS}/nobody`, '/nothing'])
        expect([target, (await server.send(method, target, { headers: from(mode, dest) })).status]).toEqual([
          target,
          403,
        ]);
  });

  it.each([
    ...['/apis', '/openapi/v2', '/openapi/v3', '/v3/api-docs', '/metrics', '/livez', '/readyz', '/version'],
    ...[`${PERSONS}?watch=true`, `${PERSONS}/ann/status`, `${PERSONS}/ann/history`, '/plugins/shop/secret'],
    ...['/console/app.js', '/swagger-ui/swagger-ui.css', '/plugins/shop/assetsx'],
  ])('is refused at %s, also when the answer is to be shown by itself', async (target) => {
    for (const headers of [from('no-cors', 'image'), { ...NAVIGATION, 'sec-fetch-site': site }]) {
      const answer = await server.get(target, headers);
      expect([answer.status, answer.json()]).toMatchObject([403, { kind: 'Status', reason: 'Forbidden' }]);
    }
  });

  it('looks the same with and without such an object', async () => {
    const headers = from('navigate', 'object');
    const [one, none] = await Promise.all(
      ['ann', 'nobody'].map((n) => server.get(`${PERSONS}/${n}`, headers)),
    );
    expect([one?.status, one?.text]).toEqual([none?.status, none?.text]);
  });

  it('does not reach a custom endpoint', async () => {
    expect((await custom.send('GET', ENDPOINT, { headers: from('no-cors', 'empty') })).status).toBe(403);
    expect(called).toBe(0);
  });

  it.each(['/', '/console', '/console/', '/swagger-ui.html'])('may open the page %s', async (target) => {
    const headers = { ...NAVIGATION, 'sec-fetch-site': site, accept: 'text/html' };
    for (const method of ['GET', 'HEAD'])
      expect([200, 302, 308]).toContain((await server.send(method, target, { headers })).status);
    for (const method of ['OPTIONS', 'POST', 'PUT'])
      expect((await server.send(method, target, { headers })).status).toBe(403);
  });

  it('may load files of plugins, for their pages are of no site', async () => {
    for (const headers of [from('no-cors', 'image'), from('navigate', 'iframe')]) {
      const answer = await server.get(ASSET, headers);
      expect([answer.status, answer.headers['cross-origin-resource-policy']]).toEqual([200, 'cross-origin']);
    }
    expect((await server.send('OPTIONS', ASSET, { headers: from('cors', 'empty') })).status).toBe(403);
  });

  it('is answered where the origin is allowed and named', async () => {
    const headers = { ...from('cors', 'empty'), origin: APP };
    expect((await open.get(PERSONS, headers)).status).toBe(200);
    expect((await everybodys.get(PERSONS, { ...headers, origin: 'https://any.example' })).status).toBe(200);
    expect((await open.get(PERSONS, { ...headers, origin: 'https://other.example' })).status).toBe(403);
    for (const one of [open, everybodys])
      expect((await one.get(PERSONS, from('no-cors', 'image'))).status).toBe(403);
  });
});

it.each(['same-origin', 'none', undefined])('a read with Sec-Fetch-Site %s is answered', async (site) => {
  for (const [mode, dest] of LOADS) {
    const rest = { 'sec-fetch-mode': mode, 'sec-fetch-dest': dest };
    const headers = site === undefined ? rest : { ...rest, 'sec-fetch-site': site };
    expect((await server.get(`${PERSONS}/ann`, headers)).status).toBe(200);
  }
});

it('a refused read is in the log', async () => {
  const before = server.logs.length;
  await server.get(`${PERSONS}?filter=secret`, { 'sec-fetch-site': 'cross-site' });
  // Others of this file may have taken all lines of this minute.
  const lines = [...server.logs.slice(before), ...server.logs].filter(({ level }) => level === 'warn');
  expect(lines[0]?.message).toContain('rejected a read of a web page');
  expect(JSON.stringify(lines)).not.toContain('secret');
});
