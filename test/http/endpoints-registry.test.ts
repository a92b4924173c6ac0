import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { GVK, Router, RouteBuilder } from '../../src/index.js';
import { endpointOf, startEndpointServer, type EndpointServer } from '../endpoint/server.js';
import { Person } from '../helpers/models.js';

const BASE = '/apis/api.demo.example.com/v1alpha1';
/** The group of the model itself. */
const MODEL_GROUP = 'demo.example.com/v1';

@GVK({
  group: 'api.demo.example.com',
  version: 'v1alpha1',
  kind: 'Report',
  plural: 'reports',
  singular: 'report',
})
class Report {}

let server: EndpointServer;

beforeAll(async () => {
  server = await startEndpointServer();
  await server.register(Person);
});
afterEach(() => {
  for (const plugin of ['a', 'b']) server.stop(plugin);
  server.logs.length = 0;
});
afterAll(() => server.close());

const handler = (): string => 'ok';

describe('the registry of custom endpoints', () => {
  it('lists the served endpoints, and counts changes', () => {
    const before = server.endpoints.version;
    server.add('a', [
      endpointOf(
        (r) => r.GET('/x/:id', handler, (d) => d.operationId('GetX')),
        'console.api.demo.example.com/v1',
      ),
    ]);
    expect(server.endpoints.list()).toEqual([
      {
        plugin: 'a',
        group: 'console.api.demo.example.com',
        version: 'v1',
        audience: 'console',
        method: 'GET',
        path: '/apis/console.api.demo.example.com/v1/x/{id}',
        description: { operationId: 'GetX', tags: [], parameters: [], responses: [] },
      },
    ]);
    expect(server.endpoints.version).toBeGreaterThan(before);
    const added = server.endpoints.version;
    server.stop('a');
    expect(server.endpoints.list()).toEqual([]);
    expect(server.endpoints.version).toBeGreaterThan(added);
  });

  it('takes paths of 7 segments, and refuses 8', () => {
    const path = '/a/{b}/c/d';
    expect(server.add('a', [endpointOf((r) => r.GET(path, handler))])).toEqual([BASE + path]);
    server.stop('a');
    const long = `${path}/e`;
    expect(() => server.add('a', [endpointOf((r) => r.GET(long, handler))])).toThrow(BASE + long);
    expect(() => server.add('a', [endpointOf((r) => r.GET('/', handler))])).toThrow(
      'the path is that of the group',
    );
    const router = Router().get(long, handler);
    const endpoint = { groupVersion: () => 'api.demo.example.com/v1alpha1', endpoint: () => router };
    expect(() => server.add('a', [endpoint])).toThrow(BASE + long);
  });

  it('serves nothing of more than 7 segments through a router either', async () => {
    const router = Router().get('/*rest', (_req, res) => void res.send('caught'));
    server.add('a', [{ groupVersion: () => 'api.demo.example.com/v1alpha1', endpoint: () => router }]);
    expect((await server.send('GET', `${BASE}/a/b/c/d`)).text).toBe('caught');
    expect((await server.send('GET', `${BASE}/a/b/c/d/e`)).status).toBe(404);
  });

  it('serves older plugins below their own prefix', async () => {
    const paths = server.add('a', [
      endpointOf((r) => r.GET('/', handler).GET('/x/{id}', handler), 'v1alpha1'),
    ]);
    const base = '/apis/plugin.api.platform.run/v1alpha1/plugins/a';
    expect(paths).toEqual([base, `${base}/x/{id}`]);
    expect((await server.send('GET', base)).text).toBe('"ok"');
    expect((await server.send('GET', `${base}/x/1`)).text).toBe('"ok"');
    const router = Router().get('/r', (_req, res) => void res.send('router'));
    server.add('b', [{ groupVersion: () => 'v1alpha1', endpoint: () => router }]);
    expect((await server.send('GET', '/apis/plugin.api.platform.run/v1alpha1/plugins/b/r')).text).toBe(
      'router',
    );
    expect((await server.send('GET', `${base}/r`)).status).toBe(404);
    expect(server.logs).toEqual([]);
  });

  it.each([
    ['GET', '/persons'],
    ['POST', '/persons'],
    ['GET', '/persons/search'],
    ['GET', '/persons/{id}'],
    ['GET', '/persons/{id}/status'],
    ['GET', '/persons/{id}/history'],
    ['DELETE', '/{kind}/{id}'],
  ] as const)('refuses %s %s, which a model’s generated routes would hide', (method, path) => {
    const endpoint = endpointOf((r) => r[method](path, handler), MODEL_GROUP);
    const attempt = (): unknown => server.add('a', [endpoint]);
    expect(attempt).toThrow(`/apis/${MODEL_GROUP}${path.replace(/:(\w+)/, '{$1}')} of plugin "a"`);
    expect(attempt).toThrow('the model Person (persons.demo.example.com) of plugin "test"');
  });

  it('serves sub-resources beside the generated ones', async () => {
    server.add('a', [
      endpointOf((r) => r.GET('/persons/{name}/avatar', ({ params }) => params.name), MODEL_GROUP),
    ]);
    expect((await server.send('GET', '/apis/demo.example.com/v1/persons/ann/avatar')).text).toBe('"ann"');
    expect((await server.send('GET', '/apis/demo.example.com/v1/persons/ann')).json()).toMatchObject({
      code: 404,
      details: { kind: 'Person' },
    });
  });

  it('refuses a path that another plugin has, whatever its variables are called, and takes everything back', async () => {
    server.add('a', [endpointOf((r) => r.GET('/x/{id}', handler))]);
    const attempt = (): unknown =>
      server.add('b', [
        endpointOf((r) => r.GET('/fine', handler)),
        endpointOf((r) => r.POST('/x/{name}', handler).GET('/x/{name}', handler)),
      ]);
    expect(attempt).toThrow(`plugin "b": GET ${BASE}/x/{name} is already an endpoint of plugin "a"`);
    expect(server.endpoints.list().map(({ plugin }) => plugin)).toEqual(['a']);
    expect((await server.send('GET', `${BASE}/fine`)).status).toBe(404);
    expect((await server.send('POST', `${BASE}/x/1`)).status).toBe(405);
    expect(server.add('b', [endpointOf((r) => r.POST('/x/{name}', handler))])).toHaveLength(1);
  });

  it('refuses the same path twice in one plugin, and one that a router is known to have', () => {
    const twice = endpointOf((r) => r.GET('/x', handler).GET('/x/', handler));
    expect(() => server.add('a', [twice])).toThrow(`GET ${BASE}/x is already an endpoint of plugin "a"`);
    const router = Router().use('/deep', Router().get('/:id', handler));
    server.add('a', [{ groupVersion: () => 'api.demo.example.com/v1alpha1', endpoint: () => router }]);
    expect(() => server.add('b', [endpointOf((r) => r.GET('/deep/{x}', handler))])).toThrow(
      'a router of plugin "a"',
    );
  });

  it('tells a model that comes later and would hide an endpoint', () => {
    server.add('a', [endpointOf((r) => r.GET('/reports/{name}', handler))]);
    const scheme = server.registry.register(Report, 'late');
    try {
      expect(() => server.endpoints.checkModel(scheme)).toThrow(
        `the endpoint ${BASE}/reports/{name} of plugin "a" collides with the generated routes of the model Report ` +
          `(reports.api.demo.example.com) of plugin "late"`,
      );
      server.stop('a');
      expect(() => server.endpoints.checkModel(scheme)).not.toThrow();
    } finally {
      server.registry.unregister(Report);
    }
  });

  it('refuses the paths of the platform and its groups', () => {
    const batches = endpointOf((r) => r.POST('/batches', handler), 'api.platform.run/v1alpha1');
    expect(() => server.add('a', [batches])).toThrow('"api.platform.run" is reserved');
    for (const plural of ['batches', 'backups', 'checks', 'modelplans', 'storedversions']) {
      const own = endpointOf((r) => r.POST(`/${plural}`, handler), 'api.platform.run/v1alpha1');
      expect(() => server.add('a', [own], { isPlatform: true })).toThrow(
        'already an endpoint of the platform',
      );
    }
  });

  it('warns about a group that is of none of the plugin’s models', () => {
    server.add('a', [endpointOf((r) => r.GET('/x', handler))]);
    server.add('b', [endpointOf((r) => r.GET('/x', handler), 'uc.api.elsewhere.org/v1')]);
    expect(server.logs.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'warn: the endpoint group "api.demo.example.com" belongs to the model group "demo.example.com", which is of models of plugin "test", not of this plugin',
      'warn: the endpoint group "uc.api.elsewhere.org" belongs to the model group "elsewhere.org", which is of no registered model, not of this plugin',
    ]);
  });

  it('removes routes at once; a request under way is notified and may finish', async () => {
    let begun: () => void = () => undefined;
    const started = new Promise<void>((resolve) => (begun = resolve));
    server.add('a', [
      endpointOf((r) =>
        r.GET('/slow', ({ signal }) => {
          begun();
          return new Promise((resolve) =>
            signal.addEventListener('abort', () => setTimeout(resolve, 20, 'finished')),
          );
        }),
      ),
    ]);
    const slow = server.send('GET', `${BASE}/slow`);
    await started;
    server.stop('a');
    expect((await server.send('GET', `${BASE}/slow`)).status).toBe(404);
    expect(await slow).toMatchObject({ status: 200, text: '"finished"' });
  });

  it('leaves nothing behind after a hundred rounds', async () => {
    const round = (): void => {
      const router = Router().get('/r', handler);
      server.add('a', [
        { groupVersion: () => 'api.demo.example.com/v1alpha1', endpoint: () => router },
        {
          groupVersion: () => 'api.demo.example.com/v1alpha1',
          endpoint: () => RouteBuilder.route().GET('/x/{id}', handler).GET('/x/y', handler).build(),
        },
      ]);
      server.stop('a');
    };
    for (let i = 0; i < 100; i++) round();
    expect(server.endpoints.kept).toEqual({ plugins: 0, routes: 0, routers: 0 });
    expect(server.endpoints.list()).toEqual([]);
    expect((await server.send('GET', `${BASE}/x/1`)).status).toBe(404);
  });
});
