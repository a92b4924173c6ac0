import { ServiceError } from '../../errors.js';
import { formatSize } from '../../lib/time/duration.js';
import { isHeavier } from '../../lib/json/json.js';
import { mapMaybe, type MaybePromise } from '../../lib/work/maybe-promise.js';
import { Yielder, type Resumable } from '../../lib/work/yield.js';
import type { ReadView } from '../../store/read-view.js';
import type { Table } from '../../store/table.js';
import type { StoredObject } from '../../store/object-record.js';
import type { ServiceContext } from '../context.js';
import { decide, decideAtOnce, findPending, currentObject, type Question, type WriteItem } from './decide.js';
import { taken, type Decision } from './decision.js';
import type { CurrentObject } from './current-object.js';
import type { DeleteOptions } from '../verbs.js';
import type { ModelView } from '../read/view.js';

/** Writes that are done in one commit, or not at all. */
export interface Writes {
  readonly items: readonly WriteItem[];
  readonly options: DeleteOptions;
  /** Most bytes of JSON for all objects together, each item counted once. Default: no limit. */
  readonly bytesMax?: number | undefined;
  /** Adds the item to an error. Default: the only item needs no name. */
  readonly locate?: (error: ServiceError, position: number) => ServiceError;
}

type NamedItem = Exclude<WriteItem, { verb: 'create' }>;

/** An item that is decided in the commit. */
export interface Undecided {
  readonly model: ModelView;
  readonly item: NamedItem;
  /** Size of the largest object that is processed there, in bytes. */
  readonly bytesMax: number;
}

/** The plan of an item before the commit. */
export type Planned =
  | {
      readonly table: Table;
      readonly decision: Decision;
      /** The stored object of the decision; its revision must be the same in the commit. */
      readonly read?: { readonly revision: number | undefined };
      /** The item to decide again when the revision differs. Default: everything is planned again. */
      readonly otherwise?: Undecided;
    }
  | (Undecided & { readonly decision?: undefined });

/**
 * Extent of the decisions before the commit: known large items, all items, or only those that do not depend on stored
 * objects.
 */
export type PlanDepth = 'large' | 'all' | 'creates';

/** Larger items are processed before the commit, with breaks. In values and characters, or bytes. */
const LARGE = 64 * 1024;

/** Decides items one after the other, with breaks. Each decision assumes that the items before it are done. */
export class WritePlan {
  private readonly yielder = new Yielder();
  /** The results of earlier items, by object. */
  private readonly earlier = new Map<string, Exclude<Decision, { kind: 'keep' }>>();
  private bytes = 0;
  private view: ReadView | undefined;

  constructor(
    private readonly context: ServiceContext,
    private readonly writes: Writes,
    private readonly depth: PlanDepth,
  ) {}

  /** @throws ServiceError of an invalid item; Stale when a generated name is taken */
  async make(): Promise<Planned[]> {
    const planned: Planned[] = [];
    try {
      for (const [position, item] of this.writes.items.entries()) {
        planned.push(await this.planAt(item, position));
        checkBytes(this.bytes, this.writes);
      }
      return planned;
    } finally {
      this.view?.close();
    }
  }

  private async planAt(item: WriteItem, position: number): Promise<Planned> {
    try {
      return await this.planItem(item);
    } catch (error) {
      throw locatedIn(this.writes, position, error);
    }
  }

  private planItem(item: WriteItem): MaybePromise<Planned> {
    const { context, writes, depth } = this;
    const model = context.models.view(item.resource);
    const isSmall = writes.items.length === 1 && !isLarge(item);
    if (item.verb === 'create') {
      if (!isSmall) return this.planCreate(model, item);
      return { table: model.table, decision: this.decideSmall({ model, item, found: undefined }) };
    }
    if (depth === 'creates') return { model, item, bytesMax: Infinity };
    if (depth === 'large' && isSmall) return this.planSmall({ model, item, bytesMax: LARGE });
    return this.planNamed(model, item);
  }

