import { endOwner } from '../lib/process/process-identity.js';
import type { GroupVersionKind } from '../model/resource.js';
import { modelKey } from '../model/resource.js';
import { isWorkedOn } from '../store/catalog.js';
import type { Store } from '../store/store.js';
import { findServer, type Processes, publishServedModels } from './served-models.js';
import { byProcess, Lease, type LeaseOptions, type Liveness } from './lease.js';
import { isPresent, createPresence } from './presence.js';

export interface ClusterOptions {
  /** The unique name of this process among those that share the store; identifies the builder of an index. */
  readonly owner: string;
  /**
   * True when this process publishes the models that it serves, so that others do not change their declarations.
   * Default false.
   */
  readonly holdsModels?: boolean | undefined;
  /** True when the store is open for reading only. Default: false. */
  readonly readOnly?: boolean;
  /** True when the process with this owner name is alive. */
  readonly isAlive: (owner: string) => boolean;
  /** Detects if the holder of a lease is still alive. Default: by `isAlive`. */
  readonly liveness?: Liveness | undefined;
}

/** Handlers of a lease's events. */
export type LeaseEvents = Pick<LeaseOptions, 'onBegin' | 'onEnd' | 'onProblem'>;

/** The processes that share a store, as seen by this one: its leases, and the models that each of them serves. */
export class Cluster implements Processes {
  readonly owner: string;
  readonly isAlive: (owner: string) => boolean;
  readonly isReadOnly: boolean;
  readonly answers: Processes['answers'];
  readonly #liveness: Liveness;
  /** Answers processes of other machines that ask if this one is alive. Undefined when none can ask. */
  readonly #presence: Lease | undefined;

  private constructor(
    private readonly store: Store,
    private readonly options: ClusterOptions,
  ) {
    const { owner, isAlive, holdsModels = false, readOnly = false } = options;
    const { engine } = store;
    this.owner = owner;
    this.isAlive = isAlive;
    this.isReadOnly = readOnly;
    this.#liveness = options.liveness ?? byProcess((holder) => (isAlive(holder) ? 'alive' : 'dead'));
    const { beats, durationMs: answerMs } = this.#liveness;
    this.answers = beats ? (other) => isPresent(engine, other, { asker: owner, answerMs }) : undefined;
    this.#presence = beats && holdsModels ? createPresence(engine, owner, answerMs) : undefined;
  }

  /** Makes this process a member until the store closes. The owner name is not used again. */
  static async join(store: Store, options: ClusterOptions): Promise<Cluster> {
    const cluster = new Cluster(store, options);
    store.beforeClose(() => cluster.#leave());
    await cluster.#presence?.start();
    return cluster;
  }

  async #leave(): Promise<void> {
    await this.#presence?.stop();
    await this.#publish([]).catch(() => undefined);
    endOwner(this.owner);
  }

  /**
   * A lease for which this process and others on the store compete. It must be started, and stopped before the store
   * closes.
   */
  lease(name: string, events: LeaseEvents): Lease {
    const { engine } = this.store;
    return new Lease({ ...events, engine, name, holder: this.owner, liveness: this.#liveness });
  }

  /** Publishes the models that this process serves now. */
  publishServedModels(): Promise<void> {
    return this.#publish(this.store.attachedModels());
  }

  async #publish(models: Iterable<string>): Promise<void> {
    if (this.options.holdsModels === true) await publishServedModels(this.store.engine, this.owner, models);
  }

  /** The name of another living process that serves a model or works on it now; undefined when none does. */
  async findHolder(model: Pick<GroupVersionKind, 'group' | 'kind'>): Promise<string | undefined> {
    const builder = (await this.store.readCatalog()).models.get(modelKey(model))?.builder;
    if (builder !== undefined && isWorkedOn(builder) && builder !== this.owner && this.isAlive(builder))
      return builder;
    return findServer(this.store.engine, model, this);
  }
}
