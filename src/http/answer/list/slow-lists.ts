import { SYSTEM_CLOCK } from '../../../lib/time/clock.js';
import { LogLimit } from '../../../lib/log/log-limit.js';
import type { Logger } from '../../../lib/log/logger.js';
import type { RawList } from '../../../service/read/list.js';

const LOG_LINES_PER_MINUTE = 20;

/** Says in the log which lists took long, and how they were answered. */
export class SlowLists {
  readonly #limit = new LogLimit(SYSTEM_CLOCK, LOG_LINES_PER_MINUTE);

  /** @param slowMs a list that takes as long is told of; undefined: none is */
  constructor(
    private readonly slowMs: number | undefined,
    private readonly logger: Logger,
  ) {}

  /** @param began when the list was asked for, by the monotonic clock. Its answer has gone out */
  note(list: RawList, began: number): void {
    if (this.slowMs === undefined) return;
    const ms = Math.round(performance.now() - began);
    if (ms < this.slowMs) return;
    this.#limit.write((heldBack) => {
      const { resource, description, ...explanation } = list.explain();
      this.logger.warn(`a list of ${resource} took ${ms} ms: ${description}`, {
        ms,
        explanation,
        ...(heldBack === 0 ? {} : { heldBack }),
      });
    });
  }
}
