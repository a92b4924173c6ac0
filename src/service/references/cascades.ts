import { getMessage, hasCode } from '../../errors.js';
import { withConversions } from '../../model/evolve/pending-conversion.js';
import { nextVersion } from '../../model/object.js';
import { getEntries } from '../../store/index/keys.js';
import { nameIn, parseObject } from '../../store/object-record.js';
import { ObjectText, ReadyObject } from '../../store/ready-object.js';
import type { Incoming } from '../../store/index/referrers.js';
import { referrerPages } from '../../store/index/referrer-pages.js';
import type { Table } from '../../store/table.js';
import type { StoreTransaction } from '../../store/transaction.js';
import type { ServiceContext } from '../context.js';
import { CASCADE, isDeletionDeferred } from './defer-deletion.js';
import type { NamedTarget } from './work.js';
import { ReferenceEnforcer } from './enforcer.js';
import { TooManyReferrers, refusalOfMany } from './restrict.js';
import { ClearedRestrictions } from './cleared-restrictions.js';
import { getSubject } from '../object-errors.js';

/** Objects in one commit of a cascade: other writes run between commits. */
const COMMIT_OBJECTS = 100;
/** After this many problems the rest is left for a later run. */
const KEPT_MAX = 1_000;

/** The result of the work on one object. */
interface Outcome {
  readonly changed: boolean;
  /** The reason why it was not removed; undefined when it was. */
  readonly problem: string | undefined;
}

/**
 * Finishes cascading deletions that were too large for one commit. All outstanding work is recorded in the store. So
 * any process can do it, continue it after another process died, or do it at the same time.
 */
export class Cascades {
  #running: Promise<readonly string[]> | undefined;
  /** Number of wakes, and the number at the start of the last pass. */
  #wakes = 0;
  #seen = 0;
  readonly #ending = new AbortController();
  /** The cleared restrictions of the pass in progress. */
  #cleared = new ClearedRestrictions();

  constructor(private readonly context: () => ServiceContext) {}

  /** Starts the work soon. Errors are left to the store's maintenance. */
  wake(): void {
    this.#wakes++;
    void this.run().catch(() => undefined);
  }

