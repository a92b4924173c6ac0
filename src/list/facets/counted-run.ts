/** The number of matches with one value of an index. */
export interface CountedRun {
  /** The common prefix of the value's entries, see `entryPrefix`. */
  readonly prefix: Buffer;
  readonly count: number;
  /** One of these matches. */
  readonly id: number;
}
