import type { IncomingMessage } from 'node:http';
import { badRequest, formatExcerpt, ServiceError } from '../../errors.js';
import { isLoopback } from '../../lib/process/loopback.js';

/**
 * Checks the head of a request before any other work. Returns the refusal; undefined when the request may continue.
 */
export type Guard = (req: IncomingMessage) => ServiceError | undefined;

/**
 * Refuses requests whose `Host` is not a name of this machine. Without it, a page in the user's browser could reach a
 * service without authentication by resolving its own name to 127.0.0.1 (DNS rebinding).
 */
export function loopbackHostOnly(): Guard {
  // A client sends the same header repeatedly.
  let lastGood: string | undefined;
  return ({ headers }) => {
    const header = headers.host ?? '';
    if (header === lastGood) return undefined;
    const host = header.replace(/:\d+$/, '');
    if (isLoopback(host)) {
      lastGood = header;
      return undefined;
    }
    return new ServiceError(
      'Forbidden',
      `host "${formatExcerpt(host)}" is not a loopback name; a service without authentication accepts only loopback names`,
    );
  };
}

/** Refuses HTTP/1.1 requests without a `Host`, as RFC 9112 requires. */
export const hostRequired: Guard = ({ headers, httpVersion }) =>
  headers.host !== undefined || httpVersion !== '1.1'
    ? undefined
    : badRequest('the request has no Host header');
