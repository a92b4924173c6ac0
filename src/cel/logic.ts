import { Failure } from './failure.js';
import type { Frame } from './frame.js';
import type { Compiled } from './scope.js';
import type { Value } from './values.js';

/** Steps for a failure that another part makes irrelevant. */
const FAILURE_STEPS = 60;

/** `&&`: false when one part is false, even if another fails. */
export function allOf(parts: readonly Compiled[]): (frame: Frame) => Value {
  return (frame) => !isOne(parts, false, frame);
}

/** `||`: true when one part is true, even if another fails. */
export function anyOf(parts: readonly Compiled[]): (frame: Frame) => Value {
  return (frame) => isOne(parts, true, frame);
}

function isOne(parts: readonly Compiled[], wanted: boolean, frame: Frame): boolean {
  const decision = new LogicDecision(frame);
  for (const { run } of parts) if (decision.is(wanted, run)) return true;
  decision.end();
  return false;
}

/** Combines several conditions: one that fails only counts when no other decides. */
export class LogicDecision {
  #failure: Failure | undefined;

  constructor(private readonly frame: Frame) {}

  is(wanted: boolean, run: (frame: Frame) => Value): boolean {
    this.frame.spend(1);
    try {
      return run(this.frame) === wanted;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.frame.spend(FAILURE_STEPS);
      this.#failure ??= error;
      return false;
    }
  }

  /** Ends without a decision. @throws Failure the first one that occurred */
  end(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}
