import type { Config } from '../config.js';
import { unavailable, type ServiceError } from '../errors.js';
import type { MakePlan } from '../http/platform/platform.js';
import { FewAtOnce } from '../lib/work/few-at-once.js';
import { runJob, type JobEnd } from '../admin/job.js';
import type { StartPlan } from './start-plan.js';

/** The input of the process. */
export interface PlanJob {
  readonly config: Config;
  /** Names of the selected plugins; empty for all that are switched on. */
  readonly plugins: readonly string[];
}

/** The longest time that the code of plugins may block the process of a plan. */
const SILENCE_MS = 60_000;
const RETRY_SECONDS = 5;

/**
 * Creates plans for requests over HTTP, one at a time. This process has loaded the former code of plugins: a separate process loads
 * the current code, and reads the same store.
 */
export class PlanSource {
  readonly #stopping = new AbortController();
  readonly #one = new FewAtOnce({
    max: 1,
    message: 'another plan is being computed; try again when it is done',
    retryAfterSeconds: RETRY_SECONDS,
  });

  constructor(
    private readonly config: Config,
    private readonly silenceMs = SILENCE_MS,
  ) {}

  readonly make: MakePlan = async (plugins, signal) => {
    const end = this.#one.begin();
    try {
      return await this.#run({ config: this.config, plugins }, signal);
    } finally {
      end();
    }
  };

  /** Ends the running plan, and creates no more. */
  stop(): void {
    this.#stopping.abort();
  }

  async #run(job: PlanJob, signal: AbortSignal): Promise<StartPlan> {
    const stopping = this.#stopping.signal;
    try {
      return await runJob(new URL('plan-process.js', import.meta.url), job, {
        isResult: (value): value is StartPlan => 'models' in value && 'failures' in value,
        ending: AbortSignal.any([signal, stopping]),
        silenceMs: this.silenceMs,
        endedWithout: (end) => this.#endedWithout(end),
      });
    } catch (error) {
      throw stopping.aborted ? unavailable('the service is stopping; planning was cancelled') : error;
    }
  }

  #endedWithout({ how, isSilent, stderrTail: lastWords }: JobEnd): ServiceError {
    const said = lastWords === '' ? '' : `; its last output: ${lastWords}`;
    return unavailable(
      isSilent
        ? `planning timed out after ${this.silenceMs / 1_000} s in plugin code${said}`
        : `planning failed: its process ended ${how}, perhaps because of plugin code${said}`,
    );
  }
}