  /**
   * Does all outstanding work.
   * @returns sentences about objects that cannot be removed yet
   */
  run(): Promise<readonly string[]> {
    return (this.#running ??= this.#workOffAll().finally(() => {
      this.#running = undefined;
      // A wake came after the last pass, while it ended.
      if (this.#wakes !== this.#seen && !this.#ending.signal.aborted) this.wake();
    }));
  }

  /** Stops between two commits; other processes or a later run do the rest. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running?.catch(() => undefined);
  }

  /** Removing an object may create more work. */
  async #workOffAll(): Promise<readonly string[]> {
    for (;;) {
      this.#seen = this.#wakes;
      this.#cleared = new ClearedRestrictions();
      let isMoving = false;
      const problems: string[] = [];
      for (const table of this.context().store.allTables()) {
        for (const name of await this.#deferredIn(table)) {
          if (this.#ending.signal.aborted) return problems;
          const { changed, problem } = await this.#workOff({ table, name });
          isMoving ||= changed;
          if (problem !== undefined) problems.push(problem);
        }
      }
      if (!isMoving && this.#wakes === this.#seen) return problems;
    }
  }

  /** Names of a model's objects whose deletion is deferred. */
  async #deferredIn(table: Table): Promise<readonly string[]> {
    const index = table.indexes.find(({ name }) => name === 'metadata.deletionTimestamp');
    if (index === undefined || this.#ending.signal.aborted) return [];
    const deferred: string[] = [];
    return this.context().store.within(async (view) => {
      for await (const ids of view.entryIds(getEntries(index.id)))
        for (const stored of await view.readMany(table, ids))
          if (stored !== undefined && isDeletionDeferred(stored.bytes)) deferred.push(nameIn(stored.record));
      return deferred;
    });
  }

  async #workOff(target: NamedTarget): Promise<Outcome> {
    let changed = false;
    const problems: string[] = [];
    for (const incoming of this.context().store.incoming(target.table)) {
      if (incoming.reference.onDelete === 'restrict') continue;
      for await (const ids of this.#referrers(target, incoming)) {
        if (this.#ending.signal.aborted || problems.length > KEPT_MAX) break;
        const ended = await this.#endSome(target, incoming, ids, problems);
        changed ||= ended > 0;
      }
    }
    const [first] = problems;
    if (this.#ending.signal.aborted) return { changed, problem: undefined };
    if (first === undefined) return { changed: await this.#release(target), problem: undefined };
    const subject = getSubject(target.table.resource, target.name);
    return { changed, problem: `${subject} is being deleted, but its cascade is blocked: ${first}` };
  }

  /** Ids of the objects that refer to an object, in small groups, from recent snapshots. */
  async *#referrers({ name }: NamedTarget, incoming: Incoming): AsyncGenerator<readonly number[]> {
    for (let after: number | undefined = 0; after !== undefined;) {
      const ids: readonly number[] = await this.#page(incoming, name, after);
      for (let at = 0; at < ids.length; at += COMMIT_OBJECTS) yield ids.slice(at, at + COMMIT_OBJECTS);
      after = ids.at(-1);
    }
  }

  async #page(incoming: Incoming, name: string, after: number): Promise<readonly number[]> {
    return this.context().store.within(async (view) => {
      for await (const ids of referrerPages(view, incoming, name, after)) return ids;
      return [];
    });
  }

  /** An object that cannot be changed does not block the others. */
  async #endSome(
    target: NamedTarget,
    incoming: Incoming,
    ids: readonly number[],
    problems: string[],
  ): Promise<number> {
    try {
      return await this.#end(target, incoming, ids);
    } catch (error) {
      const isMany = error instanceof TooManyReferrers;
      if (!isMany && !isAboutObjects(error)) throw error;
      if (ids.length === 1) {
        const problem = isMany ? await refusalOfMany(this.context(), error, this.#cleared) : { error };
        if (problem === undefined) return this.#endSome(target, incoming, ids, problems);
        problems.push(getMessage(problem.error));
        return 0;
      }
    }
    let ended = 0;
    for (const id of ids) ended += await this.#endSome(target, incoming, [id], problems);
    return ended;
  }

  async #end(target: NamedTarget, incoming: Incoming, ids: readonly number[]): Promise<number> {
    return withConversions(() => this.#endNow(target, incoming, ids));
  }

  #endNow({ table, name }: NamedTarget, incoming: Incoming, ids: readonly number[]): Promise<number> {
    const { store, user } = this.context();
    return store.commit(
      (tx) => {
        const target = { table: tx.current(table), name };
        const found = tx.find(target.table, name);
        const present = presentOf(tx, target.table, incoming);
        if (found === undefined || present === undefined || !isDeletionDeferred(found.bytes)) return 0;
        const referring = between(tx.referrers(present, name, (ids[0] ?? 0) - 1), ids.at(-1) ?? 0);
        const keeper = new ReferenceEnforcer(tx, this.context(), {
          deferred: new Set(),
          cleared: this.#cleared,
          located: (_position, error) => error,
          mayList: () => true,
        });
        tx.onChange = (change) => keeper.note(change, 0);
        const still = ids.filter((id) => referring.has(id));
        const ended = keeper.endReferrers(present, still, target);
        keeper.settle();
        return ended;
      },
      { user },
    );
  }

  /**
   * Removes the platform's finalizer after all referrers are done.
   * @returns true when the finalizer was still present
   */
  #release({ table, name }: NamedTarget): Promise<boolean> {
    const context = this.context();
    const { store, user } = context;
    return store.commit(
      (tx) => {
        const present = tx.current(table);
        const stored = tx.find(present, name);
        if (stored === undefined || !isDeletionDeferred(stored.bytes)) return false;
        const { metadata, ...rest } = parseObject(stored.bytes);
        const finalizers = (metadata.finalizers ?? []).filter((finalizer) => finalizer !== CASCADE);
        const object = { ...rest, metadata: nextVersion({ ...metadata, finalizers }, { at: context.now() }) };
        if (finalizers.length === 0) tx.remove(present, new ObjectText(object), stored);
        else tx.mark(new ReadyObject(present, object, () => true), stored);
        return true;
      },
      { user },
    );
  }
}

/** The present declaration of the same reference. */
function presentOf(tx: StoreTransaction, table: Table, { reference, ...of }: Incoming): Incoming | undefined {
  return tx
    .incoming(table)
    .find(
      (one) =>
        one.table.modelId === of.table.modelId &&
        one.index.id === of.index.id &&
        one.reference.onDelete === reference.onDelete,
    );
}

/** Ascending ids up to a last one. */
function between(ids: Generator<number>, last: number): ReadonlySet<number> {
  const found = new Set<number>();
  for (const id of ids) {
    if (id > last) break;
    found.add(id);
  }
  return found;
}

/** True when an error concerns objects, so that other objects can still be changed. */
function isAboutObjects(error: unknown): boolean {
  return hasCode(error, 'Conflict', 'Invalid', 'InternalError');
}
