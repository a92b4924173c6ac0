import type { IncomingMessage, ServerResponse } from 'node:http';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
/** Headers of an answer that scripts may read, in addition to the standard ones. */
const EXPOSED = 'ETag, Location, Warning, Retry-After';
/** Longest time for which a browser may cache a preflight answer, in seconds. */
const PREFLIGHT_SECONDS = 600;
/** Represents the pages of all servers. */
export const ANY_ORIGIN = '*';

/**
 * Lets pages of other servers use the service from a browser (WHATWG Fetch, CORS protocol). It sets the CORS headers
 * of answers, and answers preflight requests.
 * @returns a function that returns false when it has answered the request
 */
export function crossOrigin(allowed: ReadonlySet<string>) {
  return (req: IncomingMessage, res: ServerResponse): boolean => {
    const { origin } = req.headers;
    if (origin === undefined) return true;
    const isNamed = allowed.has(origin);
    if (!isNamed && !allowed.has(ANY_ORIGIN)) return true;
    res.setHeader('Access-Control-Allow-Origin', isNamed ? origin : ANY_ORIGIN);
    if (isNamed) res.setHeader('Access-Control-Allow-Credentials', 'true');
    res.setHeader('Vary', 'Origin');
    if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined) {
      res.setHeader('Access-Control-Expose-Headers', EXPOSED);
      return true;
    }
    res.writeHead(204, {
      'Access-Control-Allow-Methods': METHODS,
      'Access-Control-Allow-Headers': req.headers['access-control-request-headers'] ?? '',
      'Access-Control-Max-Age': PREFLIGHT_SECONDS,
    });
    res.end();
    return false;
  };
}
