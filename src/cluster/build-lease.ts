import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.js';
import { modelKey, type GroupVersionKind } from '../model/resource.js';
import type { Transaction } from '../store/engine.js';
import type { Cluster } from './cluster.js';
import type { Lease } from './lease.js';

const LOOK_MS = 50;

/** The right to work on the objects and indexes of one model. Of all processes one has it, as long as it works. */
export class BuildLease {
  #lease: Lease | undefined;
  #problem: { readonly error: unknown } | undefined;

  constructor(
    private readonly cluster: Cluster,
    private readonly model: Pick<GroupVersionKind, 'group' | 'kind'>,
  ) {}

  get isHeld(): boolean {
    return this.#lease?.term !== undefined;
  }

  /** Waits until no other process has it. @throws ServiceError `ServiceUnavailable` when the store cannot be used */
  async acquire(): Promise<void> {
    if (this.#lease === undefined) {
      this.#lease = this.cluster.lease(`build/${modelKey(this.model)}`, {
        onBegin: () => undefined,
        onEnd: () => undefined,
        onProblem: (error) => (this.#problem = { error }),
      });
      await this.#lease.start();
    }
    while (!this.isHeld) {
      if (this.#problem !== undefined) throw this.#problem.error;
      await sleep(LOOK_MS);
    }
  }

  /** @throws ServiceError `ServiceUnavailable` when another process has it now */
  guard(tx: Transaction): void {
    try {
      const term = this.#lease?.term;
      if (term === undefined) throw new Error('the lease was lost');
      term.guard(tx);
    } catch (error) {
      const message = `another process took over the work on ${this.model.kind}`;
      throw new ServiceError('ServiceUnavailable', message, {}, { cause: error });
    }
  }

  async release(): Promise<void> {
    await this.#lease?.stop();
  }
}
