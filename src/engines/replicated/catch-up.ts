import { LogPositionLost, type Replica } from './replica.js';
import type { SharedLog } from './shared-log.js';

/** Records that are asked for at once, in bytes. */
const TAIL_BYTES = 4 * 1024 * 1024;

/**
 * Brings a replica to the end of the log. One look at the log answers all who asked before it began, so however many
 * read at the same time, at most one is under way and one is wanted.
 */
export class CatchUp {
  #underWay: Promise<void> | undefined;
  /** Whether the one under way may have looked at the log. */
  #hasLooked = false;
  #wanted: Promise<void> | undefined;
  looks = 0;
  lookMs = 0;

  /** @param onNew told after records have been applied that were not here */
  constructor(
    private readonly log: SharedLog,
    private readonly replica: Replica,
    private readonly onNew: () => void,
  ) {}

  /**
   * Resolves when the replica has every commit that was answered before the call.
   * @throws ServiceError `ServiceUnavailable` when the log cannot be reached
   * @throws PlaceLost when the log cannot be followed from where the replica stands
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
    // Who asks in the same turn comes along.
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
