import type { ServerResponse, IncomingMessage } from 'node:http';
import { ServiceError, type ErrorCode } from '../../errors.js';
import type { Logger } from '../../lib/log/logger.js';
import { sendError } from '../answer/respond.js';

const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  408: 'Timeout',
  409: 'Conflict',
  410: 'Expired',
  412: 'PreconditionFailed',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
};

/** These headers apply to every answer to the request. */
const KEPT_HEADERS = /^(allow|vary|access-control-.*)$/;

/**
 * Answers with an error of a plugin's handler. Errors with a client error status, such as those of Express and its
 * parsers, keep it. Any error other than these and `ServiceError` is the plugin's defect: the client gets an id.
 */
export function sendEndpointError(
  req: IncomingMessage,
  res: ServerResponse,
  error: unknown,
  logger: Logger,
): void {
  const known = asServiceError(error);
  if (res.headersSent) {
    logger.warn(`${req.method ?? ''} ${getPath(req)} failed after its answer had begun`, {
      error: error instanceof Error ? error.stack : String(error),
    });
    if (!res.writableEnded) res.destroy();
    return;
  }
  // Headers that the handler set belong to another answer.
  for (const name of res.getHeaderNames()) if (!KEPT_HEADERS.test(name)) res.removeHeader(name);
  sendError(req, res, known, logger);
}

function asServiceError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ServiceError) return error;
  const status: unknown =
    'status' in error ? error.status : 'statusCode' in error ? error.statusCode : undefined;
  if (typeof status !== 'number' || status < 400 || status > 499) return error;
  const isShown = !('expose' in error) || error.expose === true;
  return new ServiceError(
    CODES[status] ?? 'BadRequest',
    isShown ? error.message : 'the request was rejected',
  );
}

/** Without the query, which may contain secrets. */
export function getPath(req: IncomingMessage & { originalUrl?: string }): string {
  return (req.originalUrl ?? req.url ?? '').replace(/\?.*/s, '').slice(0, 300);
}
