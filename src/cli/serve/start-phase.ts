import type { Logger } from '../../lib/log/logger.js';
import { EXIT } from '../exit.js';
import type { CliIo } from '../io.js';

/** The time for an orderly end of a start. Nothing is lost without it: what is stored is complete after each commit. */
const GRACE_MS = 500;

/** The part of `serve` before the service is ready. It ends soon after it is asked to stop, whatever it waits for. */
export class StartPhase {
  /** Resolves with the exit code when the start has not ended in order by itself. */
  readonly cutOff: Promise<number>;
  logger: Pick<Logger, 'info' | 'warn'> | undefined;
  #isOver = false;

  /** @param stop aborted when the process must end */
  constructor(
    readonly stop: AbortSignal,
    { stderr }: Pick<CliIo, 'stderr'>,
  ) {
    this.cutOff = new Promise((resolve) => {
      const onStop = (): void => {
        if (this.#isOver) return;
        const text = 'stopping; the start is not finished, and the next one continues';
        if (this.logger === undefined) stderr.line(text);
        else this.logger.info(text);
        setTimeout(() => {
          if (!this.#isOver) resolve(EXIT.done);
        }, GRACE_MS);
      };
      if (stop.aborted) onStop();
      else stop.addEventListener('abort', onStop, { once: true });
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** True when it was asked to stop before it was over. */
  get isCancelled(): boolean {
    return this.stop.aborted && !this.#isOver;
  }

  /** Called when the service is ready, or when other processes start it. */
  end(): void {
    this.#isOver = true;
  }
}
