/**
 * All error codes. A code names the problem in terms of the domain; the edge maps it to an HTTP status or an exit
 * code. Codes are API, messages are not.
 */
export const ERROR_CODES = [
  'BadRequest',
  'Unauthorized',
  'Forbidden',
  'NotFound',
  'MethodNotAllowed',
  'Timeout',
  'AlreadyExists',
  'Conflict',
  'Expired',
  'PreconditionFailed',
  'RequestEntityTooLarge',
  'UnsupportedMediaType',
  'Invalid',
  'TooManyRequests',
  'InternalError',
  'ServiceUnavailable',
  'OutcomeUnknown',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** The only mapping from error codes to HTTP statuses. The first code of a status is that of an answer without a code. */
export const HTTP_STATUS: Readonly<Record<ErrorCode, number>> = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  Timeout: 408,
  Conflict: 409,
  AlreadyExists: 409,
  Expired: 410,
  PreconditionFailed: 412,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServiceUnavailable: 503,
  OutcomeUnknown: 504,
};
/** The reasons why one field can be refused. The names are those that Kubernetes clients know. */
export const CAUSE_REASONS = [
  'FieldValueRequired',
  'FieldValueInvalid',
  'FieldValueDuplicate',
  'FieldValueNotSupported',
  'FieldValueForbidden',
  'FieldValueTooLong',
  'FieldValueNotFound',
  'NamespaceTerminating',
  'FieldManagerConflict',
] as const;

export type CauseReason = (typeof CAUSE_REASONS)[number];

export interface Cause {
  /** Dotted path from the object's root: `spec.age`, `spec.tags[2]`; the index name for a unique index. */
  readonly field: string;
  readonly reason: CauseReason;
  readonly message: string;
}

export interface ErrorDetails {
  readonly group?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly causes?: readonly Cause[];
  /** Seconds after which the same request may succeed. Only set when nothing was applied. */
  readonly retryAfterSeconds?: number;
  /** True when the whole message is sent, however long, because its reader needs the whole list. Default: false. */
  readonly isToldInFull?: boolean;
}

/** The only error class of the service. Anything else that is thrown is a defect and becomes `InternalError`. */
export class ServiceError extends Error {
  override readonly name: string = 'ServiceError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details: ErrorDetails = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** The same error with the object that it concerns, or with other causes. */
  with(details: ErrorDetails): ServiceError {
    return new ServiceError(this.code, this.message, { ...this.details, ...details }, { cause: this.cause });
  }
}

export function badRequest(message: string, details?: ErrorDetails): ServiceError {
  return new ServiceError('BadRequest', message, details);
}

export function unauthorized(message: string): ServiceError {
  return new ServiceError('Unauthorized', message);
}

export function notFound(message: string, details?: ErrorDetails): ServiceError {
  return new ServiceError('NotFound', message, details);
}

export function conflict(message: string, details?: ErrorDetails): ServiceError {
  return new ServiceError('Conflict', message, details);
}

export function unavailable(message: string, details?: ErrorDetails): ServiceError {
  return new ServiceError('ServiceUnavailable', message, details);
}

/**
 * The error for an object that violates its model.
 * @param subject the invalid object, for example `Person "ann"`
 * @param causes all violations, not only the first
 */
export function invalid(subject: string, causes: readonly Cause[], details: ErrorDetails = {}): ServiceError {
  return new ServiceError('Invalid', `${subject} is invalid: ${listCauses(causes)}`, { ...details, causes });
}

/** Limit for the characters of causes in a message. The error contains all causes separately. */
const LISTED_LENGTH_MAX = 800;

/** Formats the first causes for a message, and the number of the others. */
export function listCauses(causes: readonly Cause[]): string {
  const shown: string[] = [];
  let length = 0;
  for (const { field, message } of causes) {
    const text = field === '' ? message : `${shortPath(field)}: ${message}`;
    length += text.length;
    if (shown.length > 0 && length > LISTED_LENGTH_MAX) break;
    shown.push(text);
  }
  const more = causes.length - shown.length;
  return shown.join('; ') + (more === 0 ? '' : `; and ${more} more`);
}

/** Limit for the characters of foreign text that a message repeats. */
const EXCERPT_LENGTH_MAX = 100;

/** The beginning of a foreign text, for a message about it. */
export function formatExcerpt(text: string, lengthMax = EXCERPT_LENGTH_MAX): string {
  if (text.length <= lengthMax) return text;
  // Half of a surrogate pair is not valid text.
  return `${text.slice(0, lengthMax).replace(/[\ud800-\udbff]$/, '')}...`;
}

/** Longer paths belong to no declared field. */
const PATH_LENGTH_MAX = 500;

/** A dotted path whose keys may come from a client, shortened for a message. */
export function shortPath(path: string): string {
  if (path.length <= EXCERPT_LENGTH_MAX) return path;
  return formatExcerpt(
    path
      .split('.')
      .map((key) => formatExcerpt(key))
      .join('.'),
    PATH_LENGTH_MAX,
  );
}

export function hasCode(error: unknown, ...codes: readonly ErrorCode[]): error is ServiceError {
  return error instanceof ServiceError && codes.includes(error.code);
}

/** The message of anything that was thrown. */
export function getMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function invalidValue(field: string, message: string): Cause {
  return { field, reason: 'FieldValueInvalid', message };
}

/** The causes of anything that was thrown. */
export function getCauses(error: unknown): readonly Cause[] {
  return error instanceof ServiceError ? (error.details.causes ?? []) : [];
}

/** The message of the first cause, without the subject that the error names; without causes the whole message. */
export function getReason(error: unknown): string {
  const [cause] = getCauses(error);
  return cause?.message ?? getMessage(error);
}
