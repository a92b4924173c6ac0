import { createHash } from 'node:crypto';
import { Router, type Express, type Request, type Response } from 'express';
import { refuseMethod } from '../guards/methods.js';
import { DOCUMENT_CHOICE } from './docs.js';
import { SIGN_IN_SCRIPT } from './sign-in.js';
import { SWAGGER_ASSETS, SWAGGER_PATH } from '../guards/pages.js';

/** The path of the service's own script among the files of the package. */
const SIGN_IN = '/xsvc-sign-in.js';

/** The files that the page loads. The build copies them (`bundle.mjs`). */
const ASSETS = /^\/(swagger-ui(-bundle\.js|-standalone-preset\.js|-init\.js|\.css)|favicon-\d+x\d+\.png)$/;

/** The style in the logo of the page's script. */
const LOGO_STYLE = '.logo_small_svg__cls-2{fill:#fff}.logo_small_svg__cls-3{fill:#85ea2d}';

/**
 * The page loads, calls and shows only the service itself, and no other page may frame it.
 * @param styles the texts of the page's inline styles
 */
function contentSecurityPolicy(styles: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${["'self'", ...styles.map((text) => `'sha256-${digestText(text)}'`)].join(' ')}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The parts of the page, created on first use: loading the package takes longer than the rest of a start. */
interface Page {
  readonly html: string;
  readonly policy: string;
  readonly assets: Router;
}

/**
 * Mounts the page that displays the documents, and can send their requests to the service.
 * @param hasSignIn true when requests need a token
 */
export function addSwaggerUi(app: Express, hasSignIn: boolean): void {
  let page: Promise<Page> | undefined;
  const load = (): Promise<Page> => (page ??= makePage(hasSignIn));
  app
    .route(SWAGGER_PATH)
    .get(async (_req, res) => {
      const { html, policy } = await load();
      res.set('Content-Security-Policy', policy).type('html').send(html);
    })
    .all(onlyGet);
  // Other paths are left to the routes that follow.
  app.use(SWAGGER_ASSETS, async (req, res, next) => {
    if (!ASSETS.test(req.path) && !(hasSignIn && req.path === SIGN_IN)) next();
    else if (req.method === 'GET' || req.method === 'HEAD') (await load()).assets(req, res, next);
    else onlyGet(req, res);
  });
}

async function makePage(hasSignIn: boolean): Promise<Page> {
  const { default: swaggerUi } = await import('swagger-ui-express');
  const options = {
    explorer: true,
    customSiteTitle: 'xsvc',
    ...(hasSignIn && { customJs: `.${SWAGGER_ASSETS}${SIGN_IN}` }),
    swaggerOptions: {
      ...DOCUMENT_CHOICE,
      // Otherwise the page calls a validator on the web.
      validatorUrl: null,
      // Otherwise the page's URL could name another description.
      queryConfigEnabled: false,
      docExpansion: 'none',
    },
  };
  const html = swaggerUi
    .generateHTML(undefined, options)
    .replace(/(href|src)="\.\//g, `$1=".${SWAGGER_ASSETS}/`)
    // The policy allows no style in an attribute.
    .replace('style="position:absolute;width:0;height:0"', 'width="0" height="0"');
  const styles = [...html.matchAll(/<style>([^]*?)<\/style>/g)].map(([, style = '']) => style);
  const assets = Router();
  if (hasSignIn) assets.get(SIGN_IN, (_req, res) => void res.type('js').send(SIGN_IN_SCRIPT));
  assets.use(...swaggerUi.serveFiles(undefined, options));
  return { html, policy: contentSecurityPolicy([...styles, LOGO_STYLE]), assets };
}

function digestText(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

function onlyGet(req: Request, res: Response): void {
  throw refuseMethod(res, req.method, ['GET', 'HEAD']);
}
