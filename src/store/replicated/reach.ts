import { ServiceError, unavailable } from '../../errors.js';

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
  readonly isInTheWay: (error: unknown) => boolean;
}

/** Asks servers until they answer, and tells when they are away and back. */
export class Reach {
  #away: { readonly since: Date; readonly message: string } | undefined;

  constructor(private readonly servers: Servers) {}

  /**
   * Tries until it is done, the server refuses, or time is up.
   * @param attempt throws {@link Lost} when it may be made again
   * @param mayBeStored whether something was sent whose outcome is not known
   */
  async persist<T>(attempt: (until: number) => Promise<T>, mayBeStored = () => false): Promise<T> {
    const { name, timeoutMs, told, isInTheWay } = this.servers;
    const until = performance.now() + timeoutMs;
    for (;;) {
      try {
        const done = await attempt(until);
        this.#isBack();
        return done;
      } catch (error) {
        const isOver = performance.now() >= until;
        if (isInTheWay(error) && !isOver) continue;
        if (!(error instanceof Lost)) throw told(error);
        this.isAway(error.message);
        if (!isOver) continue;
        throw mayBeStored() ? unknownOutcome(name) : told(error);
      }
    }
  }

  /** Told each time that no server took the connection. */
  isAway(reason: string): void {
    if (this.#away !== undefined) return;
    this.#away = { since: new Date(), message: `${this.servers.name} cannot be reached: ${reason}` };
    this.servers.warn(this.#away.message);
  }

  /** Why they cannot be reached now; undefined while they can. */
  problem(): string | undefined {
    if (this.#away === undefined) return undefined;
    const { since, message } = this.#away;
    return `${message} (since ${since.toISOString()})`;
  }

  #isBack(): void {
    if (this.#away === undefined) return;
    const seconds = (Date.now() - this.#away.since.getTime()) / 1000;
    this.servers.warn(`${this.servers.name} answers again, after ${seconds.toFixed(1)} s`);
    this.#away = undefined;
  }
}

/** The connection broke: what was sent may have been done. */
export class Lost extends Error {
  override readonly name = 'Lost';
}

export function unreachable(name: string, error: Lost): ServiceError {
  return unavailable(`${name} cannot be reached: ${error.message}`, { retryAfterSeconds: 1 });
}

export function unknownOutcome(name: string): ServiceError {
  return new ServiceError(
    'OutcomeUnknown',
    `the connection to ${name} broke while a commit was sent: it may be stored; read before you write it again`,
  );
}
