import type { IncomingMessage, ServerResponse } from 'node:http';
import { badRequest, ServiceError } from '../errors.js';
import type { Logger } from '../lib/logger.js';
import { isLoopback } from '../lib/loopback.js';
import { sendError } from './respond.js';

/**
 * Refuses requests whose `Host` is not a name of this machine: without it, a page in the user's browser could
 * reach a service without authentication by letting its own name resolve to 127.0.0.1 (DNS rebinding).
 */
export function loopbackHostOnly(logger: Logger) {
  // A client sends the same header again and again.
  let lastGood: string | undefined;
  return (req: IncomingMessage, res: ServerResponse, next: () => void): void => {
    const header = req.headers.host ?? '';
    if (header === lastGood) {
      next();
      return;
    }
    const host = header.replace(/:\d+$/, '');
    if (isLoopback(host)) {
      lastGood = header;
      next();
      return;
    }
    const error = new ServiceError(
      'Forbidden',
      `host "${host.slice(0, 100)}" is not a loopback name; a service without authentication only answers those`,
    );
    sendError(req, res, error, logger);
  };
}

/** Refuses HTTP/1.1 requests that name no `Host`, as RFC 9112 demands. */
export function hostRequired(logger: Logger) {
  return (req: IncomingMessage, res: ServerResponse, next: () => void): void => {
    if (req.headers.host !== undefined || req.httpVersion !== '1.1') next();
    else sendError(req, res, badRequest('the request has no Host header'), logger);
  };
}
