import type { ServerResponse } from 'node:http';
import { unavailable, type ServiceError } from '../../errors.js';
import type { WorkLimits } from '../../lib/work/work.js';
import type { Places } from './places.js';
import type { Turns } from './turns.js';

/** Shared by all requests that do expensive work. */
export interface Shared {
  readonly turns: Turns;
  readonly places: Places;
  readonly endings: Endings;
  /** Turns after which work is expensive; each is about a millisecond of computing. */
  readonly freeTurns: number;
  readonly entriesMax: number;
}

/** Work in progress, so that all of it can be stopped together. */
export class Endings {
  readonly #running = new Set<AbortController>();
  #reason: ServiceError | undefined;

  add(controller: AbortController): void {
    if (this.#reason === undefined) this.#running.add(controller);
    else controller.abort(this.#reason);
  }

  delete(controller: AbortController): void {
    this.#running.delete(controller);
  }

  /** Stops work in progress, and any later work. */
  endAll(reason: ServiceError): void {
    this.#reason = reason;
    for (const one of this.#running) one.abort(reason);
  }
}

/**
 * The limits of the work of one request. Most requests end before they yield, so each part is created on first use.
 */
export class RequestLimits implements WorkLimits {
  #controller: AbortController | undefined;
  #turns = 0;
  #place: Promise<void> | undefined;
  #hasPlace = false;
  #needsPlace = true;

  constructor(
    private readonly shared: Shared,
    private readonly sender: string,
    private readonly res: ServerResponse,
  ) {}

  get entriesMax(): number {
    return this.shared.entriesMax;
  }

  /** Aborted when the client has disconnected, or the service stops. */
  get signal(): AbortSignal {
    this.#controller ??= this.#follow();
    return this.#controller.signal;
  }

  /**
   * Resolves when the work may continue.
   * @throws ServiceError `TooManyRequests` when the sender has too much work
   */
  readonly turn = async (): Promise<void> => {
    const { turns, freeTurns } = this.shared;
    this.#turns++;
    if (this.#turns > freeTurns && this.#needsPlace) await (this.#place ??= this.#takePlace());
    await turns.next(this.sender);
  };

  /** Releases the place: the rest of the work takes little memory, so it needs none. */
  end(): void {
    this.#needsPlace = false;
    if (!this.#hasPlace) return;
    this.#hasPlace = false;
    this.shared.places.giveBack(this.sender);
  }

  /** Concurrent parts of the work share one place. */
  async #takePlace(): Promise<void> {
    this.#hasPlace = await this.shared.places.take(this.sender, this.signal);
    // Another part may have failed meanwhile.
    if (!this.#needsPlace) this.end();
  }

  #follow(): AbortController {
    const controller = new AbortController();
    const { res, shared } = this;
    const gone = (): void => {
      shared.endings.delete(controller);
      controller.abort(unavailable('the client has disconnected'));
    };
    if (res.closed || res.destroyed) gone();
    else {
      shared.endings.add(controller);
      res.once('close', gone);
    }
    return controller;
  }
}
