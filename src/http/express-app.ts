import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { AccessControl } from '../access/control.js';
import type { ServedRoute } from '../endpoint/route.js';
import { formatExcerpt, notFound, ServiceError } from '../errors.js';
import type { Logger } from '../lib/log/logger.js';
import type { Resource } from '../model/resource.js';
import type { BatchItem, WriteOptions } from '../service/verbs.js';
import { Admission } from './admission/admission.js';
import { senderReader } from './admission/sender.js';
import { AccessGuard, type FindModel } from './guards/access-guard.js';
import { followRequest, type AccessLogEntry } from './metrics/access-log.js';
import { addBackups, type MakeBackup } from './platform/backups.js';
import { addChecks } from './platform/checks.js';
import { addConsole } from './console/console.js';
import {
  actionOfItem,
  BATCH_PATH,
  returnsObjects,
  runBatch,
  sendBatch,
  type BatchDone,
} from './routes/batch.js';
import { parseBody, typeRequired } from './body/body.js';
import { limitBodyTime } from './body/body-clock.js';
import { BodyReader } from './body/body-reader.js';
import { Converter } from './answer/converter.js';
import { addControllers, type ControllerReports } from './platform/controllers.js';
import { crossOrigin } from './guards/cors.js';
import { dispatch, type DispatchOptions } from './routes/dispatch.js';
import { refuseMethod } from './guards/methods.js';
import { addDocs, type DocsSource } from './docs/docs.js';
import type { BodyOptions } from './endpoint/body.js';
import type { EndpointRegistry } from './endpoint/endpoints.js';
import { addFrontPage } from './platform/front-page.js';
import { addHealth, type HealthCheck } from './platform/health.js';
import { hostRequired, loopbackHostOnly, type Guard } from './guards/guard.js';
import { addDiscovery } from './kube/discovery.js';
import { addOpenapiV2 } from './kube/openapi-v2.js';
import { unknownParameters } from './routes/known-parameters.js';
import { STALL_MS } from './answer/list/list-response.js';
import { bodyFormat } from './answer/media.js';
import { addReviews } from './kube/review.js';
import { addMetrics, type StoreSize } from './metrics/metrics.js';
import { addModels } from './platform/models.js';
import { ownPagesOnly } from './guards/page-guard.js';
import { parseQuery, writeOptions } from './routes/parameters.js';
import type { Peers } from './platform/peers.js';
import { addPluginAssets, type PluginAssets } from './platform/plugin-assets.js';
import { RequestMetrics } from './metrics/request-metrics.js';
import { addModelPlans, type MakePlan } from './platform/model-plans.js';
import { addRelations } from './platform/relations.js';
import { sendError } from './answer/respond.js';
import { splitUrl } from './routes/route.js';
import { deferUntilStarted, stillStarting, type Startup } from './guards/startup.js';
import { addStoredVersions } from './platform/stored-versions.js';
import { addVersion } from './platform/version.js';

export interface ExpressAppOptions extends Omit<DispatchOptions, 'guard' | 'admit' | 'bodies'> {
  /** Largest request body, in bytes. */
  readonly bodyBytesMax: number;
  /** Limits of requests. Default: a separate object. */
  readonly admission?: Admission;
  /** Answers only requests whose Host is a loopback name. */
  readonly loopbackOnly: boolean;
  /** Origins of other servers whose pages may read and write: `https://app.example.com`, or `*`. Default: none. */
  readonly allowedOrigins?: ReadonlySet<string>;
  /** Longest time for a request's body, in milliseconds. Default 30 s. */
  readonly bodyTimeoutMs?: number;
  /** The version of the program, for `/version`. */
  readonly version: string;
  /** Conditions for readiness. Default: none. */
  readonly readiness?: readonly HealthCheck[];
  /** Runs long conversions. Default: a separate one. */
  readonly converter?: Converter;
  /** Authentication and authorization; undefined when every request is allowed. */
  readonly access?: AccessControl;
  /** Creates backups of the store; undefined when backups are not offered. */
  readonly makeBackup?: MakeBackup | undefined;
  /** Plans a start; undefined for a shared store, which does not support plans. */
  readonly makePlan?: MakePlan | undefined;
  /** Called for each request after its answer. */
  readonly accessLog?: ((entry: AccessLogEntry) => void) | undefined;
  /** Custom endpoints of plugins; undefined without plugins. */
  readonly endpoints?: EndpointRegistry;
  /** Files of plugins; undefined without plugins. */
  readonly assets?: PluginAssets;
  /** Directory of the console's files; undefined when it is not served. */
  readonly consoleDirectory?: string | undefined;
  /** Undefined when everything is served at once. */
  readonly startup?: Startup;
  /** The size of the store's file; undefined when it is not known. */
  readonly storeSize?: () => StoreSize;
  /** Undefined when no other process answers on the address. */
  readonly peers?: Peers | undefined;
  /** Undefined without controllers. */
  readonly controllers?: ControllerReports;
  /** Custom endpoints and owners of models, for the description; without it, only the models are described. */
  readonly described?: Partial<Pick<DocsSource, 'routes' | 'version' | 'findOwner'>>;
}

