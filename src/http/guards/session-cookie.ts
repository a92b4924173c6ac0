import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { ServiceError } from '../../errors.js';
import { isLoopback } from '../../lib/process/loopback.js';
import { isWrite } from './methods.js';
import { isOwnOrigin } from './page-guard.js';

const SESSION = 'xsvc-session';
const STATE = 'xsvc-signin';

/** True when browsers reach the service over TLS: directly, or by a proxy, because the address is not of this machine. */
export function isOverTls({ socket, headers }: IncomingMessage): boolean {
  return socket instanceof TLSSocket || !isLoopback((headers.host ?? '').replace(/:\d+$/, ''));
}

/** The name of the cookie with the session. Browsers let only this host set the longer one, and only over TLS. */
export function sessionCookieName(req: IncomingMessage): string {
  const name = withPort(SESSION, req);
  return isOverTls(req) ? `__Host-${name}` : name;
}

/** The name of the cookie with the state of a sign-in that has begun. */
export function stateCookieName(req: IncomingMessage): string {
  return withPort(STATE, req);
}

/** Browsers send a cookie to all ports of a host, so services on two ports need two names. */
function withPort(name: string, { headers }: IncomingMessage): string {
  const port = /:(\d{1,5})$/.exec(headers.host ?? '')?.[1];
  return port === undefined ? name : `${name}-${port}`;
}

/** The value of a cookie of a request; undefined without one, and for several of the name. */
export function findCookie({ headers }: IncomingMessage, name: string): string | undefined {
  const found = (headers.cookie ?? '').split(';').flatMap((pair) => {
    const [key = '', ...value] = pair.trim().split('=');
    return key === name ? [value.join('=')] : [];
  });
  return found.length === 1 ? found[0] : undefined;
}

/**
 * The secret of the session with which a request comes. Browsers send the cookie also for pages of other ports of this
 * host, which are the same site: requests of such pages have no session, whatever other origins may do.
 * @throws ServiceError `Forbidden` for a write that does not say that it comes from a page of this service
 */
export function sessionOf(req: IncomingMessage): string | undefined {
  const { origin, cookie, 'sec-fetch-site': site } = req.headers;
  if (cookie === undefined) return undefined;
  const secret = findCookie(req, sessionCookieName(req));
  if (secret === undefined) return undefined;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return undefined;
  if (origin !== undefined && !isOwnOrigin(origin, req)) return undefined;
  if (isWrite(req.method) && origin === undefined && site !== 'same-origin')
    throw new ServiceError(
      'Forbidden',
      'a write with a session must come from a page of this service (Origin); programs use tokens',
    );
  return secret;
}
