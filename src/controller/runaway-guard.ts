import type { Clock } from '../lib/time/clock.js';

/** The limit of reconciles of one name within a window; more count as a loop. */
const RECONCILES_MAX = 100;
const WINDOW_MS = 10_000;
/** The limit of counted names, which bounds the memory. */
const NAMES_MAX = 100_000;
const DELAY_MS_MIN = 1_000;
const DELAY_MS_MAX = 60_000;
/** A name without changes for this number of its delays is reconciled at once again. */
const QUIET_DELAYS = 2;

/** A name with delayed reconciles. */
interface Slowed {
  delayMs: number;
  /** When it was admitted last, or will be. */
  nextAt: number;
  /** Cancels the next reconcile; undefined while none is planned. */
  cancel: (() => void) | undefined;
}

/**
 * Slows down names whose reconciles never end because each one changes the object again. Nothing is lost: a change is reconciled
 * later, together with those that follow it.
 */
export class RunawayGuard {
  readonly #counts = new Map<string, number>();
  readonly #slowed = new Map<string, Slowed>();
  #windowEnd = -Infinity;

  /** @param onRunaway called when a name begins to be slowed down, with the number of its reconciles and the seconds */
  constructor(
    private readonly clock: Clock,
    private readonly onRunaway: (name: string, reconciles: number, seconds: number) => void,
  ) {}

  /** Notes that a name is reconciled. */
  note(name: string): void {
    const now = this.clock.now();
    if (now >= this.#windowEnd || this.#counts.size >= NAMES_MAX) {
      this.#counts.clear();
      this.#windowEnd = now + WINDOW_MS;
    }
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    if (count !== RECONCILES_MAX || this.#slowed.has(name)) return;
    this.#slowed.set(name, { delayMs: DELAY_MS_MIN, nextAt: now, cancel: undefined });
    this.onRunaway(name, count, WINDOW_MS / 1000);
  }

  /** Calls `reconcile` when a changed name may be reconciled: at once, or later and once for all changes until then. */
  admit(name: string, reconcile: () => void): void {
    const slowed = this.#slowed.get(name);
    if (slowed === undefined) {
      reconcile();
      return;
    }
    if (slowed.cancel !== undefined) return;
    const now = this.clock.now();
    if (now - slowed.nextAt > slowed.delayMs * QUIET_DELAYS) {
      this.#slowed.delete(name);
      reconcile();
      return;
    }
    slowed.nextAt = now + slowed.delayMs;
    slowed.cancel = this.clock.setTimer(slowed.delayMs, () => {
      slowed.cancel = undefined;
      slowed.delayMs = Math.min(DELAY_MS_MAX, slowed.delayMs * 2);
      reconcile();
    });
  }

  /** Cancels all planned calls. */
  close(): void {
    for (const { cancel } of this.#slowed.values()) cancel?.();
  }
}
