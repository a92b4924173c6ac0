import type { IncomingMessage } from 'node:http';
import { negotiation } from '../answer/accept.js';
import { JSON_TYPE, YAML_TYPES } from '../answer/media.js';
import { splitUrl } from '../routes/route.js';

export const FRONT_PATH = '/';
/** The page to browse and edit objects with; what it loads is below. */
export const CONSOLE_PATH = '/console/';
export const SWAGGER_PATH = '/swagger-ui.html';
/** What the page at {@link SWAGGER_PATH} loads. */
export const SWAGGER_ASSETS = '/swagger-ui';

/** Files of plugins: `/plugins/<name>/assets/<file>`. */
export const ASSETS_PREFIX = '/plugins';

const PLUGIN_ASSET = /^\/plugins\/[^/]+\/assets(?:\/|$)/;
const CONSOLE_FILE = /^\/console(?:\/[\w.-]*)?$/;
const SWAGGER_ASSET = /^\/swagger-ui\/[\w-]+(?:\.[\w-]+)*$/;
const PAGES: ReadonlySet<string> = new Set([FRONT_PATH, SWAGGER_PATH]);

/** Whether a browser asks that wants to show a page. */
export const wantsPage = negotiation<boolean>([
  [JSON_TYPE, false],
  ...YAML_TYPES.map((type) => [type, false] as const),
  ['text/html', true],
]);

/** The pages that people open, from links of other sites too. */
const OPENED: ReadonlySet<string> = new Set([FRONT_PATH, CONSOLE_PATH, '/console', SWAGGER_PATH]);

/** Whether a browser shows the answer by itself, in place of the page that led to it, and it is a page of ours. */
export function isPageOpened({ method, url = '', headers }: IncomingMessage): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return isNavigation && OPENED.has(splitUrl(url).path);
}

/** Whether a request is for a file of a plugin: its pages are sandboxed, so to browsers they are of another site. */
export function isPluginAsset({ method, url = '' }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && PLUGIN_ASSET.test(splitUrl(url).path);
}

/**
 * Whether a request is for a page that a browser shows, or for what such a page is made of. They are the same whatever
 * is stored, and a browser cannot send a token for them.
 */
export function isPage({ method, url = '', headers }: IncomingMessage): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const { path } = splitUrl(url);
  if (CONSOLE_FILE.test(path) || SWAGGER_ASSET.test(path) || PLUGIN_ASSET.test(path)) return true;
  return PAGES.has(path) && wantsPage(headers.accept);
}
