import { Steps } from './steps.js';
import type { Value } from './values.js';

/** An evaluation: the values of the variables, and the remaining steps. */
export class Frame extends Steps {
  /** @param slots values of the variables; those of macros are appended */
  constructor(
    readonly slots: Value[],
    left: number,
    known: ReadonlySet<string>,
  ) {
    super(left, known);
  }

  value(slot: number): Value {
    return this.slots[slot] ?? null;
  }
}
