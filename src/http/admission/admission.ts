import type { IncomingMessage, ServerResponse } from 'node:http';
import { unavailable } from '../../errors.js';
import { READ_ENTRIES_MAX, Work } from '../../lib/work/work.js';
import { BodyBudget, type BodyBudgetOptions } from './body-budget.js';
import { Places, type PlaceLimits } from './places.js';
import { Endings, RequestLimits, type Shared } from './request-work.js';
import { Turns } from './turns.js';
import { WatchShares, type WatchLimits } from './watch-shares.js';

const FREE_TURNS = 20;

export interface AdmissionOptions {
  /** Index entries, names and records that one request may read. Default {@link READ_ENTRIES_MAX}. */
  readonly entriesMax?: number;
  /** Turns of about a millisecond that work has before it needs a place. Default 20. */
  readonly freeTurns?: number;
  readonly places?: Partial<PlaceLimits>;
  readonly bodies?: BodyBudgetOptions;
  readonly watches?: Partial<WatchLimits>;
}

/** Does work that the answer to a request needs, see {@link Admission.run}. */
export type RunWork = <T>(
  req: IncomingMessage,
  res: ServerResponse,
  task: (work: Work) => Promise<T>,
) => Promise<T>;

/** Admission of requests, by who sent them. */
export interface Admit {
  readonly run: RunWork;
  /** Work of a request that takes little memory: it ends when the client has gone, and needs no place. */
  work(req: IncomingMessage, res: ServerResponse): Work;
  /** Counts a watch, see {@link WatchShares.enter}. */
  watch(req: IncomingMessage, text: string): () => void;
}

/** Limits of requests: expensive work by sender, watches by sender, and the memory of bodies. */
export class Admission {
  readonly places: Places;
  readonly bodies: BodyBudget;
  readonly watches: WatchShares;
  readonly #shared: Shared;
  readonly #running = new Set<Promise<unknown>>();
  #entries = 0;

  constructor({
    entriesMax = READ_ENTRIES_MAX,
    freeTurns = FREE_TURNS,
    places,
    bodies,
    watches,
  }: AdmissionOptions = {}) {
    this.places = new Places(places);
    this.bodies = new BodyBudget(bodies);
    this.watches = new WatchShares(watches);
    this.#shared = { turns: new Turns(), places: this.places, endings: new Endings(), entriesMax, freeTurns };
  }

  /** Index entries, names and records that requests have read which are over. */
  get entries(): number {
    return this.#entries;
  }

  /** Requests under way that read more than one object. */
  get running(): number {
    return this.#running.size;
  }

  /** @param getSender whose share a request takes */
  by(getSender: (req: IncomingMessage) => string): Admit {
    return {
      run: (req, res, task) => this.run(getSender(req), res, task),
      work: (req, res) => {
        const limits = new RequestLimits(this.#shared, getSender(req), res);
        limits.end();
        return new Work(limits);
      },
      watch: (req, text) => this.watches.enter(getSender(req), text),
    };
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
    const work = new Work(limits);
    const running = task(work);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      limits.end();
      this.#entries += work.entries;
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
