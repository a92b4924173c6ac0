import { ServiceError, type ErrorCode } from '../errors.js';

/** What the exit code of the program says. They are API. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  conflict: 4,
  invalid: 5,
  unavailable: 6,
  /** Of `diff`: what files state differs from what there is. Of `model plan`: a start would change something. */
  differs: 10,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The only place where a code becomes an exit code. */
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

/** The command line cannot be understood. No code of the service fits: it never reaches the service. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The exit code for anything that was thrown. */
export function getExitCode(error: unknown): ExitCode {
  if (error instanceof ServiceError) return EXIT_CODES[error.code];
  if (error instanceof UsageError) return EXIT.usage;
  return EXIT.failed;
}

/**
 * The exit code of several failures: the largest class wins. 0 without any.
 * @param before that of failures before these
 */
export function worstExit(errors: Iterable<unknown>, before: ExitCode = EXIT.done): ExitCode {
  let worst = before;
  for (const error of errors) {
    const code = getExitCode(error);
    if (code > worst) worst = code;
  }
  return worst;
}
