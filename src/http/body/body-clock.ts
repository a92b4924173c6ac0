import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '../../errors.js';
import type { Logger } from '../../lib/log/logger.js';
import { hasBody } from './body.js';
import { sendError } from '../answer/respond.js';

export interface BodyClockOptions {
  /** How long a body may take, in milliseconds. */
  readonly timeoutMs: number;
  readonly logger: Logger;
}

/**
 * Ends requests whose body takes too long, whoever reads it, also when nobody does: a few bytes now and then would
 * otherwise keep a connection for ever.
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
