import type { Express, Request, Response } from 'express';
import type { PlatformOperation } from '../../openapi/platform.js';
import type { Models } from '../../service/models.js';
import { refuseMethod } from '../guards/methods.js';
import { knownParameters, unknownAmong } from '../routes/known-parameters.js';
import { parseQuery, type Query } from '../routes/parameters.js';
import { splitUrl } from '../routes/route.js';
import type { Platform } from './platform.js';

export const API_VERSION = 'api.platform.run/v1alpha1';

export type PlatformHandler = (req: Request, res: Response) => void | Promise<void>;

/** An endpoint of the platform. The app, the OpenAPI document and the authorization read it. */
export interface PlatformEndpoint {
  /** `GET` includes `HEAD`. Other methods get 405. */
  readonly method: 'GET' | 'POST';
  /** In the form of Express: `/apis/:group`. */
  readonly path: string;
  /**
   * `everyone` needs no token. `user` needs any valid token; the handler may check more. A path: the right to read that
   * path. Default: the right to the path, or to the resource that it names.
   */
  readonly right?: 'everyone' | 'user' | { readonly path: string };
  /** Absent: OpenAPI documents leave it out. */
  readonly operation?: PlatformOperation;
  /** Reports parameters that the operation does not have. Absent: they are ignored, or the handler reports them. */
  readonly warn?: (res: Response, warnings: readonly string[]) => void;
  /** Called once. Undefined when the service does not offer the endpoint. */
  readonly handler: (platform: Platform) => PlatformHandler | undefined;
}

/** A handler whose answer has the models that other processes have stored or changed. */
export function withStoredModels(models: Pick<Models, 'catchUp'>, handler: PlatformHandler): PlatformHandler {
  return async (req, res) => {
    await models.catchUp();
    return handler(req, res);
  };
}

/** Serves endpoints, in their order. */
export function mount(app: Express, endpoints: readonly PlatformEndpoint[], platform: Platform): void {
  for (const endpoint of endpoints) {
    const handler = endpoint.handler(platform);
    if (handler !== undefined) addRoute(app, endpoint, handler);
  }
}

function addRoute(
  app: Express,
  { method, path, operation, warn }: Omit<PlatformEndpoint, 'handler'>,
  handler: PlatformHandler,
): void {
  const known = knownParameters(operation?.parameters);
  const answer: PlatformHandler = (req, res) => {
    warn?.(res, unknownAmong(readQuery(req), known));
    return handler(req, res);
  };
  const allowed = method === 'GET' ? ['GET', 'HEAD'] : [method];
  const route = app.route(path);
  (method === 'GET' ? route.get(answer) : route.post(answer)).all((req, res) => {
    throw refuseMethod(res, req.method, allowed);
  });
}

export function readQuery({ originalUrl }: Request): Query {
  return parseQuery(splitUrl(originalUrl).search);
}
