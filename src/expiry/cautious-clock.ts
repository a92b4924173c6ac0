import { SYSTEM_CLOCK } from '../lib/time/clock.js';

/** Corrections of the machine's clock up to this size are believed at once, in milliseconds. */
const STEP_MS = 1_000;
/** A clock that was set forward by more is believed after this time, in milliseconds. */
const DOUBT_MS = 10 * 60_000;

/** The two clocks of a machine, in milliseconds since 1970. */
export interface Clocks {
  /** The clock that people and programs set. */
  readonly wall: () => number;
  /** The running time of the process, added to its start. */
  readonly steady: () => number;
}

export const SYSTEM_CLOCKS: Clocks = { wall: () => Date.now(), steady: () => SYSTEM_CLOCK.now() };

/**
 * The time for deletions, which cannot be undone: a clock that jumps ahead by mistake must not make objects expire. It is
 * believed when it stays ahead, as after a suspension of the machine. A clock that is set back is believed at once.
 */
export class CautiousClock {
  /** The part of the wall's time that is believed, after that of the steady clock. */
  #aheadMs: number;
  #doubtedSinceMs: number | undefined;

  constructor(private readonly clocks: Clocks) {
    // In this order: what a pause in between adds is taken back at the next reading.
    const steady = clocks.steady();
    this.#aheadMs = clocks.wall() - steady;
  }

  now(): number {
    const steady = this.clocks.steady();
    const aheadMs = this.clocks.wall() - steady;
    const isJump = aheadMs > this.#aheadMs + STEP_MS;
    if (isJump) this.#doubtedSinceMs ??= steady;
    if (!isJump || steady - (this.#doubtedSinceMs ?? steady) >= DOUBT_MS) {
      this.#aheadMs = aheadMs;
      this.#doubtedSinceMs = undefined;
    }
    return steady + this.#aheadMs;
  }
}
