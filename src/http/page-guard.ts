import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { excerpt, ServiceError } from '../errors.js';
import { SYSTEM_CLOCK } from '../lib/clock.js';
import { LogLimit } from '../lib/log-limit.js';
import type { Logger } from '../lib/logger.js';
import { ANY_ORIGIN } from './cors.js';
import type { Guard } from './guard.js';
import { isWrite } from './methods.js';

const LOG_LINES_PER_MINUTE = 10;

export interface PageGuardOptions {
  /** Origins whose pages may write: `https://app.example.com`, or `*` for those of all. */
  readonly allowedOrigins: ReadonlySet<string>;
  readonly logger: Logger;
}

/**
 * Refuses writes of pages that other servers sent. A browser lets any page send some of them without asking first
 * (forms, beacons, `fetch` with `no-cors`), from the machine and the network of the user, where a service may trust
 * whoever asks. Only browsers send the headers that are looked at; other clients pass.
 */
export function ownPagesOnly({ allowedOrigins, logger }: PageGuardOptions): Guard {
  const limit = new LogLimit(SYSTEM_CLOCK, LOG_LINES_PER_MINUTE);
  return (req) => {
    if (!isWrite(req.method)) return undefined;
    const fault = faultOf(req, allowedOrigins);
    if (fault === undefined) return undefined;
    limit.write((heldBack) =>
      logger.warn(`refused a write that a web page asked for: ${fault}`, {
        method: req.method,
        path: excerpt((req.url ?? '').replace(/\?.*/s, '')),
        ...(heldBack === 0 ? {} : { heldBack }),
      }),
    );
    return new ServiceError('Forbidden', `${fault}; only pages of this service may write to it`);
  };
}

function faultOf(req: IncomingMessage, allowed: ReadonlySet<string>): string | undefined {
  const { origin, 'sec-fetch-site': site } = req.headers;
  if (origin !== undefined) {
    if (allowed.has(origin) || allowed.has(ANY_ORIGIN)) return undefined;
    if (!isOwn(origin, req)) return `the origin "${excerpt(origin)}" is not that of the request's Host`;
  }
  if (site === undefined || site === 'same-origin' || site === 'none') return undefined;
  return `the request comes from another site (Sec-Fetch-Site: ${excerpt(site)})`;
}

/**
 * Whether an origin is the host and port that the request was sent to. A proxy may speak TLS in front of a service
 * that does not, so the scheme only counts where the service speaks TLS itself.
 */
function isOwn(origin: string, { headers, socket }: IncomingMessage): boolean {
  try {
    const { protocol, host } = new URL(origin);
    const schemes = socket instanceof TLSSocket ? ['https:'] : ['http:', 'https:'];
    return schemes.includes(protocol) && host === new URL(`${protocol}//${headers.host ?? ''}`).host;
  } catch {
    return false;
  }
}
