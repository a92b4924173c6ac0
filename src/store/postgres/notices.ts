import { setTimeout as sleep } from 'node:timers/promises';
import { CHANNEL } from './schema.js';
import type { Session } from './session.js';

/** How often the log is looked at where the server tells of appends, in milliseconds, and where it does not. */
const POLL_MS = 250;
const POLL_UNTOLD_MS = 25;
/** Time for a notification to oneself. Behind a pooler that shares connections it never comes. */
const ECHO_MS = 2_000;

/** Tells soon after anybody has appended. */
export class Notices {
  readonly #listeners = new Set<() => void>();
  readonly #stop = new AbortController();
  #isTold = false;
  #running: Promise<unknown> | undefined;

  constructor(
    private readonly session: Session,
    private readonly isWanted: boolean,
  ) {}

  /** @returns ends it */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#running ??= Promise.all([this.#poll(), this.isWanted ? this.#follow() : undefined]);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.session.close();
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

  /** Keeps a session that listens. */
  async #follow(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        await this.#listenOnce();
      } catch {
        // Whoever reads or writes tells of a server that is away.
      }
      this.#isTold = false;
      await this.#pause(POLL_MS);
    }
  }

  /** Resolves when the session has ended. */
  async #listenOnce(): Promise<void> {
    const client = await this.session.client(performance.now());
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    client.on('notification', () => {
      this.#isTold = true;
      this.#tell();
    });
    await client.query(`LISTEN ${CHANNEL}`);
    await client.query('SELECT pg_notify($1, $2)', [CHANNEL, '']);
    await Promise.race([ended, this.#pause(ECHO_MS)]);
    await ended;
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stop.signal, ref: false }).catch(() => undefined);
  }
}
