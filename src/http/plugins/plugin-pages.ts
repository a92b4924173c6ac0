import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { formatExcerpt, notFound } from '../../errors.js';
import type { Logger } from '../../lib/log/logger.js';
import { asServiceError } from '../answer/express-error.js';
import { sendError } from '../answer/respond.js';
import { hostRequired, loopbackHostOnly } from '../guards/guard.js';
import { ASSETS_PREFIX } from '../guards/pages.js';
import { forEachRequest, inOrder, refuseBy } from '../guards/steps.js';
import { followRequest, type AccessLogEntry } from '../metrics/access-log.js';
import type { PageFiles } from '../console/page-files.js';
import { addBridge } from './bridge.js';
import { addPluginAssets, OWN_ORIGIN, type PluginAssets } from './plugin-assets.js';

export interface PluginPagesOptions {
  readonly assets: PluginAssets;
  /** Undefined without a console. */
  readonly bridge: PageFiles | undefined;
  /** Answers only requests whose Host is a loopback name. */
  readonly loopbackOnly: boolean;
  /** The URL of the API; undefined before it is known. */
  readonly findApi: () => string | undefined;
  /** Called for each request after its answer. */
  readonly accessLog?: ((entry: AccessLogEntry) => void) | undefined;
  readonly logger: Logger;
}

/**
 * Creates the app for the origin of plugins: their files and nothing else. Browsers treat its pages as another site
 * than the service.
 */
export function createPluginPages(options: PluginPagesOptions): Express {
  const { assets, bridge, loopbackOnly, findApi, accessLog, logger } = options;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  const steps = [
    accessLog && forEachRequest((req, res) => followRequest(req, res, () => undefined, accessLog)),
    refuseBy(loopbackOnly ? loopbackHostOnly() : hostRequired, logger),
  ];
  app.use(inOrder(steps, (_req, _res, next) => next()));
  addBridge(app, bridge);
  addPluginAssets(app, assets, OWN_ORIGIN);
  app.use((req) => {
    const api = findApi();
    throw notFound(
      `nothing is served at ${formatExcerpt(req.path)}: this address has only ${ASSETS_PREFIX}/<name>/assets/` +
        (api === undefined ? '' : `; the API is at ${api}`),
    );
  });
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) =>
    sendError(req, res, asServiceError(error), logger),
  );
  return app;
}
