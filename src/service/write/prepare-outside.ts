import { ServiceError } from '../../errors.js';
import { mapMaybe, type MaybePromise } from '../../lib/work/maybe-promise.js';
import { TooExpensive } from '../../lib/work/allowance.js';
import { Yielder, type Resumable } from '../../lib/work/yield.js';
import { PendingConversion } from '../../model/evolve/pending-conversion.js';
import type { StoredObject } from '../../store/object-record.js';
import type { ReadView } from '../../store/read-view.js';
import type { Table } from '../../store/table.js';
import type { ServiceContext } from '../context.js';
import type { ResourceRef } from '../verbs.js';
import { getObjectKey } from '../references/defer-deletion.js';
import { InvalidObjectError } from './faults/invalid-object-error.js';
import { withStoreFaults } from './faults/store-faults.js';
import { changedName, nameTaken, pendingObject, type PreparedChange } from './change.js';
import { currentObject } from './current-object.js';
import { NO_REVISION, prepare, prepareAtOnce, type Prepared, type WriteTarget } from './prepare.js';
import { isReviewed } from './review/is-reviewed.js';
import { prepareReviewed } from './review/prepare-reviewed.js';
import type { WriteToReview } from './review/reviewed-write.js';
import type { Reviewers } from './review/reviewers.js';
import {
  checkBytes,
  getRequestedName,
  isLarge,
  refusalOfRequest,
  type AllowedOptions,
  type WriteRequest,
} from './request.js';

interface HowPrepared {
  /** True when the commit prepares what depends on stored objects. */
  readonly isInside: boolean;
  /** Those who are asked about the requests. */
  readonly reviewers: Reviewers | undefined;
}

/** Prepares requests outside the transaction, in their order. Each change assumes that those before it are made. */
export class OutsidePreparation {
  readonly #yielder = new Yielder();
  /** The changes of earlier requests, by object. */
  readonly #earlier = new Map<string, Exclude<PreparedChange, { kind: 'keep' }>>();
  readonly #isBatch: boolean;
  #bytes = 0;
  #counts: ReadonlyMap<string, number> | undefined;
  #view: ReadView | undefined;

  constructor(
    private readonly context: ServiceContext,
    private readonly requests: readonly WriteRequest[],
    private readonly options: AllowedOptions,
    private readonly how: HowPrepared,
  ) {
    this.#isBatch = requests.length > 1;
  }

