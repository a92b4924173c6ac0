import { unavailable, type ServiceError } from '../../errors.js';
import { SYSTEM_CLOCK, type Clock } from '../../lib/time/clock.js';
import { formatSize } from '../../lib/time/duration.js';

/** Default memory of all bodies in arrival together. */
export const BODIES_BYTES_MAX = 256 * 1024 * 1024;
/** Bodies up to this size are small: a part of the budget is theirs alone. */
export const SMALL_BODY_BYTES = 64 * 1024;
/** The part that is for small bodies. */
const SMALL_PART = 1 / 8;
/** A body makes progress when so much of it comes. */
const PROGRESS_BYTES = 4 * 1024;
/** A body that makes no progress for so long is ended when another one needs its memory. */
const STALLED_MS = 1_000;
const RETRY_SECONDS = 1;

export interface BodyBudgetOptions {
  /** Default {@link BODIES_BYTES_MAX}. */
  readonly bytesMax?: number;
  readonly clock?: Clock;
}

/** The memory of bodies that are arriving, over all connections. */
export class BodyBudget {
  readonly #bytesMax: number;
  readonly #clock: Clock;
  /** Those that have memory; the one that has waited longest without progress is the first. */
  readonly #arriving = new Set<ArrivingBody>();
  #used = 0;
  #refused = 0;

  constructor({ bytesMax = BODIES_BYTES_MAX, clock = SYSTEM_CLOCK }: BodyBudgetOptions = {}) {
    this.#bytesMax = bytesMax;
    this.#clock = clock;
  }

  /** Bytes that bodies in arrival take. */
  get used(): number {
    return this.#used;
  }

  /** Bodies that got no memory, or lost it. */
  get refused(): number {
    return this.#refused;
  }

  /**
   * Gives a body more memory. One that makes no progress is ended for it.
   * @returns why it gets none, `ServiceUnavailable`; undefined when it got it
   */
  take(body: ArrivingBody, bytes: number): ServiceError | undefined {
    const isSmall = body.bytes + bytes <= SMALL_BODY_BYTES;
    const max = isSmall ? this.#bytesMax : Math.floor(this.#bytesMax * (1 - SMALL_PART));
    while (this.#used + bytes > max)
      if (!this.#endStalled(body)) return this.#refuse('no memory is free for the body');
    this.#used += bytes;
    body.bytes += bytes;
    this.#renew(body);
    return undefined;
  }

  /** Notes that a part of a body has come. */
  progress(body: ArrivingBody, bytes: number): void {
    body.received += bytes;
    if (body.received >= PROGRESS_BYTES) this.#renew(body);
  }

  /** Gives back what a body took. */
  giveBack(body: ArrivingBody): void {
    this.#used -= body.bytes;
    body.bytes = 0;
    this.#arriving.delete(body);
  }

  /** @returns whether there was one */
  #endStalled(asking: ArrivingBody): boolean {
    for (const body of this.#arriving) {
      if (body === asking) continue;
      if (this.#clock.now() - body.progressAtMs < STALLED_MS) return false;
      this.giveBack(body);
      body.end(this.#refuse('the body arrived too slowly, and its memory was needed for other requests'));
      return true;
    }
    return false;
  }

  /** It is the last one to be ended. */
  #renew(body: ArrivingBody): void {
    body.received = 0;
    body.progressAtMs = this.#clock.now();
    this.#arriving.delete(body);
    this.#arriving.add(body);
  }

  #refuse(reason: string): ServiceError {
    this.#refused++;
    return unavailable(
      `${reason}: all incoming bodies together may use ${formatSize(this.#bytesMax)}; send the request again`,
      { retryAfterSeconds: RETRY_SECONDS },
    );
  }
}

/** A body that is arriving. Only the budget changes it. */
export class ArrivingBody {
  /** Memory that it has. */
  bytes = 0;
  /** Bytes since its last progress. */
  received = 0;
  progressAtMs = 0;

  /** @param end called when its memory was taken away: nothing more of it is kept */
  constructor(readonly end: (reason: ServiceError) => void) {}
}