const BODY_MS = 30_000;

/** Creates the app for all HTTP requests, with generated routes first. */
export function createExpressApp(options: ExpressAppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // Roles name paths in their exact case.
  app.enable('case sensitive routing');
  app.set('query parser', (search: string) => parseQuery(search));
  const { logger, allowedOrigins = new Set(), bodyTimeoutMs = BODY_MS, access, accessLog } = options;
  const guards = [
    options.loopbackOnly ? loopbackHostOnly() : hostRequired,
    ownPagesOnly({ allowedOrigins, logger }),
  ];
  const findModel: FindModel = (...path) => options.models.find(...path);
  const accessGuard = access && new AccessGuard(access, findModel, logger);
  const { converter = new Converter(), admission = new Admission() } = options;
  const bodies = new BodyReader(options.bodyBytesMax, admission.bodies);
  const admit = admission.by(senderReader(accessGuard));
  const { run } = admit;
  options.service.beforeClose(() => converter.close());
  const generated = dispatch({ ...options, guard: accessGuard, admit, bodies }, converter);
  // One step for both: each step of the router costs time in every request.
  const { endpoints } = options;
  const custom: Middleware = (req, res, next) =>
    generated(req, res, endpoints === undefined ? next : () => endpoints.handle(req, res, next));
  const typed = guarded([typeRequired], logger, custom);
  const allowed = accessGuard === undefined ? typed : permitted(accessGuard, typed);
  const { startup } = options;
  const deferred = startup === undefined ? allowed : deferUntilStarted(startup, allowed);
  const crossing = allowedOrigins.size === 0 ? deferred : crossed(allowedOrigins, deferred);
  const guardedStep = guarded(guards, logger, crossing);
  const requests = new Map<string, number>();
  const durations = new RequestMetrics(findModel, (method, url) => endpoints?.findRoute(method, url));
  const limitBody = limitBodyTime({ timeoutMs: bodyTimeoutMs, logger });
  if (accessLog !== undefined)
    app.use((req, res, next) => {
      followRequest(req, res, findModel, accessLog);
      next();
    });
  app.use((req, res, next) => {
    limitBody(req, res);
    requests.set(req.method, (requests.get(req.method) ?? 0) + 1);
    durations.follow(req, res);
    guardedStep(req, res, next);
  });
  const models = (): readonly Resource[] => options.models.list();
  const routes = (): readonly ServedRoute[] => options.endpoints?.list() ?? [];
  const { consoleDirectory } = options;
  const hasConsole = consoleDirectory !== undefined;
  addFrontPage(app, { models, routes, version: options.version, isOpen: access !== undefined, hasConsole });
  if (hasConsole) addConsole(app, consoleDirectory);
  addHealth(app, options.readiness ?? []);
  addVersion(app, options.version);
  addModels(app, options, accessGuard);
  addDiscovery(app, options.models);
  addOpenapiV2(app);
  addBatch(app, { ...options, converter, bodies }, accessGuard);
  if (options.makeBackup !== undefined)
    addBackups(app, options.makeBackup, { stallMs: options.stallMs ?? STALL_MS });
  addChecks(app, options.service.store, { run, stallMs: options.stallMs ?? STALL_MS });
  addRelations(app, options.service, run, accessGuard);
  addModelPlans(app, options.makePlan, { bodies, converter });
  addStoredVersions(app, options.service, run, (req, action) => accessGuard?.authorize(req, action));
  addReviews(app, { bodies, converter }, accessGuard && ((req) => accessGuard.getIdentity(req)));
  if (options.assets !== undefined) addPluginAssets(app, options.assets);
  if (options.controllers !== undefined) addControllers(app, options.controllers, options.peers);
  const { service, controllers, storeSize, peers } = options;
  addMetrics(app, { admission, service, controllers, requests, durations, storeSize, peers });
  addDocs(app, {
    models,
    routes,
    programVersion: options.version,
    hasSignIn: access !== undefined,
    ...options.described,
  });
  app.use((req, res) => {
    const error = notFound(`nothing is served at ${formatExcerpt(req.path)}`);
    sendError(req, res, options.startup?.isOver === false ? notYet(req, error) : error, options.logger);
  });
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) => {
    const known = asServiceError(error);
    sendError(req, res, options.startup?.isOver === false ? notYet(req, known) : known, options.logger);
  });
  return app;
}

