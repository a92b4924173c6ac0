import path from 'node:path';
import * as express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BasePlugin } from '../../src/index.js';
import * as xsvc from '../../src/index.js';
import { SILENT } from '../../src/lib/log/logger.js';
import type { PluginContext } from '../../src/plugin/context.js';
import { loadPlugin } from '../../src/plugin/load.js';
import { LiveComponents } from '../../src/daemon/live-components.js';
import { manifestText, sourceIn, temporaryDirectory, writeFiles } from '../plugin/helpers.js';
import { startEndpointServer, type EndpointServer } from '../endpoint/server.js';

const TYPESCRIPT = `
import { ApiVersion, BasePlugin, GetMapping, ListResult, Min, NotNull, PostMapping, RequestMapping, RouteBuilder,
  Router, Schema, Size, SortableRequest, validateBody, type CustomEndpoint, type EndpointRequest } from 'xsvc';
import express from 'express';

class Order {
  @NotNull @Size({ min: 2, max: 10 }) @Schema({ type: 'string' }) name!: string;
  @Min(1) @Schema({ type: 'integer' }) amount?: number;
  total(price: number): number { return price * (this.amount ?? 1); }
}

class ItemQuery extends SortableRequest {
  @Schema({ type: 'integer' }) minPrice?: number;
}

@ApiVersion('console.api.demo.example.com/v1alpha1')
@RequestMapping('/orders')
export class OrderController {
  private readonly price = 3;
  @GetMapping('/{name}/total', (d) => d.operationId('GetTotal'))
  total(req: EndpointRequest) { return { name: req.params.name, price: this.price }; }
  @GetMapping list(req: EndpointRequest) {
    const query = ItemQuery.from(req);
    return { ...query.toListOptions(), minPrice: query.minPrice };
  }
  @PostMapping() create(req: EndpointRequest) { return { total: validateBody(req, Order).total(this.price) }; }
}

export class Forgotten {
  @GetMapping('/forgotten') get() { return 1; }
}

export class ItemEndpoint implements CustomEndpoint {
  groupVersion() { return { group: 'api.demo.example.com', version: 'v1alpha1' }; }
  endpoint() {
    return RouteBuilder.route().GET('/items', () => [], (d) => d.operationId('ListItems').parameters(ItemQuery)).build();
  }
}

export const legacy: CustomEndpoint = {
  groupVersion: () => 'v1alpha1',
  endpoint: () => {
    const router = Router();
    router.use(express.json());
    router.post('/echo', (req, res) => { res.json(req.body); });
    return router;
  },
};

export default class ShopPlugin extends BasePlugin {}
void ListResult;
`;

const JAVASCRIPT = `
import { ApiVersion, BasePlugin, GetMapping, RouteBuilder, mapMethods, respond, validateBody } from 'xsvc';

export class Greeter {
  hello({ params }) { return respond(202, { hello: params.name }); }
}
ApiVersion('uc.api.demo.example.com/v1')(Greeter);
mapMethods(Greeter, { hello: GetMapping('/greetings/{name}') });

export const checked = {
  groupVersion: () => 'uc.api.demo.example.com/v1',
  endpoint: () => RouteBuilder.route()
    .POST('/checked', (req) => validateBody(req, { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } }))
    .build(),
};

export default class Plain extends BasePlugin {}
`;

let server: EndpointServer;

/** Makes a plugin's components live as the daemon does. Answers with its described routes. */
async function addPlugin(name: string, file: string, text: string): Promise<readonly string[]> {
  const directory = await temporaryDirectory();
  await writeFiles(directory, { 'plugin.yaml': manifestText(name), [file]: text });
  const source = await sourceIn(directory);
  const { exports } = await loadPlugin(source, {
    hostModules: new Map<string, object>([
      ['xsvc', xsvc],
      ['express', express],
    ]),
    cacheDirectory: path.join(directory, 'cache'),
  });
  const logger = { ...SILENT, warn: (message: string) => void warnings.push(message) };
  const context = { name, logger, signal: new AbortController().signal } as PluginContext;
  const instance = new OtherPlugin(context);
  const components = new LiveComponents({
    endpoints: server.endpoints,
    controllers: undefined,
    platformPlugins: [],
    models: () => [],
  });
  (await components.prepare({ ...source, exports, context, instance, schemes: [] })).goLive();
  return server.endpoints
    .list()
    .filter(({ plugin }) => plugin === name)
    .map(({ method, path: whole }) => `${method} ${whole}`);
}

