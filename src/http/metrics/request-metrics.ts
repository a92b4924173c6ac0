import type { ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import { Histogram, SECONDS } from '../../lib/histogram.js';
import { getPath, type Resource } from '../../model/resource.js';
import { isScalable } from '../../model/scale.js';
import { GENERATED_SUBRESOURCES, isGeneratedSubresource } from '../../model/subresource.js';
import { getVerb } from '../guards/access-guard.js';
import type { Labels } from './exposition.js';
import { SLOW_SECONDS, type ServiceLog } from './service-log.js';
import { parsePath, splitUrl, type FindModel, type ResourcePath } from '../routes/route.js';

/** The least code of answers that the log of the service may keep. */
const TOO_MANY = 429;
/** For a path without a route, or a request that was refused before its route was known. */
const OTHER = 'other';
/** The client disconnected before an answer. */
const GONE = 499;

interface Asked {
  /** The path with its variables: their number is that of the routes, independent of objects and clients. */
  readonly route: string;
  /** As named by roles. */
  readonly verb: string;
}

const ASKED = Symbol('what was asked for');
/** A response whose request may have a route name. */
interface Named {
  [ASKED]?: Asked;
}

/** Sets the route of a request for the metrics. */
export function nameRoute(res: ServerResponse, route: string, verb: string): void {
  (res as Named)[ASKED] = { route, verb };
}

type Place = Partial<Pick<ResourcePath, 'namespace' | 'name' | 'subresource'>>;

/** Sets the generated route of a request for the metrics. */
export function nameModelRoute(res: ServerResponse, resource: Resource, path: Place, verb: string): void {
  nameRoute(res, getTemplate(resource, path), verb);
}

interface Templates {
  readonly collection: string;
  readonly object: string;
  readonly below: Readonly<Record<string, string>>;
}

const known = { inAll: new WeakMap<Resource, Templates>(), inOne: new WeakMap<Resource, Templates>() };

function getTemplate(resource: Resource, { namespace, name, subresource }: Place): string {
  const some = namespace === undefined ? known.inAll : known.inOne;
  let templates = some.get(resource);
  if (templates === undefined) {
    const path = getPath(resource, namespace === undefined ? undefined : '{namespace}');
    const object = `${path}/{name}`;
    const subs = [...GENERATED_SUBRESOURCES, ...(isScalable(resource) ? ['scale'] : [])];
    const below = Object.fromEntries(subs.map((sub) => [sub, `${object}/${sub}`]));
    templates = { collection: path, object, below };
    some.set(resource, templates);
  }
  if (name === undefined) return templates.collection;
  return templates.below[subresource ?? ''] ?? templates.object;
}

/** Finds the route of a custom endpoint. */
export type FindEndpoint = (method: string, url: string) => string | undefined;

/** Durations of requests, in seconds, by route, verb and code. */
export class RequestMetrics {
  readonly #routes = new Map<string, Map<string, Map<number, Histogram>>>();

  constructor(
    private readonly findModel: FindModel,
    private readonly findEndpoint: FindEndpoint,
    private readonly log: Pick<ServiceLog, 'note'>,
  ) {}

  /** Counts a request after the end of its answer, or a disconnect of the client. */
  follow(req: Request, res: Response): void {
    const began = performance.now();
    res.on('close', () => {
      const { route, verb } = (res as Named)[ASKED] ?? this.#find(req);
      const code = res.headersSent ? res.statusCode : GONE;
      const seconds = (performance.now() - began) / 1_000;
      this.#histogram(route, verb, code).observe(seconds);
      if (code >= TOO_MANY || seconds >= SLOW_SECONDS) this.log.note({ route, verb, code, seconds });
    });
  }

  *series(): Generator<readonly [Labels, Histogram]> {
    for (const [route, verbs] of this.#routes)
      for (const [verb, codes] of verbs)
        for (const [code, histogram] of codes) yield [{ route, verb, code: String(code) }, histogram];
  }

  /** The model of a route, as `plural.group`, also of an endpoint below its objects; undefined without one. */
  modelOf(route: string): string | undefined {
    // No name of a model has a percent sign, and the path of an endpoint may have one that is not an encoding.
    const path = route.includes('%') ? undefined : parsePath(route, this.findModel);
    if (path === undefined) return undefined;
    const { group, version, plural } = path;
    if (this.findModel(group, version, plural) === undefined) return undefined;
    return group === '' ? plural : `${plural}.${group}`;
  }

  #histogram(route: string, verb: string, code: number): Histogram {
    const verbs =
      this.#routes.get(route) ?? added(this.#routes, route, new Map<string, Map<number, Histogram>>());
    const codes = verbs.get(verb) ?? added(verbs, verb, new Map<number, Histogram>());
    return codes.get(code) ?? added(codes, code, new Histogram(SECONDS));
  }

  /** The route of a request for one of the platform's own paths, or of one that was refused before routing. */
  #find(req: Request): Asked {
    const { method, originalUrl } = req;
    const verb = getVerb(method);
    try {
      const template = expressTemplate(req.route) ?? this.findEndpoint(method, originalUrl);
      return template === undefined ? this.#findModelRoute(method, originalUrl) : { route: template, verb };
    } catch {
      // The path is not percent-encoded UTF-8.
      return { route: OTHER, verb };
    }
  }

  #findModelRoute(method: string, url: string): Asked {
    const path = parsePath(splitUrl(url).path, this.findModel);
    const resource = path && this.findModel(path.group, path.version, path.plural);
    const verb = getVerb(method);
    const isGenerated = path?.subresource === undefined || isGeneratedSubresource(path.subresource);
    if (path === undefined || resource === undefined || !isGenerated) return { route: OTHER, verb };
    return { route: getTemplate(resource, path), verb: generatedVerb(method, path) };
  }
}

const COLLECTION_VERBS: Readonly<Record<string, string>> = { get: 'list', delete: 'deletecollection' };

/** The verb of a method at a generated route; a watch is a list, or a get, until its query was parsed. */
export function generatedVerb(method: string, { name }: Place): string {
  const verb = getVerb(method);
  return name === undefined ? (COLLECTION_VERBS[verb] ?? verb) : verb;
}

/** Converts `/v3/api-docs/:id` to `/v3/api-docs/{id}`. */
function expressTemplate(route: unknown): string | undefined {
  const path: unknown =
    typeof route === 'object' && route !== null && 'path' in route ? route.path : undefined;
  return typeof path === 'string' ? path.replace(/:(\w+)/g, '{$1}') : undefined;
}

function added<K, V>(map: Map<K, V>, key: K, value: V): V {
  map.set(key, value);
  return value;
}
