import type { NextFunction, Request, Response, Router } from 'express';
import {
  LEGACY_GROUP,
  readEndpoint,
  type CustomEndpoint,
  type ReadEndpoint,
} from '../../endpoint/custom-endpoint.js';
import {
  isHiddenBy,
  mountRouter,
  mountRoutes,
  SEGMENTS_MAX,
  type MountedRoute,
  type RouterPath,
} from '../../endpoint/mounted-route.js';
import { formatRoutePath, parseRoutePath, type Segment } from '../../endpoint/path.js';
import { RouteTree } from '../../endpoint/route-tree.js';
import type { ServedRoute } from '../../endpoint/route.js';
import { ServiceError } from '../../errors.js';
import type { Logger } from '../../lib/log/logger.js';
import { PLATFORM, type Scheme } from '../../model/declare/scheme.js';
import type { ExtensionClient } from '../../service/extension-client.js';
import { API_VERSION } from '../platform/endpoint.js';
import { PLATFORM_ENDPOINTS } from '../platform/endpoints.js';
import { getVerb } from '../guards/access-guard.js';
import { setBrowserHeaders } from '../guards/browser-headers.js';
import { refuseMethod } from '../guards/methods.js';
import { Exchange, type ExchangeOptions } from './exchange.js';
import type { BodyBudget } from '../admission/body-budget.js';
import { BodyReader } from '../body/body-reader.js';
import { Converter } from '../answer/converter.js';
import { STALL_MS } from '../answer/list/list-response.js';
import { nameRoute } from '../metrics/request-metrics.js';
import { decodeSegment, splitUrl } from '../routes/route.js';

/** Longest time until a handler's answer begins, in milliseconds. */
export const HANDLER_TIMEOUT_MS = 60_000;

/** The part of a registered model that determines its paths. */
export type ModelPlace = Pick<Scheme, 'resource' | 'owner'>;

export interface EndpointRegistryOptions {
  /** The models that are registered now, of all plugins. */
  readonly schemes: () => readonly ModelPlace[];
  /** Largest request body that is parsed, in bytes. */
  readonly bodyBytesMax: number;
  /** The memory of incoming bodies. Default: a separate one. */
  readonly bodyBudget?: BodyBudget;
  /** Parses long YAML. Default: a separate one. */
  readonly converter?: Converter;
  /** Default {@link HANDLER_TIMEOUT_MS}. A handler that blocks the thread cannot be interrupted. */
  readonly handlerTimeoutMs?: number;
  /** A client that reads nothing of a stream for this time is cut off, in milliseconds. Default 30 s. */
  readonly stallMs?: number;
}

/** The plugin that owns endpoints. */
export interface EndpointOwner {
  readonly name: string;
  /** Aborted when the plugin stops. */
  readonly signal: AbortSignal;
  /** Its lines have the plugin's name. */
  readonly logger: Logger;
  /** The plugin's own client. */
  readonly client: Pick<ExtensionClient, 'as'>;
  /** The plugin's own models. */
  readonly schemes: readonly Pick<Scheme, 'resource'>[];
  /** True when it may use the groups of the platform. Default false. */
  readonly isPlatform?: boolean;
  /** True when its endpoints answer; before, their paths are only reserved. Default: always. */
  readonly isOpen?: () => boolean;
}

interface Entry {
  readonly owner: Owner;
  readonly route: MountedRoute;
}

interface Mounted {
  readonly owner: Owner;
  readonly prefix: string;
  readonly router: Router;
  readonly paths: readonly RouterPath[];
}

/** A plugin with endpoints, and its requests in progress. */
interface Owner {
  readonly name: string;
  readonly isOpen: () => boolean;
  readonly options: ExchangeOptions;
  readonly exchanges: Set<Exchange>;
  /** Removes the listener from the plugin's signal. */
  release(): void;
}

/** The platform's own paths, which endpoints may not use. */
const PLATFORM_PATHS = PLATFORM_ENDPOINTS.filter(({ path }) => path.startsWith(`/apis/${API_VERSION}/`)).map(
  ({ path }) => parseRoutePath(path, path),
);

