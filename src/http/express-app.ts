import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { WatchTickets } from '../access/watch-tickets.js';
import { formatExcerpt, hasCode, notFound } from '../errors.js';
import { KubernetesDescriber } from '../openapi/kubernetes.js';
import { SwaggerDescriber } from '../openapi/v2/swagger.js';
import { Admission, type Admit } from './admission/admission.js';
import { senderReader } from './admission/sender.js';
import { Converter } from './answer/converter.js';
import { asServiceError } from './answer/express-error.js';
import type { BodyParsers } from './answer/media.js';
import { alwaysWarn, sendError } from './answer/respond.js';
import { limitBodyTime } from './body/body-clock.js';
import { RequestAudit } from './audit/request-audit.js';
import { RequestOrigins } from './audit/request-origins.js';
import { BodyReader } from './body/body-reader.js';
import { typeRequired } from './body/body.js';
import type { ConsoleBrand } from './console/brand.js';
import { PageFiles } from './console/page-files.js';
import { describing, type DocsSource } from './docs/docs.js';
import { addSwaggerUi } from './docs/ui.js';
import type { EndpointRegistry } from './endpoint/endpoints.js';
import { AccessGuard } from './guards/access-guard.js';
import { parsePath, splitUrl, type FindModel } from './routes/route.js';
import { crossOrigin } from './guards/cors.js';
import { hostRequired, loopbackHostOnly } from './guards/guard.js';
import { ownPagesOnly } from './guards/page-guard.js';
import { deferUntilStarted, stillStarting } from './guards/startup.js';
import { TicketGuard } from './guards/ticket-guard.js';
import {
  forEachRequest,
  inOrder,
  passIf,
  refuseBy,
  type Middleware,
  type RequestStep,
} from './guards/steps.js';
import { followRequest, type AccessLogEntry } from './metrics/access-log.js';
import { RequestMetrics } from './metrics/request-metrics.js';
import { ServiceLog } from './metrics/service-log.js';
import { mount } from './platform/endpoint.js';
import { PLATFORM_DESCRIPTION, PLATFORM_ENDPOINTS } from './platform/endpoints.js';
import { neededRights } from './platform/rights.js';
import type { Platform } from './platform/platform.js';
import { addBridge } from './plugins/bridge.js';
import { addPluginAssets, SANDBOX } from './plugins/plugin-assets.js';
import type { DispatchOptions } from './routes/call.js';
import { dispatch } from './routes/dispatch.js';
import { parseQuery } from './routes/parameters.js';

export interface ExpressAppOptions
  extends
    Omit<DispatchOptions, 'guard' | 'admit' | 'bodies' | 'origins'>,
    Pick<Platform, 'version' | 'access' | 'audit' | 'startup' | 'peers' | 'makeBackup' | 'aliveMs'>,
    Pick<Platform, 'makePlan' | 'planDefinition' | 'mcp' | 'assets' | 'pluginLogs' | 'findPluginConfig'>,
    Pick<Platform, 'controllers' | 'webhooks' | 'signInClient' | 'browserSignIn' | 'storeSize'>,
    Partial<Pick<Platform, 'readiness' | 'admission' | 'converter' | 'serviceLog'>> {
  /** Largest request body, in bytes. */
  readonly bodyBytesMax: number;
  /** Parsers of bodies in other formats than JSON and YAML. Default: none. */
  readonly bodyParsers?: BodyParsers;
  /** Answers only requests whose Host is a loopback name. */
  readonly loopbackOnly: boolean;
  /** Origins of other servers whose pages may read and write: `https://app.example.com`, or `*`. Default: none. */
  readonly allowedOrigins?: ReadonlySet<string>;
  /** Longest time for a request's body, in milliseconds. Default 30 s. */
  readonly bodyTimeoutMs?: number;
  /** Default: those of the store, by the clock of the system. */
  readonly tickets?: WatchTickets;
  /** Called for each request after its answer. */
  readonly accessLog?: ((entry: AccessLogEntry) => void) | undefined;
  /** Records reads in the audit log too. Default false. */
  readonly auditReads?: boolean;
  /** Custom endpoints of plugins; undefined without plugins. */
  readonly endpoints?: EndpointRegistry;
  /** Directory of the console's files; undefined when it is not served. */
  readonly consoleDirectory?: string | undefined;
  /** Default: that of the program. */
  readonly consoleBrand?: ConsoleBrand | undefined;
  /** Custom endpoints and owners of models, for the description; without it, only the models are described. */
  readonly described?: Partial<Pick<DocsSource, 'routes' | 'version' | 'findOwner'>>;
}

const BODY_MS = 30_000;

/** Creates the app for all HTTP requests: {@link requestSteps}, then the endpoints of the platform. */
export function createExpressApp(options: ExpressAppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // Roles name paths in their exact case.
  app.enable('case sensitive routing');
  app.set('query parser', (search: string) => parseQuery(search));
  const parts = createParts(options);
  const { endpoints, assets, logger, startup } = options;
  const generated = dispatch({ ...options, ...parts }, parts.converter);
  options.service.beforeClose(() => parts.converter.close());
  // One layer for all steps: each layer of the router costs time in every request.
  app.use(
    inOrder(requestSteps(options, parts, generated), (req, res, next) => {
      if (endpoints === undefined) next();
      else endpoints.handle(req, res, next);
    }),
  );
  const platform = createPlatform(options, parts, app);
  mount(app, PLATFORM_ENDPOINTS, platform);
  addBridge(app, platform.console);
  if (assets !== undefined) addPluginAssets(app, assets, SANDBOX);
  addSwaggerUi(app, platform.hasSignIn);
  app.use((req, res, next) => {
    if (parsePath(splitUrl(req.url).path, parts.findModel) === undefined) next();
    // Another process may have stored the model a moment ago.
    else Promise.resolve(options.models.catchUp()).then(() => generated(req, res, next), next);
  });
  app.use((req, res) => {
    const error = notFound(`nothing is served at ${formatExcerpt(req.path)}`);
    sendError(req, res, startup?.isOver === false ? notYet(req, error) : error, logger);
  });
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) => {
    const known = asServiceError(error);
    sendError(req, res, startup?.isOver === false ? notYet(req, known) : known, logger);
  });
  return app;
}

