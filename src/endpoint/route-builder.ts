import { badRequest } from '../errors.js';
import { describeRoute, type Describe } from './description-builder.js';
import { formatRoutePath, joinRoutePaths, parseRoutePath } from './path.js';
import type { Handler, HttpMethod, Route, RouteSet } from './route.js';

/**
 * Builds the routes of a custom endpoint together with their description:
 *
 *     RouteBuilder.route()
 *       .GET('/persons/{name}', (req) => find(req.params.name), (d) => d.operationId('GetPerson').response(Person))
 *       .nest('/teams', (r) => r.GET('/', listTeams).POST('/', createTeam))
 *       .build()
 *
 * Paths are written without the prefix of group and version; variables are `{name}` or `:name`. Each method throws
 * ServiceError `BadRequest`, naming the route, for a path or handler that cannot be used.
 */
export class RouteBuilder {
  readonly #routes: Route[] = [];

  static route(): RouteBuilder {
    return new RouteBuilder();
  }

  GET(path: string, handler: Handler, describe?: Describe): this {
    return this.#add('GET', path, handler, describe);
  }

  POST(path: string, handler: Handler, describe?: Describe): this {
    return this.#add('POST', path, handler, describe);
  }

  PUT(path: string, handler: Handler, describe?: Describe): this {
    return this.#add('PUT', path, handler, describe);
  }

  PATCH(path: string, handler: Handler, describe?: Describe): this {
    return this.#add('PATCH', path, handler, describe);
  }

  DELETE(path: string, handler: Handler, describe?: Describe): this {
    return this.#add('DELETE', path, handler, describe);
  }

  /**
   * Adds routes below a path.
   * @param routes builds them on a separate builder, and may return that builder or its built routes
   */
  nest(path: string, routes: (builder: RouteBuilder) => RouteBuilder | RouteSet | undefined | void): this {
    const inner = new RouteBuilder();
    const answer = routes(inner) ?? inner;
    const { routes: built } = answer instanceof RouteBuilder ? answer.build() : answer;
    for (const route of built) {
      const where = `route ${route.method} ${route.path} below ${path}`;
      this.#routes.push({ ...route, path: joinRoutePaths(path, route.path, where) });
    }
    return this;
  }

  /** Returns the routes so far, in the order they were added. */
  build(): RouteSet {
    return { routes: [...this.#routes] };
  }

  #add(method: HttpMethod, path: string, handler: Handler, describe: Describe | undefined): this {
    this.#routes.push(makeRoute(method, path, handler, describe));
    return this;
  }
}

/** @throws ServiceError `BadRequest`, naming the route */
export function makeRoute(method: HttpMethod, path: string, handler: Handler, describe?: Describe): Route {
  const where = `route ${method} ${path}`;
  const normalised = formatRoutePath(parseRoutePath(path, where));
  const given: unknown = handler;
  if (typeof given !== 'function')
    throw badRequest(`${where}: the handler must be a function, got ${typeof given}`);
  return { method, path: normalised, handler, description: describeRoute(describe, where) };
}
