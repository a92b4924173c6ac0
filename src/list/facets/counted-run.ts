/** How many of the matches have one value of an index. */
export interface CountedRun {
  /** What the value's entries share, see `entryPrefix`. */
  readonly prefix: Buffer;
  readonly count: number;
  /** One of the matches that have it. */
  readonly id: number;
}
