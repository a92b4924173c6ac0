import { endOwner } from '../../lib/process/process-identity.js';
import type { Engine } from '../engine.js';
import { type Processes, publishServedModels } from './served-models.js';
import { byProcess, Lease, type LeaseOptions, type Liveness } from './lease.js';
import { isPresent, createPresence } from './presence.js';

export interface ClusterMemberOptions {
  /** Names this process among those that share the store; used to tell who builds an index. */
  readonly owner: string;
  /** Whether others are told which models this process serves, so that they do not change their declarations. Default false. */
  readonly holdsModels?: boolean | undefined;
  /** Whether the process with this owner name still lives. */
  readonly isAlive: (owner: string) => boolean;
  /** How it is known whether the holder of a lease still works. Default: by `isAlive`. */
  readonly liveness?: Liveness | undefined;
}

/** This process among those that share a store: the leases it wants, and the models it serves. */
export class ClusterMember implements Processes {
  readonly owner: string;
  readonly isAlive: (owner: string) => boolean;
  readonly answers: Processes['answers'];
  private readonly liveness: Liveness;
  /** Where processes may be on other machines: shows them that this one lives. */
  private readonly presence: Lease | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly options: ClusterMemberOptions,
  ) {
    const { owner, isAlive, holdsModels = false } = options;
    this.owner = owner;
    this.isAlive = isAlive;
    this.liveness = options.liveness ?? byProcess((holder) => (isAlive(holder) ? 'alive' : 'dead'));
    const { beats, durationMs: answerMs } = this.liveness;
    this.answers = beats ? (other) => isPresent(engine, other, { asker: owner, answerMs }) : undefined;
    this.presence = beats && holdsModels ? createPresence(engine, owner, answerMs) : undefined;
  }

  /** Must be awaited before models are served. */
  async start(): Promise<void> {
    await this.presence?.start();
  }

  /** Serves nothing any more; its name is not used again. */
  async end(): Promise<void> {
    await this.presence?.stop();
    await this.publishServedModels([]).catch(() => undefined);
    endOwner(this.owner);
  }

  /** A lease that this process and others on the store want to hold; it must be started, and stopped before the store. */
  lease(name: string, events: Pick<LeaseOptions, 'onBegin' | 'onEnd' | 'onProblem'>): Lease {
    return new Lease({ ...events, engine: this.engine, name, holder: this.owner, liveness: this.liveness });
  }

  /** @param models all that it serves now */
  async publishServedModels(models: Iterable<string>): Promise<void> {
    if (this.options.holdsModels === true) await publishServedModels(this.engine, this.owner, models);
  }
}
