import type { Clock } from '../../lib/time/clock.js';
import { LogLimit } from '../../lib/log/log-limit.js';
import type { Logger } from '../../lib/log/logger.js';
import { failureFields } from '../outcome.js';
import type { FollowedModel } from './followed.js';

/** The limit of lines in a minute about losses, and about functions for watched models. */
const LINES_PER_MINUTE = 20;

interface FollowLogOptions {
  readonly controller: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The log lines of a controller about the models that it follows. */
export class FollowLog {
  readonly #matchers: LogLimit;
  readonly #watches: LogLimit;
  readonly #losses: LogLimit;

  constructor(private readonly options: FollowLogOptions) {
    const { clock } = options;
    this.#matchers = new LogLimit(clock, 1);
    this.#watches = new LogLimit(clock, LINES_PER_MINUTE);
    this.#losses = new LogLimit(clock, LINES_PER_MINUTE);
  }

  matcherFailed(name: string, error: unknown): void {
    const { controller } = this.options;
    const line = `A matcher of controller "${controller}" failed for "${name}", which is reconciled`;
    this.#warn(this.#matchers, line, failureFields(error));
  }

  /** @param model the class of the object */
  watchesFailed(model: string, name: string, error: unknown): void {
    const { controller } = this.options;
    const line = `Controller "${controller}" watches ${model}, but its function failed for "${name}", which is ignored`;
    this.#warn(this.#watches, line, failureFields(error));
  }

  lost({ isOwn, model }: FollowedModel, error: string, retryAfterMs: number): void {
    const of = isOwn ? 'its model' : `${model.name}, which it watches`;
    const line = `Controller "${this.options.controller}" lost the changes of ${of}; all objects are reconciled again`;
    this.#warn(this.#losses, line, { error, retryAfterMs: Math.round(retryAfterMs) });
  }

  #warn(limit: LogLimit, line: string, fields: object): void {
    limit.write((heldBack) =>
      this.options.logger.warn(line, { ...fields, ...(heldBack > 0 && { heldBack }) }),
    );
  }
}