  /** @throws ServiceError of an invalid request; PendingConversion; Stale when a generated name is taken */
  async run(): Promise<readonly Prepared[]> {
    const { onFault } = this.options;
    const prepared: Prepared[] = [];
    const refusals = new Map<number, ServiceError>();
    const pending: PendingConversion[] = [];
    try {
      for (const [position, request] of this.requests.entries()) {
        if (this.#isBatch) await this.options.allowance.pause();
        try {
          prepared.push(await this.#prepareOne(request));
        } catch (error) {
          if (error instanceof PendingConversion) pending.push(error);
          // The request may have needed the change of one whose conversion is pending.
          if (pending.length > 0) continue;
          if (isOfRequest(error)) throw error;
          const refusal = refusalOfRequest(await this.#complete(error, request), position, this.options);
          if (onFault === undefined || !(refusal instanceof ServiceError)) throw refusal;
          refusals.set(position, refusal);
        }
        checkBytes(this.#bytes, this.options);
      }
      if (pending.length > 0) throw PendingConversion.together(pending);
      for (const [position, refusal] of refusals) onFault?.(refusal, position);
      for (const refusal of refusals.values()) throw refusal;
      return prepared;
    } finally {
      this.#view?.close();
    }
  }

  /** Adds the faults that only the store knows to the error of an object that violates its model. */
  async #complete(error: unknown, request: WriteRequest): Promise<unknown> {
    if (!(error instanceof InvalidObjectError)) return error;
    const model = this.context.models.view(request.resource);
    const own = pathOf(request.resource, getRequestedName(request));
    const isChanging = ({ resource }: Table, name: string): boolean => {
      const path = pathOf(resource, name);
      return (this.#getCounts().get(path) ?? 0) > (path === own ? 1 : 0);
    };
    return withStoreFaults(this.context, { model, object: error.object, error, isChanging });
  }

  /** The number of requests for each object. */
  #getCounts(): ReadonlyMap<string, number> {
    if (this.#counts !== undefined) return this.#counts;
    const counts = new Map<string, number>();
    for (const request of this.requests) {
      const path = pathOf(request.resource, getRequestedName(request));
      counts.set(path, (counts.get(path) ?? 0) + 1);
    }
    return (this.#counts = counts);
  }

  #prepareOne(request: WriteRequest): MaybePromise<Prepared> {
    const model = this.context.models.view(request.resource);
    if (request.verb === 'create') return this.#prepareOn(request, { model, current: undefined }, undefined);
    if (this.how.isInside) return { request, model };
    const { table } = model;
    const earlier = this.#isBatch ? this.#earlier.get(getObjectKey(table, request.name)) : undefined;
    if (earlier !== undefined)
      return this.#prepareOn(request, { model, current: pendingObject(model, earlier) }, undefined);
    return mapMaybe(this.#find(table, request.name), (stored) => {
      const current = stored && currentObject(model, stored);
      return this.#prepareOn(request, { model, current }, stored?.revision ?? NO_REVISION);
    });
  }

  /** One snapshot for all objects of a batch; an engine on a server would ask it for each object otherwise. */
  #find(table: Table, name: string): MaybePromise<StoredObject | undefined> {
    // Reviewers may be slow, and a snapshot must not be.
    if (!this.#isBatch || this.how.reviewers !== undefined) return this.context.store.find(table, name);
    this.#view ??= this.context.store.read();
    return this.#view.find(table, name);
  }

  #prepareOn(
    request: WriteRequest,
    target: WriteTarget,
    basedOn: number | undefined,
  ): MaybePromise<Prepared> {
    const { context, options } = this;
    const { reviewers } = this.how;
    if (reviewers !== undefined && isReviewed(reviewers, request, options))
      return this.#prepareReviewed(reviewers, { request, target, options }, basedOn);
    if (isLarge(request, target.current?.bytes)) return this.#prepareInSteps(request, target, basedOn);
    const change = prepareAtOnce(context, request, target, options);
    // Without other requests to answer, this is faster in the commit.
    if (!this.#isBatch || options.bytesMax !== undefined) formatChange(change);
    if (this.#isBatch) this.#note(change, target);
    return { request, model: target.model, change, basedOn };
  }

  async #prepareInSteps(
    request: WriteRequest,
    target: WriteTarget,
    basedOn: number | undefined,
  ): Promise<Prepared> {
    const { context, options } = this;
    const allowance = options.allowance.forObject();
    const steps = function* (): Resumable<PreparedChange> {
      yield;
      const change = yield* allowance.throughout(prepare(context, request, target, options));
      yield;
      // The text of a large object takes less memory.
      formatChange(change);
      return change;
    };
    const change = await this.#yielder.run(steps());
    if (this.#isBatch) this.#note(change, target);
    return { request, model: target.model, change, basedOn };
  }

  async #prepareReviewed(
    reviewers: Reviewers,
    write: WriteToReview,
    basedOn: number | undefined,
  ): Promise<Prepared> {
    const { request, target } = write;
    const reviewed = await prepareReviewed(this.context, reviewers, write, this.#yielder);
    if (this.#isBatch) this.#note(reviewed.change, target);
    return { request, model: target.model, ...reviewed, basedOn };
  }

  #note(change: PreparedChange, { current }: WriteTarget): void {
    if (change.kind === 'keep') {
      this.#bytes += current?.bytes ?? 0;
      return;
    }
    const key = getObjectKey(change.table, changedName(change));
    const earlier = this.#earlier.get(key);
    const isTaken = change.kind === 'insert' && earlier !== undefined && earlier.kind !== 'remove';
    // A deletion that the commit prepares may come between the two.
    if (isTaken && !this.how.isInside) throw nameTaken(change);
    this.#earlier.set(key, change);
    this.#bytes += change.object.leastBytes;
  }
}

/** True when all requests together cost too much, whichever of them it was. */
function isOfRequest(error: unknown): boolean {
  return error instanceof TooExpensive && error.code === 'RequestEntityTooLarge';
}

function pathOf({ group, plural }: ResourceRef, name: string): string {
  return `${group}/${plural}/${name}`;
}

/** Does the work that is possible before the commit. */
function formatChange(change: PreparedChange): void {
  if (change.kind !== 'keep') change.object.prepare();
  change.answer?.prepare();
}
