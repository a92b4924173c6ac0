import { ServiceError } from '../../errors.js';

/** Express itself refuses some requests, with errors that have a status. */
export function asServiceError(error: unknown): unknown {
  if (error instanceof ServiceError) return error;
  const status: unknown = error instanceof Error && 'status' in error ? error.status : undefined;
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new ServiceError(status === 404 ? 'NotFound' : 'BadRequest', 'the request is malformed');
  }
  return error;
}
