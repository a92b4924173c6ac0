import { unavailable, type ServiceError } from '../../errors.js';
import { BodyMemory } from '../../lib/work/body-memory.js';
import { SYSTEM_CLOCK, type Clock } from '../../lib/time/clock.js';
import { formatSize } from '../../lib/time/duration.js';

/** Default memory of all incoming bodies together, in bytes. */
export const BODIES_BYTES_MAX = 256 * 1024 * 1024;
/** Bodies up to this size are small: a part of the budget is reserved for them. In bytes. */
export const SMALL_BODY_BYTES = 64 * 1024;
/** The fraction that is reserved for small bodies. */
const SMALL_PART = 1 / 8;
/** A body makes progress with each such number of received bytes. */
const PROGRESS_BYTES = 4 * 1024;
/** A body without progress for this time is ended when another body needs its memory, in milliseconds. */
const STALLED_MS = 1_000;
const RETRY_SECONDS = 1;
/** Length of all large bodies in work together, in bytes. */
const IN_WORK_BYTES_MAX = 1024 * 1024;

export interface BodyBudgetOptions {
  /** Default {@link BODIES_BYTES_MAX}. */
  readonly bytesMax?: number;
  readonly clock?: Clock;
}

/** The memory of incoming bodies, for all connections. */
export class BodyBudget {
  /** Large bodies whose requests are in work. */
  readonly inWork = new BodyMemory(IN_WORK_BYTES_MAX);
  readonly #bytesMax: number;
  readonly #clock: Clock;
  /** Bodies with memory; the one with the longest time since its progress is first. */
  readonly #arriving = new Set<ArrivingBody>();
  #used = 0;
  #refused = 0;

  constructor({ bytesMax = BODIES_BYTES_MAX, clock = SYSTEM_CLOCK }: BodyBudgetOptions = {}) {
    this.#bytesMax = bytesMax;
    this.#clock = clock;
  }

  /** Memory of incoming bodies, in bytes. */
  get used(): number {
    return this.#used;
  }

  /** Number of bodies that got no memory, or lost it. */
  get refused(): number {
    return this.#refused;
  }

  /**
   * Gives a body more memory. A body without progress may be ended for it.
   * @returns the error `ServiceUnavailable` without enough memory; undefined on success
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

  /** Records that a part of a body has arrived. */
  progress(body: ArrivingBody, bytes: number): void {
    body.received += bytes;
    if (body.received >= PROGRESS_BYTES) this.#renew(body);
  }

  /** Frees the memory of a body. */
  giveBack(body: ArrivingBody): void {
    this.#used -= body.bytes;
    body.bytes = 0;
    this.#arriving.delete(body);
  }

  /** @returns true when a stalled body was ended */
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

  /** Moves the body to the end of the order in which bodies are ended. */
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
  /** Its memory, in bytes. */
  bytes = 0;
  /** Bytes since its last progress. */
  received = 0;
  progressAtMs = 0;

  /** @param end called when its memory was taken away; the reader must discard the body */
  constructor(readonly end: (reason: ServiceError) => void) {}
}
