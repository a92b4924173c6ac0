import { endOwner } from '../../lib/process/process-identity.js';
import type { Engine } from '../engine.js';
import { type Processes, publishServedModels } from './served-models.js';
import { byProcess, Lease, type LeaseOptions, type Liveness } from './lease.js';
import { isPresent, createPresence } from './presence.js';

export interface ClusterMemberOptions {
  /** The unique name of this process among those that share the store; identifies the builder of an index. */
  readonly owner: string;
  /**
   * True when this process publishes the models that it serves, so that others do not change their declarations.
   * Default false.
   */
  readonly holdsModels?: boolean | undefined;
  /** True when the process with this owner name is alive. */
  readonly isAlive: (owner: string) => boolean;
  /** Detects if the holder of a lease is still alive. Default: by `isAlive`. */
  readonly liveness?: Liveness | undefined;
}

/** This process among those that share a store: its leases, and the models that it serves. */
export class ClusterMember implements Processes {
  readonly owner: string;
  readonly isAlive: (owner: string) => boolean;
  readonly answers: Processes['answers'];
  private readonly liveness: Liveness;
  /** Answers processes of other machines that ask if this one is alive. Undefined when none can ask. */
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

  /** Stops serving. The owner name is not used again. */
  async end(): Promise<void> {
    await this.presence?.stop();
    await this.publishServedModels([]).catch(() => undefined);
    endOwner(this.owner);
  }

  /**
   * A lease for which this process and others on the store compete. It must be started, and stopped before the store
   * closes.
   */
  lease(name: string, events: Pick<LeaseOptions, 'onBegin' | 'onEnd' | 'onProblem'>): Lease {
    return new Lease({ ...events, engine: this.engine, name, holder: this.owner, liveness: this.liveness });
  }

  /** @param models all models that it serves now */
  async publishServedModels(models: Iterable<string>): Promise<void> {
    if (this.options.holdsModels === true) await publishServedModels(this.engine, this.owner, models);
  }
}
