import semver from 'semver';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import { IndexSpecs } from '../../src/model/declare/index-spec.js';
import { PERSONS, PERSON_REF, person, rawAnswer, startTestServer, type TestServer } from '../helpers/http.js';
import { removeDirectories } from '../helpers/store.js';

const BODY_MAX = 4096;
let server: TestServer;
let unready: string | undefined;

@GVK({ group: '', version: 'v1', kind: 'Note', plural: 'notes', singular: 'note' })
class Note extends AbstractExtension {
  static readonly schema = { type: 'object', properties: { spec: { type: 'object' } } };
}

beforeAll(async () => {
  server = await startTestServer({ bodyBytesMax: BODY_MAX, unready: () => unready });
  const note = server.registry.register(Note, 'test', undefined, { allowReservedGroup: true });
  await server.service.models.open(note);
});
afterEach(async () => {
  expect(await server.check()).toEqual([]);
  await server.clear();
});
afterAll(async () => {
  await server.close();
  removeDirectories();
});

const failure = (code: number, reason: string) => ({ kind: 'Status', status: 'Failure', code, reason });

describe('the list of models', () => {
  const MODELS = '/apis/api.platform.run/v1alpha1/models';
  const changedAfter = async (after: string) => {
    const { metadata, items } = (await server.get(`${MODELS}?changedAfter=${after}`)).json();
    return {
      at: String(metadata.resourceVersion),
      models: items.map(({ plural, lastChange }) => [plural, lastChange]),
    };
  };

  it('is compressed for clients that accept it', async () => {
    const plain = await server.get(MODELS);
    expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([
      undefined,
      'Accept, Accept-Encoding',
    ]);
    const zipped = await fetch(server.url + MODELS, { headers: { 'accept-encoding': 'gzip' } });
    expect(zipped.headers.get('content-encoding')).toBe('gzip');
    expect(Number(zipped.headers.get('content-length'))).toBeLessThan(plain.text.length / 3);
    expect(await zipped.json()).toEqual(plain.json());
    const refused = await fetch(server.url + MODELS, {
      headers: { 'accept-encoding': 'gzip;q=0, identity' },
    });
    expect(refused.headers.get('content-encoding')).toBe(null);
  });

  it('tells which were changed after a revision, and where each was changed last', async () => {
    const { at: before } = await changedAfter('0');
    expect(await changedAfter(before)).toEqual({ at: before, models: [] });
    const made = (await server.send('POST', PERSONS, { body: person('ann') })).json();
    const first = String(made.metadata.resourceVersion);
    expect(await changedAfter(before)).toEqual({ at: first, models: [['persons', first]] });
    expect(await changedAfter(first)).toEqual({ at: first, models: [] });
    await server.send('POST', '/api/v1/notes', { body: { metadata: { name: 'a' } } });
    const second = String(Number(first) + 1);
    expect(await changedAfter(first)).toEqual({ at: second, models: [['notes', second]] });
    await server.send('DELETE', `${PERSONS}/ann`);
    await server.send('DELETE', '/api/v1/notes/a');
    const [third, fourth] = [Number(first) + 2, Number(first) + 3].map(String);
    expect(await changedAfter(before)).toEqual({
      at: fourth,
      models: [
        ['notes', fourth],
        ['persons', third],
      ],
    });
    // Of another store, or of this one before it was restored.
    expect(await changedAfter('999999')).toEqual({ at: fourth, models: [] });
  });

  it.each(['', '-1', '1.5', 'now', '9007199254740993'])('refuses the revision "%s"', async (after) => {
    const answer = await server.get(`${MODELS}?changedAfter=${after}`);
    expect(answer.json()).toMatchObject(failure(400, 'BadRequest'));
    expect(answer.json().message).toContain('changedAfter');
  });

  it('is whole without a revision, and names parameters that it does not know', async () => {
    const all = await server.get(MODELS);
    expect(all.json().items.map(({ plural }) => plural)).toEqual(
      expect.arrayContaining(['notes', 'persons']),
    );
    expect(all.text).not.toContain('lastChange');
    expect((await server.get(`${MODELS}?changedAftr=1`)).headers.warning).toContain('changedAfter');
  });
});

