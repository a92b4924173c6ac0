import { LogPositionLost, type Replica } from './replica.js';
import type { SharedLog } from './shared-log.js';

/** Bytes of records requested at once. */
const TAIL_BYTES = 4 * 1024 * 1024;

/**
 * Brings a replica to the end of the log. One read of the log serves all callers from before its start. So with any
 * number of concurrent callers, at most one read is running and one is waiting.
 */
export class CatchUp {
  #underWay: Promise<void> | undefined;
  /** True when the current run may already have read the log. */
  #hasLooked = false;
  #wanted: Promise<void> | undefined;
  looks = 0;
  lookMs = 0;

  /** @param onNew called after new records were applied */
  constructor(
    private readonly log: SharedLog,
    private readonly replica: Replica,
    private readonly onNew: () => void,
  ) {}

  /**
   * Resolves when the replica has every commit completed before the call.
   * @throws ServiceError `ServiceUnavailable` when the log cannot be reached
   * @throws LogPositionLost when the log cannot be followed from the position of the replica
   */
  latest(): Promise<void> {
    if (this.#underWay === undefined) return this.#begin();
    if (!this.#hasLooked) return this.#underWay;
    this.#wanted ??= this.#underWay
      .catch(() => undefined)
      .then(() => {
        this.#wanted = undefined;
        return this.#begin();
      });
    return this.#wanted;
  }

  #begin(): Promise<void> {
    const run = this.#run().finally(() => {
      if (this.#underWay === run) this.#underWay = undefined;
    });
    this.#underWay = run;
    return run;
  }

  async #run(): Promise<void> {
    this.#hasLooked = false;
    // Callers of the same turn join this run.
    await Promise.resolve();
    this.#hasLooked = true;
    for (let isEnd = false; !isEnd;) {
      const began = performance.now();
      const tail = await this.log.tail(this.replica.at, TAIL_BYTES);
      this.looks += 1;
      this.lookMs += performance.now() - began;
      if (tail.kind !== 'records') throw new LogPositionLost(tail.kind);
      if (tail.records.length > 0 && (await this.replica.apply(tail.records))) this.onNew();
      isEnd = tail.isEnd;
    }
  }
}
