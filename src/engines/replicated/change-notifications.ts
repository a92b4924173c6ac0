import { setTimeout as sleep } from 'node:timers/promises';

/** Interval between reads of the log, in milliseconds: with notifications from the server, and without. */
const POLL_MS = 250;
const POLL_ALONE_MS = 25;
/** Delay before notifications are requested again, in milliseconds. */
const FOLLOW_AGAIN_MS = 1_000;

/** @param id of the last record, if it is known */
export type OnAppend = (id?: string) => void;

/** Requests notifications of appends; resolves or throws when they end. */
export type Follow = (onAppend: OnAppend) => Promise<void>;

/** Calls listeners soon after any process has appended. */
export class ChangeNotifications {
  readonly #listeners = new Set<OnAppend>();
  readonly #stop = new AbortController();
  #isNotified = false;
  #running: Promise<unknown> | undefined;

  /** @param follow undefined for a server that is only polled */
  constructor(private readonly follow: Follow | undefined) {}

  /** @returns a function that removes the listener */
  listen(listener: OnAppend): () => void {
    this.#listeners.add(listener);
    this.#running ??= Promise.all([this.#poll(), this.follow && this.#follow(this.follow)]);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when everything has ended. The function that follows the server must be ended separately. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  #notify(id?: string): void {
    for (const listener of this.#listeners) listener(id);
  }

  async #poll(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#notify();
      await this.#pause(this.#isNotified ? POLL_MS : POLL_ALONE_MS);
    }
  }

  async #follow(follow: Follow): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        await follow((id) => {
          this.#isNotified = true;
          this.#notify(id);
        });
      } catch {
        // Reads and writes report a server that cannot be reached.
      }
      this.#isNotified = false;
      await this.#pause(FOLLOW_AGAIN_MS);
    }
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stop.signal, ref: false }).catch(() => undefined);
  }
}