/** The objects that several steps and endpoints share. */
interface Parts
  extends
    Pick<Platform, 'needed' | 'tickets' | 'guard' | 'converter' | 'admission' | 'getSender' | 'bodies'>,
    Pick<Platform, 'origins' | 'requests' | 'durations' | 'serviceLog'> {
  readonly findModel: FindModel;
  readonly admit: Admit;
}

function createParts(options: ExpressAppOptions): Parts {
  const { access, logger, models, endpoints, service } = options;
  const { converter = new Converter(), admission = new Admission(), serviceLog = new ServiceLog() } = options;
  const findModel: FindModel = (...path) => models.find(...path);
  const needed = neededRights(findModel);
  const tickets = new TicketGuard(
    options.tickets ?? new WatchTickets(service.store),
    (url) => needed.findAction('GET', url)?.verb === 'watch',
    logger,
  );
  const guard = access && new AccessGuard(access, needed, tickets, logger);
  const getSender = senderReader(guard);
  return {
    findModel,
    needed,
    tickets,
    guard,
    converter,
    admission,
    getSender,
    admit: admission.by(getSender),
    bodies: new BodyReader(options.bodyBytesMax, admission.bodies, options.bodyParsers),
    origins: options.audit && new RequestOrigins(guard),
    requests: new Map(),
    durations: new RequestMetrics(findModel, (method, url) => endpoints?.findRoute(method, url), serviceLog),
    serviceLog,
  };
}

/** The steps of a request, in order. The last one answers the generated routes of models. */
function requestSteps(
  options: ExpressAppOptions,
  parts: Parts,
  generated: Middleware,
): readonly (RequestStep | undefined)[] {
  const { logger, accessLog, startup, allowedOrigins = new Set(), bodyTimeoutMs = BODY_MS } = options;
  const { findModel, guard, tickets, requests, durations } = parts;
  const limitBody = limitBodyTime({ timeoutMs: bodyTimeoutMs, logger });
  const audit = createAudit(options, parts);
  return [
    audit && forEachRequest((req, res) => audit.follow(req, res)),
    accessLog && forEachRequest((req, res) => followRequest(req, res, findModel, accessLog)),
    forEachRequest((req, res) => {
      limitBody(req, res);
      requests.set(req.method, (requests.get(req.method) ?? 0) + 1);
      durations.follow(req, res);
    }),
    refuseBy(options.loopbackOnly ? loopbackHostOnly() : hostRequired, logger),
    refuseBy(ownPagesOnly({ allowedOrigins, logger }), logger),
    // Browsers send preflight requests without credentials, so they are answered before the access check.
    allowedOrigins.size > 0 ? passIf(crossOrigin(allowedOrigins)) : undefined,
    startup && deferUntilStarted(startup),
    guard === undefined ? forEachRequest(warnOfToken) : passIf((req, res) => guard.check(req, res)),
    guard === undefined ? passIf((req, res) => tickets.check(req, res)) : undefined,
    refuseBy(typeRequired, logger),
    (rest) => (req, res, next) => generated(req, res, () => rest(req, res, next)),
  ];
}

function createAudit(
  { audit: log, auditReads: hasReads = false }: ExpressAppOptions,
  { origins, needed, guard }: Parts,
): RequestAudit | undefined {
  return log && origins && new RequestAudit({ log, origins, needed, guard, hasReads });
}

/** A client with a token expects that it is checked. */
function warnOfToken({ headers }: Request, res: Response): void {
  if (headers.authorization === undefined) return;
  alwaysWarn(res, ['this service needs no token, and did not check the one in the request (--auth none)']);
}

function createPlatform(options: ExpressAppOptions, parts: Parts, app: Express): Platform {
  const {
    models,
    endpoints,
    access,
    version,
    consoleDirectory,
    consoleBrand,
    described,
    readiness = [],
  } = options;
  const source = {
    models: () => models.list(),
    routes: () => endpoints?.list() ?? [],
    programVersion: version,
    ...described,
  };
  return {
    ...options,
    ...parts,
    run: parts.admit.run,
    readiness,
    console: consoleDirectory === undefined ? undefined : new PageFiles(consoleDirectory, consoleBrand),
    hasSignIn: access !== undefined,
    routes: () => endpoints?.list() ?? [],
    mounted: () => app.router.stack.flatMap(({ route }) => route?.path ?? []),
    describe: describing(source, PLATFORM_DESCRIPTION),
    kubernetes: new KubernetesDescriber(version),
    swagger: new SwaggerDescriber(version),
  };
}

/** Replaces a `NotFound` error while plugins start, because the missing model or endpoint may still come. */
function notYet(req: Request, error: unknown): unknown {
  const isMissing = hasCode(error, 'NotFound');
  return isMissing && /^\/apis?\//.test(req.path) ? stillStarting(error) : error;
}