/** Replaces a `NotFound` error while plugins start, because the missing model or endpoint may still come. */
function notYet(req: Request, error: unknown): unknown {
  const isMissing = error instanceof ServiceError && error.code === 'NotFound';
  return isMissing && /^\/apis?\//.test(req.path) ? stillStarting(error) : error;
}

type Middleware = (req: Request, res: Response, next: NextFunction) => void;

function guarded(guards: readonly Guard[], logger: Logger, step: Middleware): Middleware {
  return (req, res, next) => {
    for (const guard of guards) {
      const refusal = guard(req);
      if (refusal === undefined) continue;
      sendError(req, res, refusal, logger);
      return;
    }
    step(req, res, next);
  };
}

/** Browsers send preflight requests without credentials, so they are answered before any other check. */
function crossed(allowedOrigins: ReadonlySet<string>, step: Middleware): Middleware {
  const isAnswered = crossOrigin(allowedOrigins);
  return (req, res, next) => {
    if (!isAnswered(req, res)) step(req, res, next);
  };
}

function permitted(guard: AccessGuard, step: Middleware): Middleware {
  return (req, res, next) => {
    const checked = guard.check(req, res);
    const go = (isAllowed: boolean): void => {
      if (isAllowed) step(req, res, next);
    };
    if (checked instanceof Promise) checked.then(go).catch(next);
    else go(checked);
  };
}

/** Express itself refuses some requests, with errors that have a status. */
function asServiceError(error: unknown): unknown {
  if (error instanceof ServiceError) return error;
  const status: unknown = error instanceof Error && 'status' in error ? error.status : undefined;
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new ServiceError(status === 404 ? 'NotFound' : 'BadRequest', 'the request is malformed');
  }
  return error;
}

type BatchOptions = ExpressAppOptions & BodyOptions;

function addBatch(app: Express, options: BatchOptions, guard: AccessGuard | undefined): void {
  const { service, models, startup, converter, stallMs = STALL_MS } = options;
  app
    .route(BATCH_PATH)
    .post(async (req, res) => {
      const format = bodyFormat(req.headers['content-type']);
      const query = parseQuery(splitUrl(req.originalUrl).search);
      const warnings = unknownParameters(query, 'batch');
      const write = writeOptions(query, undefined);
      const hasObjects = returnsObjects(query);
      const body = await parseBody(await options.bodies.read(req), format, converter);
      const check = (item: BatchItem): void => guard?.authorize(req, actionOfItem(item));
      const run = (all: WriteOptions): Promise<BatchDone> =>
        runBatch({ service, models, startup, check }, body, all);
      const done = await (guard === undefined ? run(write) : guard.write(req, write, run));
      await sendBatch({ req, res, hasObjects, warnings }, done, { converter, stallMs });
    })
    .all((req, res) => {
      throw refuseMethod(res, req.method, ['POST']);
    });
}
