import type { IncomingMessage, ServerResponse } from 'node:http';
import { unavailable } from '../../errors.js';
import { READ_ENTRIES_MAX, Work } from '../../lib/work.js';
import { BodyBudget, type BodyBudgetOptions } from './body-budget.js';
import { Places, type PlaceLimits } from './places.js';
import { Endings, RequestLimits, type Shared } from './request-work.js';
import { Turns } from './turns.js';

export interface AdmissionOptions {
  /** Index entries, names and records that one request may read. Default {@link READ_ENTRIES_MAX}. */
  readonly entriesMax?: number;
  readonly places?: Partial<PlaceLimits>;
  readonly bodies?: BodyBudgetOptions;
}

/** Does work that the answer to a request needs, see {@link Admission.run}. */
export type RunWork = <T>(
  req: IncomingMessage,
  res: ServerResponse,
  task: (work: Work) => Promise<T>,
) => Promise<T>;

/** What requests may take: expensive work with its owners and its ends, and the memory of bodies. */
export class Admission {
  readonly places: Places;
  readonly bodies: BodyBudget;
  readonly #shared: Shared;
  readonly #running = new Set<Promise<unknown>>();

  constructor({ entriesMax = READ_ENTRIES_MAX, places, bodies }: AdmissionOptions = {}) {
    this.places = new Places(places);
    this.bodies = new BodyBudget(bodies);
    this.#shared = { turns: new Turns(), places: this.places, endings: new Endings(), entriesMax };
  }

  /**
   * Does work that an answer needs. It ends when the client has gone.
   * @param sender whose share it is
   * @param task may go on to use its work afterwards, for what takes little memory
   * @throws ServiceError `TooManyRequests` when the sender has too much under way, `RequestEntityTooLarge` when it would read too
   *   much, and as the task
   */
  async run<T>(sender: string, res: ServerResponse, task: (work: Work) => Promise<T>): Promise<T> {
    const limits = new RequestLimits(this.#shared, sender, res);
    const running = task(new Work(limits));
    this.#running.add(running);
    try {
      return await running;
    } finally {
      limits.end();
      this.#running.delete(running);
    }
  }

  /** Ends what is under way: it is answered with 503. */
  end(): void {
    this.#shared.endings.endAll(unavailable('the service is stopping', { retryAfterSeconds: 1 }));
  }

  /** Ends what is under way, and waits for it. */
  async close(): Promise<void> {
    this.end();
    await Promise.allSettled(this.#running);
  }
}