  /** Concurrent changes of the object are rare, and the decision overlaps with the previous commit. */
  private planSmall(undecided: Undecided): MaybePromise<Planned> {
    const { model, item, bytesMax } = undecided;
    const { table } = model;
    return mapMaybe(this.context.store.find(table, item.name), (stored) => {
      if (stored !== undefined && stored.bytes.length > bytesMax) return undecided;
      const decision = this.decideSmall({ model, item, found: stored && currentObject(model, stored) });
      return { table, decision, read: { revision: stored?.revision }, otherwise: undecided };
    });
  }

  private decideSmall(question: Question): Decision {
    const decision = decideAtOnce(this.context, question, this.writes.options);
    if (decision.kind !== 'keep') decision.object.prepare();
    decision.answer?.prepare();
    return decision;
  }

  private async planNamed(model: ModelView, item: NamedItem): Promise<Planned> {
    const { table } = model;
    const key = `${table.modelId}/${item.name}`;
    const before = this.earlier.get(key);
    const stored = before === undefined ? await this.read(table, item.name) : undefined;
    const decision = await this.decide(model, item, () =>
      before === undefined ? stored && currentObject(model, stored) : findPending(model, before),
    );
    if (decision.kind !== 'keep') this.note(key, decision);
    else this.bytes += stored?.bytes.length ?? before?.object.leastBytes ?? 0;
    if (before !== undefined) return { table, decision };
    return { table, decision, read: { revision: stored?.revision } };
  }

  private async planCreate(model: ModelView, item: WriteItem & { verb: 'create' }): Promise<Planned> {
    const decision = await this.decide(model, item, () => undefined);
    if (decision.kind !== 'insert') throw new Error('a create must insert');
    const key = `${model.table.modelId}/${decision.object.metadata.name}`;
    const before = this.earlier.get(key);
    if (before !== undefined && before.kind !== 'remove') throw taken(decision);
    this.note(key, decision);
    return { table: model.table, decision };
  }

  private decide(
    model: ModelView,
    item: WriteItem,
    find: () => CurrentObject | undefined,
  ): Promise<Decision> {
    const { context, writes } = this;
    // Without other requests to answer, preparation is faster in the commit, except for the memory of large objects.
    const isPrepared = writes.bytesMax !== undefined || isLarge(item);
    const steps = function* (): Resumable<Decision> {
      const found = find();
      yield;
      const question = { model, item, found };
      const isInOneGo = !model.isVerbatim && !isLarge(item) && (found?.bytes ?? 0) <= LARGE;
      const decision = isInOneGo
        ? decideAtOnce(context, question, writes.options)
        : yield* decide(context, question, writes.options);
      if (decision.kind === 'keep' || !isPrepared) return decision;
      yield;
      decision.object.prepare();
      decision.answer?.prepare();
      return decision;
    };
    return this.yielder.run(steps());
  }

  private read(table: Table, name: string): Promise<StoredObject | undefined> {
    this.view ??= this.context.store.read();
    return this.view.find(table, name);
  }

  private note(key: string, decision: Exclude<Decision, { kind: 'keep' }>): void {
    this.earlier.set(key, decision);
    this.bytes += decision.object.leastBytes;
  }
}

function isLarge(item: WriteItem): boolean {
  if (item.verb === 'delete') return false;
  return isHeavier(item.verb === 'patch' ? item.patch : item.object, LARGE);
}

/** @throws ServiceError `RequestEntityTooLarge` */
export function checkBytes(bytes: number, { bytesMax = Infinity }: Writes): void {
  if (bytes <= bytesMax) return;
  throw new ServiceError(
    'RequestEntityTooLarge',
    `the objects of the batch take more than ${formatSize(bytesMax)} together; send it in parts`,
  );
}

/** Adds the item to an error. */
export function locatedIn({ locate }: Writes, position: number, error: unknown): unknown {
  return locate !== undefined && error instanceof ServiceError ? locate(error, position) : error;
}
