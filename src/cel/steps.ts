import { CutOff } from './failure.js';

/** The steps that an evaluation may still take. */
export class Steps {
  #patterns: Set<string> | undefined;

  /**
   * @param left how many
   * @param known patterns that were looked at before any evaluation
   */
  constructor(
    private left: number,
    private readonly known: ReadonlySet<string>,
  ) {}

  /** Steps that were not taken. */
  get rest(): number {
    return Math.max(0, this.left);
  }

  /** @throws CutOff when there are not so many left */
  spend(steps: number): void {
    this.left -= steps;
    if (this.left < 0) throw new CutOff();
  }

  /** For work on texts, which is done ten characters at a time. @throws CutOff */
  spendOnText(characters: number): void {
    this.spend(1 + Math.ceil(characters / 10));
  }

  /** Whether an evaluation meets a pattern for the first time. */
  isFirstUse(pattern: string): boolean {
    if (this.known.has(pattern) || this.#patterns?.has(pattern) === true) return false;
    (this.#patterns ??= new Set()).add(pattern);
    return true;
  }
}
