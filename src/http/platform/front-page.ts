import { escapeHtml } from '../../lib/escape-html.js';
import { createHash } from 'node:crypto';
import { getApiVersion, getPath, type Resource } from '../../model/resource.js';
import { CONSOLE_PATH, FRONT_PATH, wantsPage } from '../guards/pages.js';
import { sendValue } from '../answer/respond.js';
import type { PlatformEndpoint } from './endpoint.js';
import type { Platform } from './platform.js';

/** The served paths. A browser is redirected to the console, or gets a page of links without one. */
export const FRONT_PAGE: PlatformEndpoint = {
  method: 'GET',
  path: FRONT_PATH,
  handler: (platform) => (req, res) => {
    if (!wantsPage(req.headers.accept)) {
      sendValue(res, 200, { paths: servedPaths(platform) });
      return;
    }
    res.set('Vary', 'Accept');
    if (platform.console !== undefined) res.set('Cache-Control', 'no-cache').redirect(CONSOLE_PATH);
    else res.set('Content-Security-Policy', POLICY).type('html').send(page(platform));
  },
};

/** The paths without variables, sorted. */
function servedPaths({ models, routes, mounted }: Platform): readonly string[] {
  const groups = models.list().flatMap((resource) => {
    const { group } = resource;
    if (group === '') return [getPath(resource), `/openapi/v3/${apiRoot(resource)}`];
    return [`/apis/${group}`, `/${apiRoot(resource)}`, `/openapi/v3/${apiRoot(resource)}`, getPath(resource)];
  });
  const endpoints = routes().map(({ path }) => path);
  return [...new Set([...mounted(), ...groups, ...endpoints])].filter((path) => !/[:{*]/.test(path)).sort();
}

/** `apis/demo.example.com/v1alpha1` */
function apiRoot(resource: Resource): string {
  return resource.group === '' ? `api/${resource.version}` : `apis/${getApiVersion(resource)}`;
}

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem}ul{padding-left:1.2rem}';

/** The page loads only its own text and style. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

type Link = readonly [url: string, text: string];

const DOCUMENTS: readonly Link[] = [
  ['/swagger-ui.html', 'Try the API (Swagger UI)'],
  ['/v3/api-docs', 'OpenAPI document'],
  ['/openapi/v3', 'OpenAPI documents for Kubernetes clients'],
];
const STATE: readonly Link[] = [
  ['/readyz?verbose', 'Readiness'],
  ['/livez?verbose', 'Liveness'],
  ['/metrics', 'Metrics'],
  ['/version', 'Version'],
];

/** Objects in a linked list: the whole list may be long. */
const SHOWN = 20;

function page({ models, version, hasSignIn }: Platform): string {
  const lists = [...models.list()]
    .map((resource): Link => [
      `${getPath(resource)}?size=${SHOWN}`,
      `${resource.plural}.${getApiVersion(resource)}`,
    ])
    .sort(([, a], [, b]) => (a < b ? -1 : 1));
  return `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>xsvc</title><style>${STYLE}</style></head>
<body>
<h1>xsvc</h1>
<p>Version ${escapeHtml(version)}</p>
${section('Documents', DOCUMENTS)}
${section('State', STATE)}
${hasSignIn ? '<p>Requests need a token: sign in at Swagger UI.</p>' : section('Objects', lists)}
</body>
</html>
`;
}

function section(title: string, links: readonly Link[]): string {
  const items = links.map(([url, text]) => `<li><a href="${escapeHtml(url)}">${escapeHtml(text)}</a></li>`);
  return `<h2>${title}</h2>\n<ul>\n${items.join('\n')}\n</ul>`;
}
