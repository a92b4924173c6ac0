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
  /** Most index entries, names and records that one request may read. Default {@link READ_ENTRIES_MAX}. */
  readonly entriesMax?: number;
  /** Turns of about a millisecond before work needs a place. Default 20. */
  readonly freeTurns?: number;
  readonly places?: Partial<PlaceLimits>;
  readonly bodies?: BodyBudgetOptions;
  readonly watches?: Partial<WatchLimits>;
}

/** Runs the work of a request, see {@link Admission.run}. */
export type RunWork = <T>(
  req: IncomingMessage,
  res: ServerResponse,
  task: (work: Work) => Promise<T>,
) => Promise<T>;

/** Admission of requests, by their sender. */
export interface Admit {
  readonly run: RunWork;
  /** Work of a request that takes little memory: it stops when the client has disconnected, and needs no place. */
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

  /** Index entries, names and records that finished requests have read. */
  get entries(): number {
    return this.#entries;
  }

  /** Requests in progress that read more than one object. */
  get running(): number {
    return this.#running.size;
  }

  /** @param getSender returns the sender whose share a request uses */
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
   * Runs the work of an answer. It stops when the client has disconnected.
   * @param sender whose share the work uses
   * @param task may continue to use its work afterwards, for steps that take little memory
   * @throws ServiceError `TooManyRequests` when the sender has too much work in progress, `RequestEntityTooLarge`
   * when it would read too much, and the errors of the task
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

  /** Stops work in progress: it is answered with 503. */
  end(): void {
    this.#shared.endings.endAll(unavailable('the service is stopping', { retryAfterSeconds: 1 }));
  }

  /** Stops work in progress, and waits for it. */
  async close(): Promise<void> {
    this.end();
    await Promise.allSettled(this.#running);
  }
}