describe('methods and types', () => {
  it.each([
    ['PUT', PERSONS, 'GET, HEAD, POST'],
    ['DELETE', PERSONS, 'GET, HEAD, POST'],
    ['POST', `${PERSONS}/ann`, 'GET, HEAD, PUT, PATCH, DELETE'],
    ['DELETE', `${PERSONS}/ann/status`, 'GET, HEAD, PUT, PATCH'],
    ['OPTIONS', PERSONS, 'GET, HEAD, POST'],
    ['PROPFIND', `${PERSONS}/ann`, 'GET, HEAD, PUT, PATCH, DELETE'],
    ['POST', '/version', 'GET, HEAD'],
    ['DELETE', '/apis', 'GET, HEAD'],
    ['PUT', '/livez', 'GET, HEAD'],
    ['GET', '/apis/api.platform.run/v1alpha1/batches', 'POST'],
  ])('answers %s %s with 405 and what is allowed', async (method, target, allowed) => {
    const answer = await server.send(method, target);
    expect(answer.json()).toMatchObject(failure(405, 'MethodNotAllowed'));
    expect(answer.headers.allow).toBe(allowed);
  });

  it.each([
    'text/plain',
    'application/xml',
    'application/json; charset=latin1',
    'multipart/form-data',
    'application/vnd.kubernetes.protobuf',
  ])('answers a body of type "%s" with 415', async (type) => {
    for (const [method, target] of [
      ['POST', PERSONS],
      ['PUT', `${PERSONS}/ann`],
    ] as const) {
      const answer = await server.send(method, target, { body: '{}', headers: { 'content-type': type } });
      expect(answer.json()).toMatchObject(failure(415, 'UnsupportedMediaType'));
    }
  });

  it('answers a compressed body with 415', async () => {
    const headers = { 'content-encoding': 'gzip' };
    expect((await server.send('POST', PERSONS, { body: {}, headers })).status).toBe(415);
  });

  it.each([
    ['a length', false],
    ['chunks', true],
  ])('takes a body at the limit with %s, and not one byte more', async (_how, chunked) => {
    const text = JSON.stringify(person('ann'));
    const most = await server.send('POST', PERSONS, { body: text.padEnd(BODY_MAX), chunked });
    expect(most.status).toBe(201);
    await server.clear();
    const answer = await server.send('POST', PERSONS, { body: text.padEnd(BODY_MAX + 1), chunked });
    expect(answer.json()).toMatchObject(failure(413, 'RequestEntityTooLarge'));
    expect(await server.service.count(PERSON_REF)).toBe(0);
  });

  it('holds the limit for every verb with a body', async () => {
    const body = ' '.repeat(BODY_MAX + 1);
    const type = (name: string) => ({ 'content-type': `application/${name}` });
    const sends = [
      server.send('PUT', `${PERSONS}/a`, { body }),
      server.send('PATCH', `${PERSONS}/a`, { body, headers: type('merge-patch+json') }),
      server.send('DELETE', `${PERSONS}/a`, { body }),
      // One in JSON may be larger.
      server.send('POST', '/apis/api.platform.run/v1alpha1/batches', { body, headers: type('yaml') }),
    ];
    for (const answer of await Promise.all(sends)) expect(answer.status).toBe(413);
  });
});

