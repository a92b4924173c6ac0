import type { ErrorDetails } from '../../errors.js';

/** A request that failed: the service refused it, did not answer, or something else answered. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The code in the `Status` of the service, which is its HTTP status. */
  readonly code: number;
  /** One word for programs: `NotFound`, `Conflict`, `Invalid`. Without an answer it is `ServiceUnavailable`. */
  readonly reason: string;
  /** The object, and every error of an invalid one in `causes`. */
  readonly details: ErrorDetails;

  constructor(
    /** The HTTP status; 0 when no answer arrived, and for a request that was not sent. */
    readonly status: number,
    error: { readonly code: string; readonly message: string; readonly details?: ErrorDetails },
  ) {
    super(error.message);
    this.code = status;
    this.reason = error.code;
    this.details = error.details ?? {};
  }
}

/** The error for a call that cannot be sent. */
export function misuse(message: string): ApiError {
  return new ApiError(0, { code: 'BadRequest', message });
}

export function hasReason(error: unknown, ...reasons: readonly string[]): error is ApiError {
  return error instanceof ApiError && reasons.includes(error.reason);
}

/** True when the same request may succeed later. */
export function isTransient(error: unknown): error is ApiError {
  return hasReason(
    error,
    'Timeout',
    'TooManyRequests',
    'InternalError',
    'ServiceUnavailable',
    'OutcomeUnknown',
  );
}

/** True when no model is served at the address; the error of a missing object has its name. */
export function isNotServed(error: unknown): error is ApiError {
  return hasReason(error, 'NotFound') && error.details.name === undefined;
}
