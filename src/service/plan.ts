import { ServiceError } from '../errors.js';
import { formatSize } from '../lib/duration.js';
import { isHeavier } from '../lib/json.js';
import { Breaks, type Steps } from '../lib/yield.js';
import { leastBytes } from '../store/ready-object.js';
import type { Table } from '../store/table.js';
import type { StoredObject } from '../store/transaction.js';
import type { ServiceContext } from './context.js';
import { decide, pendingOf, presentOf, type WriteItem } from './decide.js';
import { taken, type Decision, type Present } from './decision.js';
import type { DeleteOptions } from './verbs.js';

/** Writes that are done in one commit, or not at all. */
export interface Writes {
  readonly items: readonly WriteItem[];
  readonly options: DeleteOptions;
  /** What all objects may take together, counted once an item, in bytes of JSON. Default: no limit. */
  readonly bytesMax?: number | undefined;
  /** Says in an error which item it is about. Default: there is only one. */
  readonly locate?: (error: ServiceError, position: number) => ServiceError;
}

type NamedItem = Exclude<WriteItem, { verb: 'create' }>;

/** What is known of an item before the commit. */
export type Planned = { readonly table: Table } & (
  | {
      readonly decision: Decision;
      /** The stored object that it was decided on, which must be the same in the commit. */
      readonly read?: { readonly revision: number | undefined };
    }
  /** It is decided in the commit. */
  | { readonly decision?: undefined; readonly item: NamedItem }
);

/** What is larger is worked on before the commit, with breaks: values and characters, or bytes. */
const LARGE = 64 * 1024;

/** Decides items one after the other, with breaks, each as if those before it were done. */
export class WritePlan {
  private readonly breaks = new Breaks();
  /** What earlier items make of an object. */
  private readonly earlier = new Map<string, Exclude<Decision, { kind: 'keep' }>>();
  private bytes = 0;

  /** @param isComplete false: what depends on stored objects is left to the commit */
  constructor(
    private readonly context: ServiceContext,
    private readonly writes: Writes,
    private readonly isComplete: boolean,
  ) {}

  /** @throws ServiceError of an item at fault; Outdated when a generated name is taken */
  async make(): Promise<Planned[]> {
    const planned: Planned[] = [];
    for (const [position, item] of this.writes.items.entries()) {
      try {
        planned.push(await this.planItem(item));
      } catch (error) {
        throw locatedIn(this.writes, position, error);
      }
      checkBytes(this.bytes, this.writes);
    }
    return planned;
  }

  private async planItem(item: WriteItem): Promise<Planned> {
    const table = this.context.models.table(item.resource);
    if (item.verb === 'create') return this.planCreate(table, item);
    if (!this.isComplete) return { table, item };
    const key = `${table.modelId}/${item.name}`;
    const before = this.earlier.get(key);
    const stored = before === undefined ? await this.context.store.find(table, item.name) : undefined;
    const isAlone = this.writes.items.length === 1;
    if (isAlone && !isLarge(item, stored)) return { table, item };
    const decision = await this.decide(table, item, () =>
      before === undefined ? stored && presentOf(stored) : pendingOf(before),
    );
    if (decision.kind === 'keep')
      this.bytes += stored?.bytes.length ?? (before && leastBytes(before.object)) ?? 0;
    else this.note(key, decision);
    return before === undefined
      ? { table, decision, read: { revision: stored?.revision } }
      : { table, decision };
  }

  private async planCreate(table: Table, item: WriteItem & { verb: 'create' }): Promise<Planned> {
    const decision = await this.decide(table, item, () => undefined);
    if (decision.kind !== 'insert') throw new Error('a create must insert');
    const key = `${table.modelId}/${decision.object.metadata.name}`;
    const before = this.earlier.get(key);
    if (before !== undefined && before.kind !== 'remove') throw taken(decision);
    this.note(key, decision);
    return { table, decision };
  }

  private decide(table: Table, item: WriteItem, find: () => Present | undefined): Promise<Decision> {
    const { context, writes } = this;
    const steps = function* (): Steps<Decision> {
      const found = find();
      yield;
      return yield* decide(context, { table, item, found }, writes.options);
    };
    return this.breaks.run(steps());
  }

  private note(key: string, decision: Exclude<Decision, { kind: 'keep' }>): void {
    this.earlier.set(key, decision);
    this.bytes += leastBytes(decision.object);
  }
}

function isLarge(item: NamedItem, stored: StoredObject | undefined): boolean {
  if (stored !== undefined && stored.bytes.length > LARGE) return true;
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

/** The error, with the item that it is about. */
export function locatedIn({ locate }: Writes, position: number, error: unknown): unknown {
  return locate !== undefined && error instanceof ServiceError ? locate(error, position) : error;
}
