import type { Cause, ErrorCode, ServiceError } from '../errors.js';

/** The only place where a code becomes an HTTP status. */
export const HTTP_STATUS: Readonly<Record<ErrorCode, number>> = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  Timeout: 408,
  AlreadyExists: 409,
  Conflict: 409,
  Expired: 410,
  PreconditionFailed: 412,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServiceUnavailable: 503,
};

/** The Kubernetes `Status` object: the one shape of every error. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Record<string, never>;
  readonly status: 'Failure';
  readonly code: number;
  readonly reason: ErrorCode;
  readonly message: string;
  readonly details: {
    readonly group?: string;
    readonly kind?: string;
    readonly name?: string;
    readonly causes: readonly Cause[];
  };
}

export function statusOf(error: ServiceError): Status {
  const { group, kind, name, causes = [] } = error.details;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code: HTTP_STATUS[error.code],
    reason: error.code,
    message: error.message,
    details: {
      ...(group === undefined ? {} : { group }),
      ...(kind === undefined ? {} : { kind }),
      ...(name === undefined ? {} : { name }),
      causes,
    },
  };
}