/**
 * The custom endpoints of all plugins, and their serving. It uses its own table above the plugins' Express routers,
 * so that removed endpoints leave nothing behind.
 */
export class EndpointRegistry {
  readonly #owners = new Map<string, Owner>();
  readonly #tree = new RouteTree<Entry>();
  /** By prefix, in the order of `add`. */
  readonly #routers = new Map<string, Mounted[]>();
  #served: readonly ServedRoute[] = [];
  #version = 0;

  readonly #bodies: BodyReader;
  readonly #converter: Converter;

  constructor(private readonly options: EndpointRegistryOptions) {
    this.#bodies = new BodyReader(options.bodyBytesMax, options.bodyBudget);
    this.#converter = options.converter ?? new Converter();
  }

  /** Changes whenever {@link list} does. */
  get version(): number {
    return this.#version;
  }

  /** Sizes of the tables, for monitoring: all 0 when no plugin has endpoints. */
  get kept(): { readonly plugins: number; readonly routes: number; readonly routers: number } {
    return { plugins: this.#owners.size, routes: this.#tree.size, routers: this.#routers.size };
  }

  /** The described routes, in the order of `add`. Express routers have none. */
  list(): readonly ServedRoute[] {
    return this.#served;
  }

  /**
   * Serves the endpoints of a plugin: all of them, or none. Possible mistakes are logged to the plugin's logger.
   * @returns their distinct paths; `<prefix>/**` for a router
   * @throws ServiceError `BadRequest` for an invalid declaration, a reserved group or a path that is too long,
   * `AlreadyExists` for a path of a model, the platform or another endpoint: with plugin and path
   */
  add(owner: EndpointOwner, endpoints: readonly CustomEndpoint[]): readonly string[] {
    if (this.#owners.has(owner.name))
      throw new ServiceError('Conflict', `plugin "${owner.name}" already has endpoints`);
    const read = endpoints.map((endpoint) => readEndpoint(owner.name, endpoint, owner.isPlatform ?? false));
    for (const endpoint of read) warnAboutGroup(owner, endpoint, this.options.schemes());
    const own = this.#makeOwner(owner);
    try {
      const paths = read.flatMap((endpoint) => this.#place(own, endpoint));
      this.#owners.set(own.name, own);
      this.#changed();
      return [...new Set(paths)];
    } catch (error) {
      this.#takeBack(own);
      throw error;
    }
  }

  /**
   * Removes a plugin's endpoints at once; requests in progress are signalled, and may finish. A plugin without
   * endpoints is not an error.
   */
  remove(pluginName: string): void {
    const owner = this.#owners.get(pluginName);
    if (owner === undefined) return;
    this.#owners.delete(pluginName);
    this.#takeBack(owner);
    this.#changed();
  }

  /**
   * Must be called before a model is served.
   * @throws ServiceError `AlreadyExists` that names both when the model's generated routes would hide an endpoint's
   */
  checkModel({ resource, owner }: ModelPlace): void {
    const model = { resource, owner };
    for (const { path, plugin } of this.#knownPaths()) {
      if (isHiddenBy(path, resource)) throw hidden(plugin, formatRoutePath(path), model);
    }
  }

  /** Answers requests for custom endpoints; anything else is passed to `next`. */
  handle(req: Request, res: Response, next: NextFunction): void {
    const path = this.#owners.size === 0 ? undefined : requestPath(req.url);
    if (path === undefined) {
      next();
      return;
    }
    const found = this.#tree.find(req.method === 'HEAD' ? 'GET' : req.method, path);
    if (found?.kind === 'entry' && found.entry.owner.isOpen()) {
      this.#answer(found.entry, found.values, req, res);
      return;
    }
    this.#throughRouters(this.#routersFor(path), 0, res, () => {
      if (found === undefined || found.kind === 'entry') next();
      else next(refuseMethod(res, req.method, withHead(found.allowed)));
    });
  }

  /** The route that answers a request, with its variables; `<prefix>/**` for a router. */
  findRoute(method: string, url: string): string | undefined {
    const path = this.#owners.size === 0 ? undefined : requestPath(url);
    if (path === undefined) return undefined;
    const found = this.#tree.find(method === 'HEAD' ? 'GET' : method, path);
    if (found?.kind === 'entry') return found.entry.route.served.path;
    const [router] = this.#routersFor(path);
    return router && `${router.prefix}/**`;
  }

  #answer({ owner, route }: Entry, values: readonly string[], req: Request, res: Response): void {
    const params: Record<string, string> = {};
    nameRoute(res, route.served.path, getVerb(req.method));
    for (const [i, name] of route.variables.entries()) params[name] = values[i] ?? '';
    void this.#begin(owner, req, res).answer(route.handler, params);
  }

