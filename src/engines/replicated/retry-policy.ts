import { setTimeout as sleep } from 'node:timers/promises';
import { getMessage, ServiceError, unavailable } from '../../errors.js';

/** Before it is looked whether somebody has mended what keeps this process out, in milliseconds. */
const DENIED_MS = 1_000;

export interface Servers {
  /** As operators call them. */
  readonly name: string;
  /** How long requests wait for them before they are refused, in milliseconds. */
  readonly timeoutMs: number;
  /** Told what an operator should know. */
  readonly warn: (message: string) => void;
  /** What callers are told of an error that another attempt does not mend. */
  readonly told: (error: unknown) => unknown;
  /** Whether an attempt failed because others write, and may be made again. */
  readonly isSerializationConflict: (error: unknown) => boolean;
}

/** Asks servers until they answer, and tells when they are away and back. */
export class RetryPolicy {
  #away: { readonly since: Date; readonly message: string } | undefined;
  #hasAnswered = false;

  constructor(private readonly servers: Servers) {}

  /**
   * Tries until it is done, the server refuses, or time is up.
   * @param attempt throws {@link ConnectionLost} when it may be made again
   * @param mayBeStored whether something was sent whose outcome is not known
   */
  async persist<T>(attempt: (until: number) => Promise<T>, mayBeStored = () => false): Promise<T> {
    const { name, timeoutMs, told, isSerializationConflict: isInTheWay } = this.servers;
    const until = performance.now() + timeoutMs;
    // An attempt that is refused tells nothing of one before it whose connection broke.
    let isUnknown = false;
    for (;;) {
      try {
        const done = await attempt(until);
        this.#isBack();
        return done;
      } catch (error) {
        const isOver = performance.now() >= until;
        if (isInTheWay(error) && !isOver) continue;
        // Who is denied at the start made a mistake; later, somebody else did, and may mend it meanwhile.
        const isRefused =
          !(error instanceof ConnectionLost) || (error instanceof AccessDenied && !this.#hasAnswered);
        if (!isRefused) {
          isUnknown ||= mayBeStored();
          this.#note(getMessage(told(error)));
          if (error instanceof AccessDenied && !isOver) await sleep(DENIED_MS);
          if (!isOver) continue;
        }
        throw isUnknown ? unknownOutcome(name) : told(error);
      }
    }
  }

  /** Told each time that no server took the connection. */
  isAway(reason: string): void {
    this.#note(`cannot reach ${this.servers.name}: ${reason}`);
  }

  /** Why they cannot be reached now; undefined while they can. */
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

/** The connection broke: what was sent may have been done. */
export class ConnectionLost extends Error {
  override readonly name = 'Lost';
}

/** It was not even sent, so nothing was done. */
export class NotSent extends ConnectionLost {}

/** Until somebody changes rights, a password or a certificate, nothing is done. The message is told as it is. */
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
