import { ServiceError, type ErrorCode } from '../errors.js';
import { ConfigError } from '../lib/config-error.js';

/** The exit codes of the program. They are API. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  conflict: 4,
  invalid: 5,
  unavailable: 6,
  /** For `diff`: files and objects differ. For `model plan`: a start would change something. */
  differs: 10,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The only place that maps an error code to an exit code. */
export const EXIT_CODES: Readonly<Record<ErrorCode, ExitCode>> = {
  BadRequest: EXIT.invalid,
  Unauthorized: EXIT.failed,
  Forbidden: EXIT.failed,
  NotFound: EXIT.notFound,
  MethodNotAllowed: EXIT.failed,
  Timeout: EXIT.unavailable,
  AlreadyExists: EXIT.conflict,
  Conflict: EXIT.conflict,
  Expired: EXIT.failed,
  PreconditionFailed: EXIT.conflict,
  RequestEntityTooLarge: EXIT.invalid,
  UnsupportedMediaType: EXIT.invalid,
  Invalid: EXIT.invalid,
  TooManyRequests: EXIT.unavailable,
  InternalError: EXIT.failed,
  ServiceUnavailable: EXIT.unavailable,
  OutcomeUnknown: EXIT.unavailable,
};

/** The command line cannot be parsed. No error code of the service fits: it never reaches the service. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function getExitCode(error: unknown): ExitCode {
  if (error instanceof ServiceError) return EXIT_CODES[error.code];
  if (error instanceof UsageError || error instanceof ConfigError) return EXIT.usage;
  return EXIT.failed;
}

/**
 * The exit code of several failures: the largest class wins. 0 without failures.
 * @param before the exit code of earlier failures
 */
export function worstExit(errors: Iterable<unknown>, before: ExitCode = EXIT.done): ExitCode {
  let worst = before;
  for (const error of errors) {
    const code = getExitCode(error);
    if (code > worst) worst = code;
  }
  return worst;
}
