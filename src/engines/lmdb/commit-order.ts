import path from 'node:path';
import type { DataFile } from './data-file.js';
import { LockFile } from './lock-file.js';

/** Time after which the problem is reported; usually it is repaired by then. */
const QUIET_MS = 1_000;

/**
 * Checks that each commit follows the newest one. A process that opens the store may make LMDB skip a commit, see
 * `openRoot`; the next one would replace it.
 */
export class CommitOrder {
  #brokenSince: number | undefined;
  #wasLookedAt = false;

  constructor(
    private readonly file: string,
    private readonly dataFile: DataFile,
  ) {}

  /**
   * True when a transaction may write. Otherwise LMDB receives the number of the newest commit, so that the next
   * transaction may. Only under the lock of writers.
   * @param number number of the transaction
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
      LockFile.of(path.dirname(this.file)).publishCommit(number - 1, newest);
    } catch {
      // The file belongs to another user, or is gone. The next process that opens the store repairs it as well.
    }
    return false;
  }

  /** True when a transaction was checked since the last call. */
  takeLooked(): boolean {
    const wasLookedAt = this.#wasLookedAt;
    this.#wasLookedAt = false;
    return wasLookedAt;
  }

  /** The reason why nothing may be written; undefined while writes are possible, and during a repair. */
  problem(): string | undefined {
    const since = this.#brokenSince ?? Infinity;
    return performance.now() - since > QUIET_MS ? PASSED_OVER : undefined;
  }
}

export const PASSED_OVER =
  'a process was killed while it opened the store; run `xsvc check`, which opens it once more';
