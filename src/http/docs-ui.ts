import { Router, type Express, type NextFunction, type Request, type Response } from 'express';
import swaggerUi from 'swagger-ui-express';
import { refuseMethod } from './dispatch.js';

const PAGE_PATH = '/swagger-ui.html';
const ASSETS_PATH = '/swagger-ui';

/** The files that the page loads. The package has a page of its own too, which shows a description on the web. */
const ASSETS = /^\/(swagger-ui(-bundle|-standalone-preset|-init)?\.(js|css)(\.map)?|favicon-\d+x\d+\.png)$/;

/** Nothing but the service itself: the page loads, calls and shows nothing else, and no other page may frame it. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "img-src 'self' data:",
  "style-src 'self' 'unsafe-inline'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Mounts the page that shows the documents and tries their operations out on the service itself. */
export function addSwaggerUi(
  app: Express,
  urls: readonly { readonly url: string; readonly name: string }[],
): void {
  const options = {
    explorer: true,
    customSiteTitle: 'xsvc',
    swaggerOptions: {
      urls,
      'urls.primaryName': urls[0]?.name,
      // Else the page asks a validator on the web.
      validatorUrl: null,
      // Else its URL could name another description.
      queryConfigEnabled: false,
      docExpansion: 'none',
    },
  };
  const html = swaggerUi
    .generateHTML(undefined, options)
    .replace(/(href|src)="\.\//g, `$1=".${ASSETS_PATH}/`);
  app
    .route(PAGE_PATH)
    .get((_req, res) => {
      res.set('Content-Security-Policy', CONTENT_SECURITY_POLICY).set('X-Content-Type-Options', 'nosniff');
      res.type('html').send(html);
    })
    .all(onlyGet);
  // A router of its own, so that what is no asset can leave it for the routes that follow.
  const assets = Router();
  assets.use(onlyAssets, ...swaggerUi.serveFiles(undefined, options));
  app.use(ASSETS_PATH, assets);
}

function onlyGet(req: Request, res: Response): void {
  throw refuseMethod(res, req.method, ['GET', 'HEAD']);
}

function onlyAssets(req: Request, res: Response, next: NextFunction): void {
  if (!ASSETS.test(req.path)) next('router');
  else if (req.method === 'GET' || req.method === 'HEAD') next();
  else onlyGet(req, res);
}
