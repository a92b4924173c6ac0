import { Agent } from 'node:http';
import { PluginClients } from '../../src/daemon/plugin-clients.js';
import type { CustomEndpoint } from '../../src/endpoint/custom-endpoint.js';
import { RouteBuilder } from '../../src/endpoint/route-builder.js';
import type { Route } from '../../src/endpoint/route.js';
import { EndpointRegistry, type EndpointRegistryOptions } from '../../src/http/endpoint/endpoints.js';
import { createExpressApp } from '../../src/http/express-app.js';
import { listen } from '../../src/http/server.js';
import type { Logger } from '../../src/lib/log/logger.js';
import {
  sendHttp,
  type HttpAnswer,
  type HttpRequest,
  type LogLine,
  type TestServerOptions,
} from '../helpers/http.js';
import { openTestService, type TestService } from '../helpers/store.js';

export interface EndpointServer extends TestService {
  readonly url: string;
  readonly port: number;
  readonly endpoints: EndpointRegistry;
  readonly logs: LogLine[];
  /** Serves endpoints as those of a plugin. Answers with their paths. */
  add(plugin: string, endpoints: readonly CustomEndpoint[], options?: AddOptions): readonly string[];
  /** Stops a plugin: its signal, then its endpoints. */
  stop(plugin: string): void;
  send(method: string, target: string, request?: HttpRequest): Promise<HttpAnswer>;
}

export interface AddOptions {
  readonly isPlatform?: boolean;
}

/** The app with custom endpoints on a free port of this machine, and no plugin. */
export async function startEndpointServer(
  options: Partial<EndpointRegistryOptions> &
    Pick<TestServerOptions, 'bodyTimeoutMs' | 'allowedOrigins'> = {},
): Promise<EndpointServer> {
  const test = await openTestService();
  const logs: LogLine[] = [];
  const logger = collector(logs);
  const { bodyTimeoutMs, allowedOrigins, ...registry } = options;
  const bodyBytesMax = options.bodyBytesMax ?? 1024 * 1024;
  const endpoints = new EndpointRegistry({
    schemes: () => test.registry.schemes(),
    ...registry,
    bodyBytesMax,
  });
  const app = createExpressApp({
    service: test.service,
    models: test.service.models,
    logger,
    bodyBytesMax,
    loopbackOnly: true,
    version: '0.1.0',
    endpoints,
    ...(bodyTimeoutMs && { bodyTimeoutMs }),
    ...(allowedOrigins && { allowedOrigins }),
  });
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  const port = Number(new URL(server.url).port);
  const running = new Map<string, AbortController>();
  return {
    ...test,
    url: server.url,
    port,
    endpoints,
    logs,
    add(name, added, { isPlatform = false } = {}) {
      const abort = new AbortController();
      const schemes = test.registry.schemes().filter(({ owner }) => owner === name);
      const { service, registry: models } = test;
      const client = new PluginClients({ service, schemes: models }).clientOfTest(abort.signal);
      const owner = { name, signal: abort.signal, logger: tagged(logger, name), client, schemes, isPlatform };
      const paths = endpoints.add(owner, added);
      running.set(name, abort);
      return paths;
    },
    stop(name) {
      running.get(name)?.abort();
      running.delete(name);
      endpoints.remove(name);
    },
    send: (method, target, request = {}) => sendHttp(agent, port, method, target, request),
    async close() {
      agent.destroy();
      await server.close(200);
      await test.close();
    },
  };
}

/** An endpoint of the group that the tests use, from routes. */
export function endpointOf(
  build: (routes: RouteBuilder) => RouteBuilder,
  groupVersion: string | { group: string; version: string } = 'api.demo.example.com/v1alpha1',
): CustomEndpoint {
  return { groupVersion: () => groupVersion, endpoint: () => build(RouteBuilder.route()).build() };
}

/** The only route that is built. */
export function routeOf(build: (routes: RouteBuilder) => RouteBuilder): Route {
  const [route] = build(RouteBuilder.route()).build().routes;
  if (route === undefined) throw new Error('no route was built');
  return route;
}

function collector(logs: LogLine[]): Logger {
  const at =
    (level: string) =>
    (message: string, fields?: object): void =>
      void logs.push({ level, message, fields });
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function tagged(logger: Logger, plugin: string): Logger {
  return {
    debug: (message, fields) => logger.debug(message, { plugin, ...fields }),
    info: (message, fields) => logger.info(message, { plugin, ...fields }),
    warn: (message, fields) => logger.warn(message, { plugin, ...fields }),
    error: (message, fields) => logger.error(message, { plugin, ...fields }),
  };
}
