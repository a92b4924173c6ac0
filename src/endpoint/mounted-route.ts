import { badRequest, ServiceError } from '../errors.js';
import type { Resource } from '../model/resource.js';
import { getPath } from '../model/resource.js';
import { isGeneratedSubresource } from '../model/subresource.js';
import type { ReadEndpoint } from './custom-endpoint.js';
import { formatRoutePath, parseRoutePath, getVariables, type Segment } from './path.js';
import { METHODS, type Handler, type HttpMethod, type ServedRoute } from './route.js';

/** The limit of segments of a whole path, counted from `/apis`: roles cover no longer paths. */
export const SEGMENTS_MAX = 7;
/** `/apis/<group>/<version>` and at least one more segment: discovery answers the path of three segments. */
const SEGMENTS_MIN = 4;

/** A route at its place below the prefix. */
export interface MountedRoute {
  readonly served: ServedRoute;
  readonly segments: readonly Segment[];
  /** Names of the variables, in the order of the path. */
  readonly variables: readonly string[];
  readonly handler: Handler;
}

/**
 * Adds the prefix of an endpoint to its routes.
 * @throws ServiceError `BadRequest`, with the whole path, for one that is too long or too short
 */
export function mountRoutes(plugin: string, endpoint: ReadEndpoint): MountedRoute[] {
  const { group, version, audience, prefix } = endpoint;
  return endpoint.routes.map(({ method, path, handler, description }) => {
    const where = `plugin "${plugin}", ${method} ${prefix}${path}`;
    const segments = [...literals(prefix), ...parseRoutePath(path, where)];
    checkLength(segments, where);
    const whole = formatRoutePath(segments);
    const served = { plugin, group, version, audience, method, path: whole, description };
    return { served, segments, variables: getVariables(segments), handler };
  });
}

/** A path that an Express router is known to answer. */
export interface RouterPath {
  readonly methods: readonly HttpMethod[];
  readonly segments: readonly Segment[];
}

/**
 * Lists the plain paths of an Express router. Expressions, optional parts and wildcards are left out.
 * @throws ServiceError `BadRequest`, with the whole path, for one that is too long
 */
export function mountRouter(plugin: string, prefix: string, router: object): RouterPath[] {
  return listedRoutes(router).flatMap(({ path, methods }) => {
    const where = `plugin "${plugin}", route ${prefix}${path}`;
    const segments = plainSegments(path);
    if (segments === undefined) return [];
    const whole = [...literals(prefix), ...segments];
    if (whole.length > SEGMENTS_MAX) checkLength(whole, where);
    return [{ methods, segments: whole }];
  });
}

interface ListedRoute {
  readonly path: string;
  readonly methods: readonly HttpMethod[];
}

function listedRoutes(router: object): ListedRoute[] {
  if (!('listRoutes' in router) || typeof router.listRoutes !== 'function') return [];
  const listed: unknown = Reflect.apply(router.listRoutes, router, []);
  if (!Array.isArray(listed)) return [];
  return listed.flatMap((entry: { path?: unknown; methods?: unknown; router?: unknown }): ListedRoute[] => {
    const { path, methods, router: inner } = entry;
    if (typeof path !== 'string') return [];
    if (typeof inner === 'function') {
      const base = path === '/' ? '' : path;
      return listedRoutes(inner).map((one) => ({
        ...one,
        path: `${base}${one.path === '/' ? '' : one.path}`,
      }));
    }
    const names: readonly unknown[] = Array.isArray(methods) ? methods : [];
    return [{ path, methods: METHODS.filter((method) => names.includes('*') || names.includes(method)) }];
  });
}

function plainSegments(path: string): readonly Segment[] | undefined {
  try {
    return parseRoutePath(path, 'router');
  } catch (error) {
    // Express has more forms of paths than this service; such a route cannot be compared with others.
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

function literals(prefix: string): Segment[] {
  return prefix
    .split('/')
    .slice(1)
    .map((text) => ({ text }));
}

function checkLength(segments: readonly Segment[], where: string): void {
  if (segments.length > SEGMENTS_MAX) {
    throw badRequest(
      `${where}: the path has ${segments.length} segments, the maximum is ${SEGMENTS_MAX} (counted from /apis), ` +
        `because roles cannot cover longer paths; use query parameters instead`,
    );
  }
  if (segments.length < SEGMENTS_MIN)
    throw badRequest(`${where}: the path is that of the group; a route needs at least one more segment`);
}

/** True when the generated routes of a model would answer requests for the path. */
export function isHiddenBy(
  segments: readonly Segment[],
  resource: Pick<Resource, 'group' | 'version' | 'plural'>,
): boolean {
  const model = getPath(resource).split('/').slice(1);
  const rest = segments.slice(model.length);
  const isBelow = model.every((text, i) => fits(segments[i], text));
  if (!isBelow || rest.length > 2) return false;
  const [, subresource] = rest;
  return subresource === undefined || ('text' in subresource && isGeneratedSubresource(subresource.text));
}

function fits(segment: Segment | undefined, text: string): boolean {
  return segment !== undefined && ('variable' in segment || segment.text === text);
}