  #begin(owner: Owner, req: Request, res: Response): Exchange {
    const exchange = new Exchange(req, res, owner.options, (one) => owner.exchanges.delete(one));
    owner.exchanges.add(exchange);
    // An Express app that a plugin mounts replaces the methods of the response.
    setBrowserHeaders(res);
    return exchange;
  }

  #routersFor(path: readonly string[]): readonly Mounted[] {
    if (this.#routers.size === 0) return [];
    const depth = path[1] === LEGACY_GROUP ? 5 : 3;
    const mounted = this.#routers.get(`/${path.slice(0, depth).join('/')}`) ?? [];
    return mounted.filter(({ owner }) => owner.isOpen());
  }

  /** Calls the routers one after the other, as Express does. */
  #throughRouters(routers: readonly Mounted[], at: number, res: Response, next: () => void): void {
    const { req } = res;
    const mounted = routers[at];
    if (mounted === undefined) {
      next();
      return;
    }
    const { owner, prefix, router } = mounted;
    nameRoute(res, `${prefix}/**`, getVerb(req.method));
    const exchange = this.#begin(owner, req, res);
    const { url, baseUrl } = req;
    req.url = urlBelow(url, prefix);
    req.baseUrl = prefix;
    exchange.startClock();
    const done = (error?: unknown): void => {
      req.url = url;
      req.baseUrl = baseUrl;
      exchange.stopClock();
      if (error !== undefined && error !== null) exchange.fail(error);
      else if (!res.headersSent) this.#throughRouters(routers, at + 1, res, next);
    };
    try {
      router(req, res, done);
    } catch (error) {
      done(error);
    }
  }

  #makeOwner({ name, signal, logger, client, isOpen = () => true }: EndpointOwner): Owner {
    const exchanges = new Set<Exchange>();
    const stop = (): void => {
      for (const exchange of exchanges) exchange.abort(`plugin "${name}" stops`);
    };
    signal.addEventListener('abort', stop, { once: true });
    const { handlerTimeoutMs = HANDLER_TIMEOUT_MS, stallMs = STALL_MS } = this.options;
    const converter = this.#converter;
    const bodies = this.#bodies;
    return {
      name,
      isOpen,
      options: { logger, plugin: name, client, bodies, converter, handlerTimeoutMs, stallMs },
      exchanges,
      release() {
        signal.removeEventListener('abort', stop);
        stop();
      },
    };
  }

  #place(owner: Owner, endpoint: ReadEndpoint): string[] {
    const { router, prefix } = endpoint;
    if (router !== undefined) return this.#placeRouter(owner, prefix, router);
    return mountRoutes(owner.name, endpoint).map((route) => {
      const { method, path } = route.served;
      this.#checkFree(owner, method, route.segments);
      this.#tree.insert(method, route.segments, { owner, route });
      this.#served = [...this.#served, route.served];
      return path;
    });
  }

  #placeRouter(owner: Owner, prefix: string, router: Router): string[] {
    const paths = mountRouter(owner.name, prefix, router);
    for (const { methods, segments } of paths)
      for (const method of methods) this.#checkFree(owner, method, segments);
    const others = this.#routers.get(prefix) ?? [];
    this.#routers.set(prefix, [...others, { owner, prefix, router, paths }]);
    return [`${prefix}/**`];
  }

  #checkFree(owner: Owner, method: string, segments: readonly Segment[]): void {
    const path = formatRoutePath(segments);
    const same = this.#tree.findSame(method, segments);
    if (same !== undefined) throw collision(owner.name, method, path, `plugin "${same.owner.name}"`);
    for (const { owner: other, paths } of [...this.#routers.values()].flat()) {
      const taken = paths.some(
        (one) => one.methods.some((m) => m === method) && isSameShape(one.segments, segments),
      );
      if (taken) throw collision(owner.name, method, path, `a router of plugin "${other.name}"`);
    }
    if (PLATFORM_PATHS.some((one) => isSameShape(one, segments)))
      throw collision(owner.name, method, path, 'the platform');
    const model = this.options.schemes().find(({ resource }) => isHiddenBy(segments, resource));
    if (model !== undefined) throw hidden(owner.name, path, model);
  }

  *#knownPaths(): Generator<{ readonly path: readonly Segment[]; readonly plugin: string }> {
    for (const { plugin, path } of this.#served) yield { plugin, path: parseRoutePath(path, path) };
    for (const { owner, paths } of [...this.#routers.values()].flat())
      for (const { segments } of paths) yield { plugin: owner.name, path: segments };
  }

  #takeBack(owner: Owner): void {
    owner.release();
    this.#tree.remove((entry) => entry.owner === owner);
    this.#served = this.#served.filter(({ plugin }) => plugin !== owner.name);
    for (const [prefix, mounted] of [...this.#routers]) {
      const left = mounted.filter((one) => one.owner !== owner);
      if (left.length === 0) this.#routers.delete(prefix);
      else this.#routers.set(prefix, left);
    }
  }

  #changed(): void {
    this.#version++;
  }
}

