import type { Clock } from '../lib/time/clock.js';

/** More reconciles of one name than this within a window are taken for a loop. */
const RECONCILES_MAX = 100;
const WINDOW_MS = 10_000;
/** Names that are counted at a time: bounds what is in memory. */
const NAMES_MAX = 100_000;
const DELAY_MS_MIN = 1_000;
const DELAY_MS_MAX = 60_000;
/** A name that changes no more for so many times its delay is reconciled at once again. */
const QUIET_DELAYS = 2;

/** A name that is slowed down. */
interface Slowed {
  delayMs: number;
  /** When it was let through last, or will be. */
  nextAt: number;
  /** Takes the next reconcile back; undefined while none is waited for. */
  cancel: (() => void) | undefined;
}

/**
 * Slows down names whose reconciles never end because each of them changes the object again. Nothing is lost: a change
 * is reconciled later, together with those that follow it.
 */
export class RunawayGuard {
  readonly #counts = new Map<string, number>();
  readonly #slowed = new Map<string, Slowed>();
  #windowEnd = -Infinity;

  /** @param onRunaway told of each name that begins to be slowed down, and how often it was reconciled in how many seconds */
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

  /** Calls back when a changed name may be reconciled: at once, or later and once for all changes until then. */
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

  /** Nothing is called back any more. */
  close(): void {
    for (const { cancel } of this.#slowed.values()) cancel?.();
  }
}
