import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.js';
import { modelKey, type Resource } from '../model/resource.js';
import type { Transaction } from '../store/engine.js';
import type { Lease } from './lease.js';
import type { Member } from './member.js';

const LOOK_MS = 50;

/** Long work on a store that one process does at a time. */
export interface LeasedWork {
  /** The name of the lease. */
  readonly name: string;
  /** In messages: `the work on Person`. */
  readonly text: string;
}

export function getModelWork(resource: Resource): LeasedWork {
  return { name: `build/${modelKey(resource)}`, text: `the work on ${resource.kind}` };
}

/** The right to do work on a store. Of all processes one has it, as long as it works. */
export class WorkLease {
  #lease: Lease | undefined;
  #problem: { readonly error: unknown } | undefined;

  constructor(
    private readonly member: Pick<Member, 'lease'>,
    private readonly work: LeasedWork,
  ) {}

  get isHeld(): boolean {
    return this.#lease?.term !== undefined;
  }

  /** Waits until no other process has it. @throws ServiceError `ServiceUnavailable` when the store cannot be used */
  async acquire(): Promise<void> {
    if (this.#lease === undefined) {
      this.#lease = this.member.lease(this.work.name, {
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
      const message = `another process took over ${this.work.text}`;
      throw new ServiceError('ServiceUnavailable', message, {}, { cause: error });
    }
  }

  async release(): Promise<void> {
    await this.#lease?.stop();
  }
}
