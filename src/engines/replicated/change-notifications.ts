import { setTimeout as sleep } from 'node:timers/promises';

/** How often the log is looked at where the server tells of appends, in milliseconds, and where it does not. */
const POLL_MS = 250;
const POLL_UNTOLD_MS = 25;
/** Before the server is asked again to tell of appends. */
const FOLLOW_AGAIN_MS = 1_000;

/** Has the server tell of appends; resolves or throws when it no longer does. */
export type Follow = (told: () => void) => Promise<void>;

/** Tells soon after anybody has appended. */
export class ChangeNotifications {
  readonly #listeners = new Set<() => void>();
  readonly #stop = new AbortController();
  #isTold = false;
  #running: Promise<unknown> | undefined;

  /** @param follow undefined for a server that is only asked */
  constructor(private readonly follow: Follow | undefined) {}

  /** @returns ends it */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#running ??= Promise.all([this.#poll(), this.follow && this.#follow(this.follow)]);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when all is over; what follows the server must be ended as well. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  async #poll(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#tell();
      await this.#pause(this.#isTold ? POLL_MS : POLL_UNTOLD_MS);
    }
  }

  async #follow(follow: Follow): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        await follow(() => {
          this.#isTold = true;
          this.#tell();
        });
      } catch {
        // Whoever reads or writes tells of a server that is away.
      }
      this.#isTold = false;
      await this.#pause(FOLLOW_AGAIN_MS);
    }
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stop.signal, ref: false }).catch(() => undefined);
  }
}
