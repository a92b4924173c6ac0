import { getMessage } from '../errors.js';

/** The limit of a message in characters, because many names may fail. */
const MESSAGE_LENGTH_MAX = 500;

/** The request of a reconcile that did not throw. */
export type ReconcileOutcome =
  | { readonly next: 'none' }
  | { readonly next: 'backOff' }
  | { readonly next: 'after'; readonly ms: number }
  /** The result was not understood. */
  | { readonly next: 'unknown'; readonly fault: string };

const NONE: ReconcileOutcome = { next: 'none' };
const BACK_OFF: ReconcileOutcome = { next: 'backOff' };

/**
 * Parses the result of a reconciler. A result with only `retryAfterMs` asks for a retry; a result with
 * `requeue: false` does not.
 */
export function getOutcome(answer: unknown): ReconcileOutcome {
  if (answer === undefined || answer === null) return NONE;
  if (typeof answer !== 'object') return unknown(`a Result or nothing is expected, got a ${typeof answer}`);
  const { requeue, retryAfterMs: ms } = answer as { requeue?: unknown; retryAfterMs?: unknown };
  if (requeue !== undefined && typeof requeue !== 'boolean') {
    return unknown(`requeue must be true or false, got a ${typeof requeue}`);
  }
  const isTimed = ms !== undefined && ms !== null;
  if (isTimed && !(typeof ms === 'number' && Number.isFinite(ms) && ms >= 0)) {
    return unknown(
      `retryAfterMs must be milliseconds from 0, got ${typeof ms === 'number' ? ms : typeof ms}`,
    );
  }
  if (requeue === false || (requeue === undefined && !isTimed)) return NONE;
  return typeof ms === 'number' ? { next: 'after', ms } : BACK_OFF;
}

/** Formats the message of anything that foreign code threw, also of values that cannot be printed. At most 500 characters. */
export function formatFailure(error: unknown): string {
  try {
    const message: unknown = getMessage(error);
    return String(message).slice(0, MESSAGE_LENGTH_MAX);
  } catch {
    return 'a value without a message was thrown';
  }
}

/** The fields of a log line about anything that foreign code threw: its message and, for an error, the stack. */
export function failureFields(error: unknown): object {
  return { error: formatFailure(error), ...(error instanceof Error && { stack: error.stack }) };
}

function unknown(fault: string): ReconcileOutcome {
  return { next: 'unknown', fault };
}