describe('the paths of the service', () => {
  it('answers an unknown model with a 404 Status', async () => {
    for (const target of [
      '/apis/demo.example.com/v1alpha1/cats',
      '/apis/x.y/v1/persons/a',
      '/api/v1/cats',
      '/x',
    ]) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        const answer = await server.send(method, target);
        expect(answer.json()).toMatchObject(failure(404, 'NotFound'));
      }
    }
  });

  it('serves models of the empty group under /api', async () => {
    const created = await server.send('POST', '/api/v1/notes', { body: { metadata: { name: 'one' } } });
    expect([created.status, created.headers.location]).toEqual([201, '/api/v1/notes/one']);
    expect(created.json()).toMatchObject({ apiVersion: 'v1', kind: 'Note' });
    expect((await server.get('/api/v1/notes')).json()).toMatchObject({
      apiVersion: 'v1',
      kind: 'NoteList',
      total: 1,
    });
    expect((await server.get('/api/v1/notes/one')).status).toBe(200);
    expect((await server.send('DELETE', '/api/v1/notes/one')).status).toBe(200);
    expect((await server.get('/api')).json()).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    expect((await server.get('/api/v1')).json().resources).toMatchObject([
      { name: 'notes', kind: 'Note' },
      {},
    ]);
    const { groups } = (await server.get('/apis')).json();
    expect(JSON.stringify(groups)).not.toContain('""');
  });

  it('lets a slash at the end be', async () => {
    expect((await server.get(`${PERSONS}/`)).json().kind).toBe('PersonList');
  });

  it('answers 503 with Retry-After while indexes are built, and reads nothing', async () => {
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const { engine } = server.store;
    const commit = engine.commit.bind(engine);
    await server.register(Late);
    await server.send('POST', '/apis/late.example.com/v1/lates', { body: { metadata: { name: 'l' } } });
    const scheme = server.registry.schemes().find(({ resource }) => resource.kind === 'Late');
    if (scheme === undefined) throw new Error('no scheme');
    server.service.models.close(scheme.resource);
    server.registry.unregister(Late);
    expect((await server.get('/apis/late.example.com/v1/lates')).status).toBe(404);

    engine.commit = async (body, options) => {
      await gate;
      return commit(body, options);
    };
    const building = server.register(Late, (specs) => {
      specs.add(IndexSpecs.single<Late, string>('kind', 'string').indexFunc((o) => o.kind));
    });
    for (const [method, target] of [
      ['GET', '/apis/late.example.com/v1/lates'],
      ['GET', '/apis/late.example.com/v1/lates/l'],
      ['POST', '/apis/late.example.com/v1/lates'],
      ['DELETE', '/apis/late.example.com/v1/lates/l'],
    ] as const) {
      const answer = await server.send(method, target, method === 'POST' ? { body: {} } : {});
      expect(answer.json()).toMatchObject(failure(503, 'ServiceUnavailable'));
      expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    }
    engine.commit = commit;
    open();
    await building;
    expect((await server.get('/apis/late.example.com/v1/lates?fieldSelector=kind=Late')).json().total).toBe(
      1,
    );
  });
});

@GVK({ group: 'late.example.com', version: 'v1', kind: 'Late', plural: 'lates', singular: 'late' })
class Late extends AbstractExtension {
  static readonly schema = { type: 'object', properties: { spec: { type: 'object' } } };
}