/** The decoded segments of a path that an endpoint may have; undefined for any other path. */
function requestPath(url: string): readonly string[] | undefined {
  if (!url.startsWith('/apis/')) return undefined;
  const { path } = splitUrl(url);
  const segments = (path.endsWith('/') ? path.slice(1, -1) : path.slice(1)).split('/');
  // Paths that roles cannot cover are not served, not even by a router.
  if (segments.length > SEGMENTS_MAX || segments.includes('')) return undefined;
  return path.includes('%') ? segments.map(decodeSegment) : segments;
}

/** The rest of a URL after a prefix, which may be percent-encoded in the URL. */
function urlBelow(url: string, prefix: string): string {
  const mark = url.indexOf('?');
  const [path, search] = mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark)];
  return `/${path.split('/').slice(prefix.split('/').length).join('/')}${search}`;
}

function withHead(methods: readonly string[]): readonly string[] {
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}

function isSameShape(a: readonly Segment[], b: readonly Segment[]): boolean {
  return a.length === b.length && a.every((one, i) => getShape(one) === (b[i] && getShape(b[i])));
}

/** No literal segment is empty, so the empty text can represent a variable. */
function getShape(segment: Segment): string {
  return 'text' in segment ? segment.text : '';
}

function collision(plugin: string, method: string, path: string, other: string): ServiceError {
  return new ServiceError(
    'AlreadyExists',
    `plugin "${plugin}": ${method} ${path} is already an endpoint of ${other}`,
  );
}

function hidden(plugin: string, path: string, { resource, owner }: ModelPlace): ServiceError {
  const whose = owner === PLATFORM ? 'of the platform' : `of plugin "${owner}"`;
  return new ServiceError(
    'AlreadyExists',
    `the endpoint ${path} of plugin "${plugin}" collides with the generated routes of the model ${resource.kind} ` +
      `(${resource.plural}.${resource.group}) ${whose}`,
  );
}

/**
 * Warns about a group of other models. It is not an error: a plugin may have no model, or serve those of a plugin
 * that it depends on.
 */
function warnAboutGroup(
  owner: EndpointOwner,
  { group, modelGroup }: ReadEndpoint,
  schemes: readonly ModelPlace[],
): void {
  if (modelGroup === undefined || owner.schemes.some(({ resource }) => resource.group === modelGroup)) return;
  const other = schemes.find(({ resource }) => resource.group === modelGroup)?.owner;
  const whose = other === undefined ? 'of no registered model' : `of models of plugin "${other}"`;
  owner.logger.warn(
    `the endpoint group "${group}" belongs to the model group "${modelGroup}", which is ${whose}, not of this plugin`,
  );
}
