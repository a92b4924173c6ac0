import { endOwner } from '../lib/process/process-identity.js';
import type { GroupVersionKind } from '../model/resource.js';
import { modelKey } from '../model/resource.js';
import { isWorkedOn } from '../store/catalog.js';
import type { Store } from '../store/store.js';
import type { Lease } from './lease.js';
import { Member, type MemberOptions } from './member.js';
import { createPresence } from './presence.js';
import { findServer, publishServedModels } from './served-models.js';

export interface ClusterOptions extends MemberOptions {
  /**
   * True when this process publishes the models that it serves, so that others do not change their declarations.
   * Default false.
   */
  readonly holdsModels?: boolean | undefined;
}

/** The processes that share a store, as seen by this one: its leases, and the models that each of them serves. */
export class Cluster extends Member {
  /** Answers processes of other machines that ask if this one is alive. Undefined when none can ask. */
  readonly #presence: Lease | undefined;

  private constructor(
    private readonly store: Store,
    private readonly options: ClusterOptions,
  ) {
    super(store.engine, options);
    const { beats, durationMs: answerMs } = this.liveness;
    this.#presence =
      beats && options.holdsModels === true ? createPresence(store.engine, this.owner, answerMs) : undefined;
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
