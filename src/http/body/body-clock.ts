import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '../../errors.js';
import type { Logger } from '../../lib/log/logger.js';
import { hasBody } from './body.js';
import { sendError } from '../answer/respond.js';

export interface BodyClockOptions {
  /** Longest time for a body, in milliseconds. */
  readonly timeoutMs: number;
  readonly logger: Logger;
}

/**
 * Ends requests whose body takes too long, for any reader of the body and also without one. Otherwise a few bytes at
 * a time could keep a connection open for ever.
 */
export function limitBodyTime({ timeoutMs, logger }: BodyClockOptions) {
  return (req: IncomingMessage, res: ServerResponse): void => {
    if (!hasBody(req)) return;
    const timer = setTimeout(() => {
      if (req.complete) return;
      const message = `the body did not arrive within ${timeoutMs / 1000} s`;
      if (res.headersSent) req.destroy();
      else sendError(req, res, new ServiceError('Timeout', message), logger);
    }, timeoutMs);
    timer.unref();
    req.once('close', () => clearTimeout(timer));
  };
}
