import type { Router } from 'express';
import { badRequest } from '../errors.js';
import { isDnsLabel, isGroup, isReservedGroup, PLATFORM_SUFFIX } from '../model/names-and-labels.js';
import { METHODS, type Audience, type Route, type RouteSet } from './route.js';

/** The group and version of a custom endpoint. */
export interface GroupVersion {
  /** Undefined for the form of older plugins: only a version, served below the plugin's own prefix. */
  readonly group: string | undefined;
  readonly version: string;
}

/**
 * A component that adds routes to the generated ones. Its routes are served below
 * `/apis/<group>/<version>`.
 */
export interface CustomEndpoint {
  /** `'<group>/<version>'`, `{ group, version }`, or only a version for the prefix of older plugins. */
  groupVersion(): string | { readonly group: string; readonly version: string };
  /** Called once at each start. Returns routes with a description, or an Express router, which is served but not described. */
  endpoint(): RouteSet | Router;
}

/** True for an exported object, or the prototype of an exported class, that is a {@link CustomEndpoint}. */
export function isCustomEndpoint(shape: object): shape is CustomEndpoint {
  return (
    'groupVersion' in shape &&
    typeof shape.groupVersion === 'function' &&
    'endpoint' in shape &&
    typeof shape.endpoint === 'function'
  );
}

/** The group in the path prefix of older plugins' endpoints. */
export const LEGACY_GROUP = `plugin.api.${PLATFORM_SUFFIX}`;

/**
 * @param where names the declaration in messages
 * @throws ServiceError `BadRequest` when the value is not a group and version
 */
export function parseGroupVersion(value: unknown, where: string): GroupVersion {
  const fail = (problem: string): Error =>
    badRequest(`${where}: ${problem}; write "<group>/<version>", for example "api.example.com/v1alpha1"`);
  let group: unknown;
  let version: unknown;
  if (typeof value === 'string') {
    const slash = value.indexOf('/');
    group = slash < 0 ? undefined : value.slice(0, slash);
    version = value.slice(slash + 1);
  } else if (typeof value === 'object' && value !== null && 'group' in value && 'version' in value) {
    ({ group, version } = value);
  } else throw fail(`group and version must be text or an object, got ${String(value)}`);
  if (typeof version !== 'string' || !isDnsLabel(version)) {
    throw fail(`the version ${JSON.stringify(version)} is not a lowercase DNS label`);
  }
  if (group === undefined) return { group: undefined, version };
  if (typeof group !== 'string' || group === '' || !isGroup(group)) {
    throw fail(`the group ${JSON.stringify(group)} is not a lowercase DNS subdomain`);
  }
  return { group, version };
}

/** The audience of a group's endpoints, and the group without the mark of the audience. */
export function getAudience(group: string): { readonly audience: Audience; readonly modelGroup: string } {
  const [, mark, modelGroup] = /^((?:console\.|uc\.)?api)\.(.+)$/.exec(group) ?? [];
  if (mark === undefined || modelGroup === undefined) return { audience: 'other', modelGroup: group };
  return { audience: AUDIENCES[mark] ?? 'other', modelGroup };
}

const AUDIENCES: Readonly<Record<string, Audience>> = {
  'console.api': 'console',
  'uc.api': 'uc',
  api: 'public',
};

/** The declaration of a plugin's endpoint, read and checked. */
export interface ReadEndpoint {
  /** {@link LEGACY_GROUP} for the form of older plugins. */
  readonly group: string;
  readonly version: string;
  readonly audience: Audience;
  /** The group of models that the endpoint is for; undefined for the form of older plugins. */
  readonly modelGroup: string | undefined;
  /** The path that the service puts before each route's path. */
  readonly prefix: string;
  readonly routes: readonly Route[];
  /** Set instead of routes. */
  readonly router: Router | undefined;
}

/**
 * Reads an endpoint's group and routes.
 * @param isPlatform true when the plugin may use groups of the platform
 * @throws ServiceError `BadRequest` that names the plugin and the endpoint; any error that the endpoint throws
 */
export function readEndpoint(plugin: string, endpoint: CustomEndpoint, isPlatform: boolean): ReadEndpoint {
  const { name } = endpoint.constructor;
  const where = `plugin "${plugin}": ${name === 'Object' ? 'an endpoint' : `endpoint ${name}`}`;
  const { group: given, version } = parseGroupVersion(endpoint.groupVersion(), where);
  if (given !== undefined && isReservedGroup(given) && !isPlatform) {
    throw badRequest(
      `${where}: the group "${given}" is reserved for the platform; use the group of one of the plugin's models ` +
        `behind console.api, uc.api or api`,
    );
  }
  const group = given ?? LEGACY_GROUP;
  const { audience, modelGroup } = getAudience(group);
  const prefix = `/apis/${group}/${version}${given === undefined ? `/plugins/${plugin}` : ''}`;
  return {
    group,
    version,
    audience: given === undefined ? 'other' : audience,
    modelGroup: given === undefined ? undefined : modelGroup,
    prefix,
    ...getRoutes(endpoint.endpoint(), where),
  };
}

function getRoutes(answer: unknown, where: string): Pick<ReadEndpoint, 'routes' | 'router'> {
  if (isRouter(answer)) return { routes: [], router: answer };
  if (isRouteSet(answer)) {
    const routes: readonly unknown[] = answer.routes;
    if (routes.every(isRoute)) return { routes, router: undefined };
  }
  throw badRequest(`${where}: endpoint() must return a RouteSet of RouteBuilder or an Express Router`);
}

/** True for an Express router or application: both are functions with a `handle` method. */
function isRouter(value: unknown): value is Router {
  return typeof value === 'function' && 'handle' in value && typeof value.handle === 'function';
}

function isRouteSet(value: unknown): value is { readonly [M in keyof RouteSet]: readonly unknown[] } {
  return typeof value === 'object' && value !== null && 'routes' in value && Array.isArray(value.routes);
}

function isRoute(value: unknown): value is Route {
  if (typeof value !== 'object' || value === null) return false;
  const { method, path, handler, description } = value as Partial<Record<keyof Route, unknown>>;
  return (
    METHODS.some((known) => known === method) &&
    typeof path === 'string' &&
    typeof handler === 'function' &&
    typeof description === 'object' &&
    description !== null
  );
}
