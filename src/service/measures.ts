import { Histogram, SECONDS } from '../lib/histogram.js';

const CHANGES: readonly number[] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000];

/** Counters of the verbs, for monitoring. */
export class Measures {
  /** Time from the start of a commit until it is on disk, in seconds. Only commits that stored something. */
  readonly commitSeconds = new Histogram(SECONDS);
  /** Number of changes in those commits. */
  readonly commitChanges = new Histogram(CHANGES);
  /**
   * Time from a change until a watcher has taken it, in seconds. Changes that a resumed watch catches up on are left
   * out.
   */
  readonly watchLagSeconds = new Histogram(SECONDS);
}
