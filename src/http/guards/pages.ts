import type { IncomingMessage } from 'node:http';
import { negotiation } from '../answer/accept.js';
import { JSON_TYPE, YAML_TYPES } from '../answer/media.js';
import { splitUrl } from '../routes/route.js';

export const FRONT_PATH = '/';
/** The page for browsing and editing objects; its files are below it. */
export const CONSOLE_PATH = '/console/';
/** The issuer sends browsers back to it after a sign-in. */
export const SIGN_IN_CALLBACK = '/console/oidc/callback';
export const SWAGGER_PATH = '/swagger-ui.html';
/** The files of the page at {@link SWAGGER_PATH}. */
export const SWAGGER_ASSETS = '/swagger-ui';

/** Files of plugins: `/plugins/<name>/assets/<file>`. */
export const ASSETS_PREFIX = '/plugins';

/** The script that connects pages of plugins with the console. No plugin has this name. */
export const BRIDGE_PATH = `${ASSETS_PREFIX}/bridge.js`;

const PLUGIN_ASSET = /^\/plugins\/(?:bridge\.js$|[^/]+\/assets(?:\/|$))/;
const CONSOLE_FILE = /^\/console(?:\/[\w.-]*)?$/;
const SWAGGER_ASSET = /^\/swagger-ui\/[\w-]+(?:\.[\w-]+)*$/;
const PAGES: ReadonlySet<string> = new Set([FRONT_PATH, SWAGGER_PATH]);

/** True for a browser that wants to show a page. */
export const wantsPage = negotiation<boolean>([
  [JSON_TYPE, false],
  ...YAML_TYPES.map((type) => [type, false] as const),
  ['text/html', true],
]);

/** The pages that people open, also from links of other sites. */
const OPENED: ReadonlySet<string> = new Set([
  FRONT_PATH,
  CONSOLE_PATH,
  '/console',
  SWAGGER_PATH,
  SIGN_IN_CALLBACK,
]);

/** True for a navigation of a browser to one of the service's own pages. */
export function isPageOpened({ method, url = '', headers }: IncomingMessage): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return isNavigation && OPENED.has(splitUrl(url).path);
}

/** True for a file of a plugin: its pages are sandboxed, so browsers treat them as another site. */
export function isPluginAsset({ method, url = '' }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && PLUGIN_ASSET.test(splitUrl(url).path);
}

/**
 * True for a page that a browser shows, or for a file of such a page. They do not depend on stored data, and a
 * browser cannot send a token for them.
 */
export function isPage({ method, url = '', headers }: IncomingMessage): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const { path } = splitUrl(url);
  if (CONSOLE_FILE.test(path) || SWAGGER_ASSET.test(path) || PLUGIN_ASSET.test(path)) return true;
  return PAGES.has(path) && wantsPage(headers.accept);
}
