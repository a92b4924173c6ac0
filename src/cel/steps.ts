import { CutOff } from './failure.js';

/** The remaining steps of an evaluation. */
export class Steps {
  #patterns: Set<string> | undefined;

  /**
   * @param left the number of remaining steps
   * @param known patterns that were checked before any evaluation
   */
  constructor(
    private left: number,
    private readonly known: ReadonlySet<string>,
  ) {}

  /** The number of remaining steps. */
  get rest(): number {
    return Math.max(0, this.left);
  }

  /** @throws CutOff when fewer steps are left */
  spend(steps: number): void {
    this.left -= steps;
    if (this.left < 0) throw new CutOff();
  }

  /** For work on texts, which takes one step for ten characters. @throws CutOff */
  spendOnText(characters: number): void {
    this.spend(1 + Math.ceil(characters / 10));
  }

  /** True when the evaluation uses a pattern for the first time. */
  isFirstUse(pattern: string): boolean {
    if (this.known.has(pattern) || this.#patterns?.has(pattern) === true) return false;
    (this.#patterns ??= new Set()).add(pattern);
    return true;
  }
}
