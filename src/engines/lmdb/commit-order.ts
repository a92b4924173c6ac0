import path from 'node:path';
import type { DataFile } from './data-file.js';
import { LockFile } from './lock-file.js';

/** The problem is reported after this time; as a rule it is mended by then. */
const QUIET_MS = 1_000;

/**
 * Sees to it that each commit follows the newest one. A process that opens the store may make LMDB pass over a commit,
 * see `openRoot`; the next one would take its place.
 */
export class CommitOrder {
  #brokenSince: number | undefined;
  #wasLookedAt = false;

  constructor(
    private readonly file: string,
    private readonly dataFile: DataFile,
  ) {}

  /**
   * Whether a transaction may write. Where it may not, LMDB gets the number of the newest commit, so that the next may.
   * Only under the lock of writers.
   * @param number of the transaction
   */
  isNext(number: number): boolean {
    this.#wasLookedAt = true;
    const newest = this.dataFile.newestCommit();
    if (newest + 1 === number) {
      this.#brokenSince = undefined;
      return true;
    }
    this.#brokenSince ??= performance.now();
    try {
      LockFile.of(path.dirname(this.file)).tellCommit(number - 1, newest);
    } catch {
      // The file is another user's, or gone: whoever opens the store next tells it as well.
    }
    return false;
  }

  /** Whether a transaction was looked at since this was asked last. */
  takeLooked(): boolean {
    const wasLookedAt = this.#wasLookedAt;
    this.#wasLookedAt = false;
    return wasLookedAt;
  }

  /** Why nothing may be written; undefined while something may, and for the moments in which it is mended. */
  problem(): string | undefined {
    const since = this.#brokenSince ?? Infinity;
    return performance.now() - since > QUIET_MS ? PASSED_OVER : undefined;
  }
}

export const PASSED_OVER =
  'a process was killed while it opened the store; run `xsvc check`, which opens it once more';
