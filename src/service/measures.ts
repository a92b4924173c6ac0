import { Histogram, SECONDS } from '../lib/histogram.js';

const CHANGES: readonly number[] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000];

/** What the verbs count on their way, for whoever looks after the service. */
export class Measures {
  /** From the moment a commit is asked for until it is on disk. Only of commits that stored something. */
  readonly commitSeconds = new Histogram(SECONDS);
  /** Changes of those commits. */
  readonly commitChanges = new Histogram(CHANGES);
  /** From the moment a change is made until a watcher has taken it. What a resumed watch catches up on is left out. */
  readonly watchLagSeconds = new Histogram(SECONDS);
}