class OtherPlugin extends BasePlugin {}

const warnings: string[] = [];

beforeAll(async () => {
  server = await startEndpointServer();
});
afterAll(() => server.close());

describe('the endpoints of a plugin', () => {
  it('in TypeScript are found, served and described', async () => {
    expect(await addPlugin('shop', 'index.ts', TYPESCRIPT)).toEqual([
      'GET /apis/api.demo.example.com/v1alpha1/items',
      'GET /apis/console.api.demo.example.com/v1alpha1/orders/{name}/total',
      'GET /apis/console.api.demo.example.com/v1alpha1/orders',
      'POST /apis/console.api.demo.example.com/v1alpha1/orders',
    ]);
    expect(warnings.filter((text) => text.includes('Forgotten'))).toHaveLength(1);
    const orders = '/apis/console.api.demo.example.com/v1alpha1/orders';
    expect((await server.send('GET', `${orders}/ann/total`)).json()).toEqual({ name: 'ann', price: 3 });
    const listed = await server.send('GET', `${orders}?page=2&minPrice=7&sort=a,desc`);
    expect(listed.json()).toEqual({ page: 2, size: 0, sort: ['a,desc'], minPrice: 7 });
    expect((await server.send('POST', orders, { body: { name: 'abc', amount: 2 } })).json()).toEqual({
      total: 6,
    });
    const refused = await server.send('POST', orders, {
      body: { amount: 0 },
      headers: { 'accept-language': 'ja' },
    });
    expect(refused.json().details.causes.map(({ field }) => field)).toEqual(['name', 'amount']);
    const echo = '/apis/plugin.api.platform.run/v1alpha1/plugins/shop/echo';
    expect((await server.send('POST', echo, { body: { a: 1 } })).json()).toEqual({ a: 1 });
    const document = (await server.send('GET', '/v3/api-docs')).json() as unknown as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    expect(document.paths[`${orders}/{name}/total`]?.get?.operationId).toBe('GetTotal');
    expect(document.paths[echo]).toBeUndefined();
  });

  it('in plain JavaScript too', async () => {
    expect(await addPlugin('plain', 'index.js', JAVASCRIPT)).toEqual([
      'POST /apis/uc.api.demo.example.com/v1/checked',
      'GET /apis/uc.api.demo.example.com/v1/greetings/{name}',
    ]);
    const greeting = await server.send('GET', '/apis/uc.api.demo.example.com/v1/greetings/bo');
    expect([greeting.status, greeting.text]).toEqual([202, '{"hello":"bo"}']);
    const checked = '/apis/uc.api.demo.example.com/v1/checked';
    expect((await server.send('POST', checked, { body: { n: 1 } })).json()).toEqual({ n: 1 });
    expect((await server.send('POST', checked, { body: {} })).status).toBe(400);
    // Neither of its routes has an operationId; the log warns the author of the plugin.
    const reported = warnings.filter((text) => text.includes('has no operationId') && text.includes('plain'));
    expect(reported).toHaveLength(2);
  });

  it('are served once when they are exported by several names', async () => {
    const text =
      JAVASCRIPT.replaceAll('uc.api', 'api') + 'export { Greeter as Again, checked as alsoChecked };';
    expect(await addPlugin('twice', 'index.js', text)).toEqual([
      'POST /apis/api.demo.example.com/v1/checked',
      'GET /apis/api.demo.example.com/v1/greetings/{name}',
    ]);
  });
});
