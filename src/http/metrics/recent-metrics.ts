import { takeSample, type MetricsSample, type SampleSource } from './metrics-sample.js';

/** Seconds between kept samples. */
export const INTERVAL_SECONDS = 15;
const INTERVAL_MS = INTERVAL_SECONDS * 1_000;
/** Those of one hour, with both ends. */
const KEPT_MAX = 241;

/** Keeps the samples of the last hour while the service is open. */
export class RecentMetrics {
  #kept: readonly MetricsSample[] = [];
  #timer: NodeJS.Timeout;
  #isClosed = false;

  constructor(private readonly source: SampleSource) {
    this.#timer = this.#schedule();
    source.service.beforeClose(() => {
      this.#isClosed = true;
      clearTimeout(this.#timer);
      return Promise.resolve();
    });
  }

  /**
   * The kept samples between two times, and one taken now.
   * @param nowMs the time of the last sample, in milliseconds since 1970
   */
  async between(afterMs: number, nowMs: number): Promise<readonly MetricsSample[]> {
    const isAsked = (ms: number): boolean => ms > afterMs && ms < nowMs;
    const kept = this.#kept.filter(({ time }) => isAsked(Date.parse(time)));
    return [...kept, await takeSample(this.source, nowMs)];
  }

  /** Times are multiples of the interval, so that several processes take samples at the same times. */
  #schedule(): NodeJS.Timeout {
    const dueMs = (Math.floor(Date.now() / INTERVAL_MS) + 1) * INTERVAL_MS;
    return setTimeout(() => void this.#keep(dueMs), dueMs - Date.now()).unref();
  }

  async #keep(dueMs: number): Promise<void> {
    // After the process was stopped for a while, the time is long past.
    const isLate = Math.abs(Date.now() - dueMs) >= INTERVAL_MS;
    try {
      if (!isLate) this.#kept = [...this.#kept, await takeSample(this.source, dueMs)].slice(-KEPT_MAX);
    } catch {
      // A store that cannot be read leaves a gap.
    }
    if (!this.#isClosed) this.#timer = this.#schedule();
  }
}