describe('discovery', () => {
  it('lists the groups with their versions', async () => {
    const version = { groupVersion: 'demo.example.com/v1alpha1', version: 'v1alpha1' };
    const group = { name: 'demo.example.com', versions: [version], preferredVersion: version };
    const answer = (await server.get('/apis')).json();
    expect(answer).toMatchObject({ kind: 'APIGroupList', apiVersion: 'v1' });
    expect(answer.groups).toContainEqual(group);
    const one = (await server.get('/apis/demo.example.com')).json();
    expect(one).toEqual({ kind: 'APIGroup', apiVersion: 'v1', ...group });
  });

  it('describes the models of a version and their status', async () => {
    const answer = (await server.get('/apis/demo.example.com/v1alpha1?timeout=32s')).json();
    expect(answer).toMatchObject({
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: 'demo.example.com/v1alpha1',
      resources: [
        { name: 'persons', singularName: 'person', namespaced: false, kind: 'Person', shortNames: ['pe'] },
        { name: 'persons/status', namespaced: false, kind: 'Person', verbs: ['get', 'patch', 'update'] },
      ],
    });
  });

  it.each(['/apis/nope.example.com', '/apis/demo.example.com/v9', '/api/v9', '/apis/%E0%A4%A', '/api/%'])(
    'answers %s with a Status',
    async (target) => {
      const answer = await server.get(target);
      expect([400, 404]).toContain(answer.status);
      expect(answer.json()).toMatchObject({ kind: 'Status', code: answer.status });
    },
  );

  const aggregated = (version: string): string =>
    `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;

  it.each(['v2', 'v2beta1'])('is one answer for a client that wants it so, in %s', async (version) => {
    const accept = `${aggregated('v9')},${aggregated(version)},application/json`;
    const answer = await server.get('/apis', { accept });
    expect(answer.headers['content-type']).toBe(aggregated(version));
    expect(answer.json()).toMatchObject({
      kind: 'APIGroupDiscoveryList',
      apiVersion: `apidiscovery.k8s.io/${version}`,
    });
    const responseKind = { group: 'demo.example.com', version: 'v1alpha1', kind: 'Person' };
    expect(answer.json().items).toContainEqual({
      metadata: { name: 'demo.example.com' },
      versions: [
        {
          version: 'v1alpha1',
          freshness: 'Current',
          resources: [
            {
              resource: 'persons',
              responseKind,
              scope: 'Cluster',
              singularResource: 'person',
              verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
              shortNames: ['pe'],
              subresources: [{ subresource: 'status', responseKind, verbs: ['get', 'patch', 'update'] }],
            },
          ],
        },
      ],
    });
  });

  it('in one answer has the core version, with its models', async () => {
    const answer = await server.get('/api', { accept: aggregated('v2') });
    expect(answer.json().items).toMatchObject([
      { metadata: { name: '' }, versions: [{ version: 'v1', resources: [{ resource: 'notes' }] }] },
    ]);
  });

  it('is one answer, as JSON, also for a client that accepts YAML too, but not for one that prefers YAML', async () => {
    const answer = await server.get('/apis', { accept: `${aggregated('v2')},application/yaml` });
    expect([answer.headers['content-type'], answer.json().kind]).toEqual([
      aggregated('v2'),
      'APIGroupDiscoveryList',
    ]);
    const other = await server.get('/apis', { accept: `${aggregated('v2')};q=0.5,application/yaml` });
    expect(other.headers['content-type']).toBe('application/yaml');
    expect(other.text).toMatch(/^kind: APIGroupList$/m);
  });

  it('has an OpenAPI 2 document in protobuf for kubectl, which says nothing but its version', async () => {
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    const answer = await server.get('/openapi/v2', { accept });
    expect([answer.status, answer.text]).toEqual([200, '\n\u00032.0']);
    expect(answer.headers['content-type']).toMatch(/\.v2\.v1\.0\+protobuf$/);
    const other = await server.get('/openapi/v2', { accept: 'application/json' });
    expect([other.status, other.json().swagger]).toEqual([200, '2.0']);
  });
});

describe('version and health', () => {
  it('tells a version that Kubernetes clients can parse', async () => {
    const { gitVersion, major, minor } = (await server.get('/version?timeout=5s')).json();
    expect(semver.parse(String(gitVersion))).not.toBeNull();
    expect([major, minor]).toEqual(['1', expect.stringMatching(/^\d+$/)]);
  });

  it('is asked with parameters that it knows, and tells of others', async () => {
    for (const path of ['/version', '/apis', '/api']) {
      expect((await server.get(`${path}?timeout=32s`)).headers.warning).toBeUndefined();
      expect((await server.get(`${path}?tmeout=32s`)).headers.warning).toMatch(
        /"tmeout.*did you mean.*timeout/,
      );
    }
  });

  it('tells all members of a version that Kubernetes has, as texts', async () => {
    const { buildDate, ...info } = (await server.get('/version')).json();
    const text = expect.stringMatching(/./) as unknown;
    expect(info).toMatchObject({
      gitVersion: text,
      gitCommit: text,
      gitTreeState: 'archive',
      goVersion: expect.stringContaining('node') as unknown,
      compiler: expect.stringContaining('V8') as unknown,
      platform: `${process.platform}/${process.arch}`,
      xsvcVersion: '0.1.0',
    });
    expect(buildDate).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(Date.parse(String(buildDate))).toBeLessThanOrEqual(Date.now());
  });

  it('tells at / which paths are served, and that they are', async () => {
    const { paths } = (await server.get('/', { accept: '*/*' })).json();
    const all = paths as string[];
    expect(all).toEqual([...new Set(all)].sort());
    expect(all).toEqual(
      expect.arrayContaining(['/', '/api', '/apis', '/apis/demo.example.com/v1alpha1', PERSONS, '/metrics']),
    );
    for (const target of all) expect([target, (await server.get(target)).status]).not.toContain(404);
    expect((await server.get('/', { accept: 'application/yaml' })).text).toMatch(/^paths:\n {2}- \/\n/);
    expect((await server.send('POST', '/')).status).toBe(405);
  });

  it('shows a browser a page of links at /, under a policy that allows nothing else', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const { status, headers, text } = await server.get('/', { accept });
    expect([status, headers['content-type'], headers.vary]).toEqual([
      200,
      'text/html; charset=utf-8',
      expect.stringContaining('Accept'),
    ]);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; /);
    const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, url = '']) => url);
    expect(links).toEqual(
      expect.arrayContaining(['/swagger-ui.html', '/metrics', '/readyz?verbose', `${PERSONS}?size=20`]),
    );
    for (const url of links) expect([url, (await server.get(url)).status]).toEqual([url, 200]);
  });

  it('answers ok, and 503 where readiness counts while it is not ready', async () => {
    for (const target of ['/livez', '/readyz', '/healthz', '/readyz?other=x']) {
      const answer = await server.get(target);
      expect([answer.status, answer.text]).toEqual([200, 'ok']);
      expect(answer.headers['content-type']).toMatch(/^text\/plain/);
    }
    unready = 'plugins are starting';
    for (const target of ['/readyz', '/healthz']) {
      expect((await server.get(target)).json()).toMatchObject({ code: 503, message: unready });
    }
    expect((await server.get('/livez')).status).toBe(200);
    unready = undefined;
  });

  it('lists the checks of its health with verbose, and why one of them fails', async () => {
    const reported = async (target: string): Promise<unknown> => {
      const { status, headers, text } = await server.get(target);
      return [status, headers['content-type'], headers['retry-after'], text];
    };
    const type = 'text/plain; charset=utf-8';
    const ready = '[+]ping ok\n[+]plugins ok\nreadyz check passed\n';
    expect(await reported('/readyz?verbose')).toEqual([200, type, undefined, ready]);
    unready = 'plugins are\nstarting';
    const failing = '[+]ping ok\n[-]plugins failed: plugins are starting\n';
    expect(await reported('/readyz?verbose')).toEqual([503, type, '1', `${failing}readyz check failed\n`]);
    expect(await reported('/healthz?verbose=true')).toEqual([
      503,
      type,
      '1',
      `${failing}healthz check failed\n`,
    ]);
    const live = '[+]ping ok\nlivez check passed\n';
    expect(await reported('/livez?verbose')).toEqual([200, type, undefined, live]);
    expect((await server.send('HEAD', '/readyz?verbose')).status).toBe(503);
    unready = undefined;
  });

  it('does not name its framework', async () => {
    const { headers } = await server.get('/version');
    expect(headers).not.toHaveProperty('x-powered-by');
  });
});

describe('the Host guard', () => {
  const ask = (headers: string) =>
    server.raw(`GET ${PERSONS} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`).then(rawAnswer);

  it.each([
    'localhost',
    'LOCALHOST:8090',
    '127.0.0.1',
    '127.1.2.3:1',
    '[::1]:8090',
    'app.localhost',
    'localhost.',
  ])('lets %s in', async (host) => {
    expect((await ask(`Host: ${host}\r\n`)).status).toBe(200);
  });

  it.each([
    'evil.example',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '10.0.0.1',
    '',
    '0.0.0.0',
    'localhost@evil',
  ])('keeps "%s" out', async (host) => {
    const { status, body } = await ask(`Host: ${host}\r\n`);
    expect([status, JSON.parse(body)]).toMatchObject([403, failure(403, 'Forbidden')]);
  });

  it('is open where authentication is not by address, except for requests without a Host', async () => {
    const open = await startTestServer({ loopbackOnly: false });
    try {
      expect((await open.get('/livez', { host: 'anything.example' })).status).toBe(200);
      const bare = await open.raw(`GET ${PERSONS} HTTP/1.1\r\nConnection: close\r\n\r\n`);
      expect(JSON.parse(rawAnswer(bare).body)).toMatchObject(failure(400, 'BadRequest'));
      expect(await open.raw('GET /livez HTTP/1.0\r\n\r\n')).toMatch(/200 OK/);
    } finally {
      await open.close();
    }
  });

  it('guards everything, not only the objects', async () => {
    for (const target of [
      '/livez',
      '/version',
      '/apis',
      '/nope',
      '/apis/api.platform.run/v1alpha1/batches',
    ]) {
      expect((await server.get(target, { host: 'evil.example' })).status).toBe(403);
    }
  });
});

describe('a defect', () => {
  it('is a 500 with an id that is in the log, and no stack or path', async () => {
    const { store } = server.service;
    const read = store.read.bind(store);
    store.read = () => {
      throw new Error('broken at /secret/place.ts:1');
    };
    let answer;
    try {
      answer = await server.get(PERSONS);
    } finally {
      store.read = read;
    }
    expect(answer.json()).toMatchObject(failure(500, 'InternalError'));
    expect(answer.headers).not.toHaveProperty('retry-after');
    expect(answer.text).not.toMatch(/secret|\.ts|\.js|at .*:\d/);
    const id = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(answer.json().message)?.[0];
    const [line] = server.logs.filter(({ level }) => level === 'error');
    expect(line?.fields).toMatchObject({ id });
    expect(line?.message).toContain('/secret/place.ts');
    server.logs.length = 0;
    expect((await server.get(PERSONS)).status).toBe(200);
  });
});
