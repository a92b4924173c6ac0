import type { ControllerManager } from '../controller/manager.js';
import { getMessage } from '../errors.js';
import { SYSTEM_CLOCK } from '../lib/time/clock.js';
import { LogLimit } from '../lib/log/log-limit.js';
import type { Logger } from '../lib/log/logger.js';
import { holderText } from '../cluster/served-models.js';
import type { Lease, Term } from '../cluster/lease.js';
import type { Cluster } from '../cluster/cluster.js';
import type { Upkeep } from './upkeep.js';

/** The name of the lease: of all processes on a store, one runs the controllers and the upkeep. */
const LEASE = 'leader';
/** The time limit for running reconciles when another process leads. Their later writes are refused in any case. */
const STAND_BY_MS = 5_000;

export interface LeadershipOptions {
  readonly cluster: Pick<Cluster, 'lease'>;
  readonly controllers: Pick<ControllerManager, 'lead' | 'standBy'>;
  readonly logger: Logger;
}

/** The leader as seen by a process. */
export interface LeaderView {
  /** Name of the process; empty while none leads. */
  readonly holder: string;
  /** Rises with each change of the holder. */
  readonly token: number;
  readonly isSelf: boolean;
}

export function leaderText({ holder, token, isSelf }: LeaderView): string {
  if (isSelf) return `this process is the leader, token ${token}`;
  return holder === '' ? 'no leader' : `${holderText(holder)} is the leader, token ${token}`;
}

/** Leads while no other process does: runs the controllers and the upkeep of the store. */
export class Leadership {
  readonly #options: LeadershipOptions;
  readonly #lease: Lease;
  #startUpkeep: ((term: Term) => Upkeep) | undefined;
  #upkeep: Upkeep | undefined;
  /** The work that the end of a term still waits for. */
  #ending: Promise<unknown> = Promise.resolve();

  constructor(options: LeadershipOptions) {
    this.#options = options;
    const problems = new LogLimit(SYSTEM_CLOCK, 1);
    this.#lease = options.cluster.lease(LEASE, {
      onBegin: (term) => this.#begin(term),
      onEnd: (term) => this.#end(term),
      onProblem: (error) =>
        problems.write(() => options.logger.warn(`cannot determine the leader: ${getMessage(error)}`)),
    });
  }

  view(): LeaderView {
    const { holder, token } = this.#lease.record;
    return { holder, token, isSelf: this.#lease.term !== undefined };
  }

  /** Resolves when it is decided if this process leads at first. */
  start(): Promise<void> {
    return this.#lease.start();
  }

  /** Runs the upkeep whenever this process leads, from now on. */
  allowUpkeep(start: (term: Term) => Upkeep): void {
    this.#startUpkeep = start;
    const { term } = this.#lease;
    if (term !== undefined) this.#upkeep ??= start(term);
  }

  /** Ends the work of a leader, and lets another process lead immediately. */
  async stop(): Promise<void> {
    this.#startUpkeep = undefined;
    if (this.#lease.term !== undefined) this.#standBy();
    await this.#ending;
    await this.#lease.stop();
    // It may have started to lead just now.
    this.#standBy();
    await this.#ending;
  }

  #begin(term: Term): void {
    const { logger, controllers } = this.#options;
    logger.info('this process is now the leader: it runs controllers and maintenance', { token: term.token });
    controllers.lead(term);
    this.#upkeep ??= this.#startUpkeep?.(term);
  }

  #end({ token }: Term): void {
    this.#options.logger.warn('this process is no longer the leader', { token });
    this.#standBy();
  }

  #standBy(): void {
    const upkeep = this.#upkeep;
    this.#upkeep = undefined;
    this.#ending = Promise.all([
      this.#ending,
      this.#options.controllers.standBy(STAND_BY_MS),
      upkeep?.stop(),
    ]);
  }
}
