import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { formatExcerpt, ServiceError } from '../../errors.js';
import { SYSTEM_CLOCK } from '../../lib/time/clock.js';
import { LogLimit } from '../../lib/log/log-limit.js';
import type { Logger } from '../../lib/log/logger.js';
import { ANY_ORIGIN } from './cors.js';
import type { Guard } from './guard.js';
import { isWrite } from './methods.js';
import { isPageOpened, isPluginAsset } from './pages.js';

const LOG_LINES_PER_MINUTE = 10;

export interface PageGuardOptions {
  /** Origins whose pages may read and write: `https://app.example.com`, or `*` for all. */
  readonly allowedOrigins: ReadonlySet<string>;
  readonly logger: Logger;
}

/**
 * Refuses reads and writes from pages of other servers. A browser lets any page send some requests without a
 * preflight request (forms, images, frames, `fetch` with `no-cors`). They come from the user's machine and network,
 * which a service may trust. The page cannot read the answer, but it can detect an answer and measure its time. Only
 * browsers send the checked headers; other clients pass.
 */
export function ownPagesOnly({ allowedOrigins, logger }: PageGuardOptions): Guard {
  const limit = new LogLimit(SYSTEM_CLOCK, LOG_LINES_PER_MINUTE);
  return (req) => {
    const isWriting = isWrite(req.method);
    const fault = isWriting ? faultOfWrite(req, allowedOrigins) : faultOfRead(req, allowedOrigins);
    if (fault === undefined) return undefined;
    limit.write((heldBack) =>
      logger.warn(`rejected a ${isWriting ? 'write' : 'read'} of a web page: ${fault}`, {
        method: req.method,
        path: formatExcerpt((req.url ?? '').replace(/\?.*/s, '')),
        ...(heldBack === 0 ? {} : { heldBack }),
      }),
    );
    const allowed = isWriting ? 'write to it' : 'read from it; to open it, type the address';
    return new ServiceError('Forbidden', `${fault}; only pages of this service may ${allowed}`);
  };
}

function faultOfWrite(req: IncomingMessage, allowed: ReadonlySet<string>): string | undefined {
  const { origin } = req.headers;
  if (origin !== undefined) {
    if (isAllowed(origin, allowed)) return undefined;
    if (!isOwnOrigin(origin, req))
      return `the origin "${formatExcerpt(origin)}" does not match the Host of the request`;
  }
  return faultOfSite(req);
}

/**
 * `Origin` alone does not refuse a read: the service's own pages send it too when a proxy serves them under another
 * host.
 */
function faultOfRead(req: IncomingMessage, allowed: ReadonlySet<string>): string | undefined {
  const fault = faultOfSite(req);
  if (fault === undefined || isPageOpened(req) || isPluginAsset(req)) return undefined;
  const { origin } = req.headers;
  return origin !== undefined && isAllowed(origin, allowed) ? undefined : fault;
}

/** `none` means a URL that a person typed, or chose from the bookmarks. */
function faultOfSite({ headers }: IncomingMessage): string | undefined {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return undefined;
  return `the request comes from another site (Sec-Fetch-Site: ${formatExcerpt(site)})`;
}

function isAllowed(origin: string, allowed: ReadonlySet<string>): boolean {
  return allowed.has(origin) || allowed.has(ANY_ORIGIN);
}

/**
 * True when an origin is the host and port that the request was sent to. A proxy may terminate TLS, so the scheme is
 * compared only when the service itself uses TLS.
 */
export function isOwnOrigin(origin: string, { headers, socket }: IncomingMessage): boolean {
  try {
    const { protocol, host } = new URL(origin);
    const schemes = socket instanceof TLSSocket ? ['https:'] : ['http:', 'https:'];
    return schemes.includes(protocol) && host === new URL(`${protocol}//${headers.host ?? ''}`).host;
  } catch {
    return false;
  }
}
