import type { IncomingMessage, ServerResponse } from 'node:http';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
/** What scripts may see of an answer's head besides what they always may. */
const EXPOSED = 'ETag, Location, Warning, Retry-After';
/** How long a browser may remember what it was told before a request, in seconds. */
const PREFLIGHT_SECONDS = 600;
/** Stands for the pages of all servers. */
export const ANY_ORIGIN = '*';

/**
 * Lets pages of other servers use the service from a browser (WHATWG Fetch, CORS protocol). It says so in the head of
 * answers, and answers what browsers ask before requests that a form could not send.
 * @returns whether a request was answered
 */
export function crossOrigin(allowed: ReadonlySet<string>) {
  return (req: IncomingMessage, res: ServerResponse): boolean => {
    const { origin } = req.headers;
    if (origin === undefined) return false;
    const isNamed = allowed.has(origin);
    if (!isNamed && !allowed.has(ANY_ORIGIN)) return false;
    res.setHeader('Access-Control-Allow-Origin', isNamed ? origin : ANY_ORIGIN);
    if (isNamed) res.setHeader('Access-Control-Allow-Credentials', 'true');
    res.setHeader('Vary', 'Origin');
    if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined) {
      res.setHeader('Access-Control-Expose-Headers', EXPOSED);
      return false;
    }
    res.writeHead(204, {
      'Access-Control-Allow-Methods': METHODS,
      'Access-Control-Allow-Headers': req.headers['access-control-request-headers'] ?? '',
      'Access-Control-Max-Age': PREFLIGHT_SECONDS,
    });
    res.end();
    return true;
  };
}
