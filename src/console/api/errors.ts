import { arrayAt, isObject, objectAt, textAt } from '../lib/json.js';
import { t } from '../texts.js';

/** An error in a field. */
export interface Cause {
  /** Dotted: `spec.tags[2]`. */
  readonly field: string;
  readonly message: string;
}

interface ErrorDetails {
  readonly causes?: readonly Cause[];
  /** When the service may be asked again; undefined when it does not state it. */
  readonly retryAfterMs?: number | undefined;
}

/** The service refused a request. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly causes: readonly Cause[];
  readonly retryAfterMs: number | undefined;

  constructor(
    readonly code: number,
    message: string,
    /** One word for programs: `Conflict`, `AlreadyExists`. */
    readonly reason: string,
    { causes = [], retryAfterMs }: ErrorDetails = {},
  ) {
    super(message);
    this.causes = causes;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The requested address does not exist: the plugin of its model may be stopped. */
export class NotServed extends ApiError {}

/** The service did not answer. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';

  constructor() {
    super(t`The service does not answer.`);
  }
}

export function getError(code: number, status: unknown, retryAfterMs?: number): ApiError {
  const details = objectAt(status, 'details');
  const causes = arrayAt(details, 'causes')
    .filter(isObject)
    .map((cause) => ({ field: textAt(cause, 'field') ?? '', message: textAt(cause, 'message') ?? '' }));
  // The error of a missing object has its name.
  const isServed = code !== 404 || textAt(details, 'name') !== undefined;
  return new (isServed ? ApiError : NotServed)(
    code,
    textAt(status, 'message') ?? t`The service answered with code ${code}.`,
    textAt(status, 'reason') ?? '',
    { causes, retryAfterMs },
  );
}

/** True when another writer changed the object in the meantime. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 412 || error.reason === 'Conflict');
}

/** True when the result of a request is unknown. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof Unreachable || (error instanceof ApiError && error.code === 504);
}

/** True when the object does not exist, but its model is served. */
export function isMissing(error: unknown): boolean {
  return error instanceof ApiError && error.code === 404 && !(error instanceof NotServed);
}

/** True when the error has the service's own message, which is in English; without one the page uses its own. */
export function isOfService(error: unknown): boolean {
  return error instanceof ApiError && error.reason !== '';
}

export function formatMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
