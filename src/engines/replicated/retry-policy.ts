import { setTimeout as sleep } from 'node:timers/promises';
import { getMessage, ServiceError, unavailable } from '../../errors.js';

/** Delay before checking if denied access was restored, in milliseconds. */
const DENIED_MS = 1_000;

export interface ServerOptions {
  /** Longest time that requests wait for the servers before they are refused, in milliseconds. */
  readonly timeoutMs: number;
  /** Receives warnings about the servers for operators. */
  readonly warn: (message: string) => void;
}

export interface Servers extends ServerOptions {
  /** Name of the servers for operators. */
  readonly name: string;
  /** Converts an error that a retry does not solve, for callers. */
  readonly toCallerError: (error: unknown) => unknown;
  /** True when an attempt failed because of other writes, and may be repeated. */
  readonly isSerializationConflict: (error: unknown) => boolean;
}

/** Repeats requests until servers answer, and logs when they are away and back. */
export class RetryPolicy {
  #away: { readonly since: Date; readonly message: string } | undefined;
  #hasAnswered = false;

  constructor(private readonly servers: Servers) {}

  /**
   * Repeats an attempt until it succeeds, the server refuses, or time is up.
   * @param attempt throws {@link ConnectionLost} when it may be repeated
   * @param mayBeStored returns true when the outcome of something sent is unknown
   */
  async persist<T>(attempt: (until: number) => Promise<T>, mayBeStored = () => false): Promise<T> {
    const { name, timeoutMs, toCallerError, isSerializationConflict } = this.servers;
    const until = performance.now() + timeoutMs;
    // A refused attempt reveals nothing about an earlier one whose connection broke.
    let isUnknown = false;
    for (;;) {
      try {
        const done = await attempt(until);
        this.#isBack();
        return done;
      } catch (error) {
        const isOver = performance.now() >= until;
        if (isSerializationConflict(error) && !isOver) continue;
        // Denied access at the start is a mistake of this user. Later, somebody else has changed the access, and may
        // restore it.
        const isRefused =
          !(error instanceof ConnectionLost) || (error instanceof AccessDenied && !this.#hasAnswered);
        if (!isRefused) {
          isUnknown ||= mayBeStored();
          this.#note(getMessage(toCallerError(error)));
          if (error instanceof AccessDenied && !isOver) await sleep(DENIED_MS);
          if (!isOver) continue;
        }
        throw isUnknown ? unknownOutcome(name) : toCallerError(error);
      }
    }
  }

  /** Must be called each time that no server accepted the connection. */
  isAway(reason: string): void {
    this.#note(`cannot reach ${this.servers.name}: ${reason}`);
  }

  /** The reason why the servers cannot be reached now; undefined while they can. */
  problem(): string | undefined {
    if (this.#away === undefined) return undefined;
    const { since, message } = this.#away;
    return `${message} (since ${since.toISOString()})`;
  }

  #note(message: string): void {
    if (this.#away !== undefined) return;
    this.#away = { since: new Date(), message };
    this.servers.warn(message);
  }

  #isBack(): void {
    this.#hasAnswered = true;
    if (this.#away === undefined) return;
    const seconds = (Date.now() - this.#away.since.getTime()) / 1000;
    this.servers.warn(`${this.servers.name} answers again, after ${seconds.toFixed(1)} s`);
    this.#away = undefined;
  }
}

/** The connection broke: the request may have been executed. */
export class ConnectionLost extends Error {
  override readonly name = 'Lost';
}

/** The request was not even sent, so it had no effect. */
export class NotSent extends ConnectionLost {}

/** Requests fail until somebody changes rights, a password or a certificate. The message is passed on unchanged. */
export class AccessDenied extends NotSent {}

export function unreachable(name: string, error: ConnectionLost): ServiceError {
  return unavailable(`cannot reach ${name}: ${error.message}`, { retryAfterSeconds: 1 });
}

export function unknownOutcome(name: string): ServiceError {
  return new ServiceError(
    'OutcomeUnknown',
    `the connection to ${name} broke during a commit, which may be stored; read the object before you retry`,
  );
}
