import { arrayAt, isObject, objectAt, textAt } from '../lib/json.js';
import { text } from '../texts.js';

/** What is wrong with a field. */
export interface Cause {
  /** Dotted: `spec.tags[2]`. */
  readonly field: string;
  readonly message: string;
}

/** The service refused. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly code: number,
    message: string,
    /** One word for programs: `Conflict`, `AlreadyExists`. */
    readonly reason: string,
    readonly causes: readonly Cause[] = [],
    /** When the service wants to be asked again; undefined where it does not say. */
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}

/** Nothing is at the address that was asked for: the plugin of its model may be stopped. */
export class NotServed extends ApiError {}

/** The service gave no answer. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';

  constructor() {
    super(text.unreachable);
  }
}

/** The error that a `Status` object tells of. */
export function getError(code: number, status: unknown, retryAfterMs?: number): ApiError {
  const details = objectAt(status, 'details');
  const causes = arrayAt(details, 'causes').filter(isObject);
  // Of an object that is not there, its name is told.
  const isServed = code !== 404 || textAt(details, 'name') !== undefined;
  return new (isServed ? ApiError : NotServed)(
    code,
    textAt(status, 'message') ?? text.answered(code),
    textAt(status, 'reason') ?? '',
    causes.map((cause) => ({
      field: textAt(cause, 'field') ?? '',
      message: textAt(cause, 'message') ?? '',
    })),
    retryAfterMs,
  );
}

/** Whether somebody else changed the object in the meantime. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 412 || error.reason === 'Conflict');
}

/** Whether it is not known what became of what was sent. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof Unreachable || (error instanceof ApiError && error.code === 504);
}

/** Whether there is no object of the name, where there could be one. */
export function isMissing(error: unknown): boolean {
  return error instanceof ApiError && error.code === 404 && !(error instanceof NotServed);
}

/** Whether the service says so in its own words, which are English; the page speaks for itself where it gave none. */
export function isOfService(error: unknown): boolean {
  return error instanceof ApiError && error.reason !== '';
}

export function formatMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
