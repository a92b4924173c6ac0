import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { AccessControl } from '../access/control.js';
import { notFound, ServiceError } from '../errors.js';
import type { BatchItem } from '../service/verbs.js';
import { AccessGuard } from './access-guard.js';
import { actionOfItem, BATCH_PATH, returnsObjects, runBatch, sendBatch } from './batch.js';
import { parseBody, readBody } from './body.js';
import { Converter } from './converter.js';
import { addControllers, type ControllerReports } from './controllers.js';
import { dispatch, refuseMethod, type DispatchOptions } from './dispatch.js';
import { addDocs, type DocsSource } from './docs.js';
import type { EndpointRegistry } from './endpoints.js';
import { addGet } from './get-route.js';
import { hostRequired, loopbackHostOnly } from './guard.js';
import { addDiscovery } from './kube-discovery.js';
import { STALL_MS } from './list-response.js';
import { addOpenapiV2 } from './kube-openapi-v2.js';
import { bodyFormat } from './media.js';
import { addReviews } from './kube-review.js';
import { addMetrics } from './metrics.js';
import { parseQuery, writeOptions } from './parameters.js';
import { sendError, sendValue } from './respond.js';

export interface ExpressAppOptions extends DispatchOptions {
  /** Only answer requests whose Host is a loopback name. */
  readonly loopbackOnly: boolean;
  /** Of the program, for `/version`. */
  readonly version: string;
  /** Why the service is not ready; undefined when it is. */
  readonly unready: () => string | undefined;
  /** Converts what takes long. Default: one of its own. */
  readonly converter?: Converter;
  /** Who may do what; undefined where everybody may do everything. */
  readonly access?: AccessControl;
  /** Custom endpoints of plugins; undefined where no plugins run. */
  readonly endpoints?: EndpointRegistry;
  /** Undefined where no controllers run. */
  readonly controllers?: ControllerReports;
  /** Custom endpoints and owners of models, for the description; without it, the models alone are described. */
  readonly described?: Partial<Pick<DocsSource, 'routes' | 'version' | 'ownerOf'>>;
}

/** Where the served models are described as data: what the command line needs of a remote service. */
const MODELS_PATH = '/apis/api.platform.run/v1alpha1/models';

/** Everything that is answered over HTTP, generated routes first. */
export function createExpressApp(options: ExpressAppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // Roles name paths as they are written.
  app.enable('case sensitive routing');
  app.set('query parser', (search: string) => parseQuery(search));
  const guard = options.loopbackOnly ? loopbackHostOnly(options.logger) : hostRequired(options.logger);
  const { converter = new Converter() } = options;
  options.service.beforeClose(() => converter.close());
  const generated = dispatch(options, converter);
  // One step for both: each step of the router costs every request.
  const { endpoints } = options;
  const custom: Step = (req, res, next) =>
    generated(req, res, endpoints === undefined ? next : () => endpoints.handle(req, res, next));
  const { access } = options;
  const accessGuard =
    access && new AccessGuard(access, (...path) => options.models.find(...path), options.logger);
  const allowed = accessGuard === undefined ? custom : guarded(accessGuard, custom);
  const requests = new Map<string, number>();
  app.use((req, res, next) => {
    requests.set(req.method, (requests.get(req.method) ?? 0) + 1);
    guard(req, res, () => allowed(req, res, next));
  });
  addHealth(app, options);
  addModels(app, options);
  addDiscovery(app, options.models);
  addOpenapiV2(app);
  addBatch(app, { ...options, converter }, accessGuard);
  addReviews(app, { ...options, converter }, accessGuard && ((req) => accessGuard.identityOf(req)));
  if (options.controllers !== undefined) addControllers(app, options.controllers);
  addMetrics(app, { service: options.service, controllers: options.controllers, requests });
  addDocs(app, {
    models: () => options.models.list(),
    routes: () => options.endpoints?.list() ?? [],
    programVersion: options.version,
    ...options.described,
  });
  app.use((req, res) =>
    sendError(req, res, notFound(`nothing is served at ${req.path.slice(0, 300)}`), options.logger),
  );
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) => {
    sendError(req, res, asServiceError(error), options.logger);
  });
  return app;
}

type Step = (req: Request, res: Response, next: NextFunction) => void;

function guarded(guard: AccessGuard, step: Step): Step {
  return (req, res, next) => {
    const checked = guard.check(req, res);
    const go = (isAllowed: boolean): void => {
      if (isAllowed) step(req, res, next);
    };
    if (checked instanceof Promise) checked.then(go).catch(next);
    else go(checked);
  };
}

/** Express refuses some requests by itself, with errors that carry a status. */
function asServiceError(error: unknown): unknown {
  if (error instanceof ServiceError) return error;
  const status: unknown = error instanceof Error && 'status' in error ? error.status : undefined;
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new ServiceError(status === 404 ? 'NotFound' : 'BadRequest', 'the request is malformed');
  }
  return error;
}

function addHealth(app: Express, options: ExpressAppOptions): void {
  addGet(app, '/livez', (_req, res) => void res.type('text/plain').send('ok'));
  for (const path of ['/readyz', '/healthz']) {
    addGet(app, path, (_req, res) => {
      const problem = options.unready();
      if (problem !== undefined)
        throw new ServiceError('ServiceUnavailable', problem, { retryAfterSeconds: 1 });
      res.type('text/plain').send('ok');
    });
  }
  addGet(app, '/version', (req, res) => sendValue(req, res, 200, versionInfo(options.version)));
}

/** The Kubernetes minor version whose API this one resembles; clients compare it with their own. */
const KUBERNETES_MINOR = 32;

function versionInfo(version: string): object {
  return {
    major: '1',
    minor: String(KUBERNETES_MINOR),
    gitVersion: `v1.${KUBERNETES_MINOR}.0+xsvc.${version}`,
    xsvcVersion: version,
    nodeVersion: process.version,
    platform: `${process.platform}/${process.arch}`,
  };
}

function addModels(app: Express, { models }: ExpressAppOptions): void {
  addGet(app, MODELS_PATH, (req, res) =>
    sendValue(req, res, 200, {
      apiVersion: 'api.platform.run/v1alpha1',
      kind: 'ModelList',
      items: models.list(),
    }),
  );
}

type BatchOptions = ExpressAppOptions & { readonly converter: Converter };

function addBatch(app: Express, options: BatchOptions, guard: AccessGuard | undefined): void {
  const { service, models, converter, stallMs = STALL_MS } = options;
  app
    .route(BATCH_PATH)
    .post(async (req, res) => {
      const format = bodyFormat(req.headers['content-type']);
      const query = parseQuery(new URL(req.originalUrl, 'http://localhost').search.slice(1));
      const write = writeOptions(query, undefined);
      const hasObjects = returnsObjects(query);
      const body = await parseBody(await readBody(req, options.bodyBytesMax), format, converter);
      const check = (item: BatchItem): void => guard?.authorize(req, actionOfItem(item));
      const done = await runBatch({ service, models, check }, body, write);
      await sendBatch({ req, res, hasObjects }, done, { converter, stallMs });
    })
    .all((req, res) => {
      throw refuseMethod(res, req.method, ['POST']);
    });
}
