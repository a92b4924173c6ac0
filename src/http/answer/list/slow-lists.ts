import { SYSTEM_CLOCK } from '../../../lib/time/clock.js';
import { LogLimit } from '../../../lib/log/log-limit.js';
import type { Logger } from '../../../lib/log/logger.js';
import type { RawList } from '../../../service/read/list.js';

const LOG_LINES_PER_MINUTE = 20;

/** Logs slow lists with their explanations. */
export class SlowLists {
  readonly #limit = new LogLimit(SYSTEM_CLOCK, LOG_LINES_PER_MINUTE);

  /** @param slowMs shortest time of a list that is logged, in milliseconds; undefined: no list is logged */
  constructor(
    private readonly slowMs: number | undefined,
    private readonly logger: Logger,
  ) {}

  /**
   * Must be called after the answer was sent.
   * @param began start of the request, by the monotonic clock
   */
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
