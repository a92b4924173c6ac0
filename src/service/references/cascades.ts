import { getMessage, ServiceError } from '../../errors.js';
import type { KeyRange } from '../../store/engine.js';
import { getEntries } from '../../store/index/keys.js';
import { jsonIn, nameIn, parseObject } from '../../store/object-record.js';
import { ObjectText, ReadyObject } from '../../store/ready-object.js';
import { entriesOfReferrers, type Incoming } from '../../store/index/referrers.js';
import type { Table } from '../../store/table.js';
import type { StoreTransaction } from '../../store/transaction.js';
import type { ServiceContext } from '../context.js';
import { CASCADE, isDeletionDeferred } from './defer-deletion.js';
import type { Named } from './work.js';
import { ReferenceEnforcer } from './enforcer.js';
import { TooManyReferrers, refusalOfMany } from './restrict.js';
import { ClearedRestrictions } from './cleared-restrictions.js';
import { getSubject } from '../write/validate-write.js';

/** Objects that a commit ends: others write in between. */
const COMMIT_OBJECTS = 100;
/** When so many cannot be ended, the rest is left for another time. */
const KEPT_MAX = 1_000;

/** What came of the work on one object. */
interface Outcome {
  readonly changed: boolean;
  /** What keeps it from going; undefined when it went. */
  readonly problem: string | undefined;
}

/**
 * Works off what went with deleted objects and was more than one commit should hold. All that is to be done stands in the
 * store, so any process may do it, go on with it after another one died, or do it at the same time.
 */
export class Cascades {
  #running: Promise<readonly string[]> | undefined;
  /** How often it was asked for, and how often it had been when the last look began. */
  #wakes = 0;
  #seen = 0;
  readonly #ending = new AbortController();
  /** Of the work under way. */
  #unkept = new ClearedRestrictions();

  constructor(private readonly context: () => ServiceContext) {}

  /** Has it done soon. What fails is left for whoever looks after the store. */
  wake(): void {
    this.#wakes++;
    void this.run().catch(() => undefined);
  }

  /** Does all there is to do now. @returns sentences about objects that cannot go yet */
  run(): Promise<readonly string[]> {
    return (this.#running ??= this.#workOffAll().finally(() => {
      this.#running = undefined;
      // It was asked for after the last look, while it ended.
      if (this.#wakes !== this.#seen && !this.#ending.signal.aborted) this.wake();
    }));
  }

  /** Ends it, between two commits; what is left is done by others, or later. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running?.catch(() => undefined);
  }

  /** What goes with an object may leave work of its own. */
  async #workOffAll(): Promise<readonly string[]> {
    for (;;) {
      this.#seen = this.#wakes;
      this.#unkept = new ClearedRestrictions();
      let isMoving = false;
      const problems: string[] = [];
      for (const table of this.context().store.allTables()) {
        for (const name of await this.#heldIn(table)) {
          if (this.#ending.signal.aborted) return problems;
          const { changed, problem } = await this.#workOff({ table, name });
          isMoving ||= changed;
          if (problem !== undefined) problems.push(problem);
        }
      }
      if (!isMoving && this.#wakes === this.#seen) return problems;
    }
  }

  /** Names of a model's objects that the platform holds. */
  async #heldIn(table: Table): Promise<readonly string[]> {
    const index = table.indexes.find(({ name }) => name === 'metadata.deletionTimestamp');
    if (index === undefined || this.#ending.signal.aborted) return [];
    const held: string[] = [];
    const view = this.context().store.read();
    try {
      for await (const ids of view.entryIds(getEntries(index.id)))
        for (const stored of await view.readMany(table, ids))
          if (stored !== undefined && isDeletionDeferred(stored.bytes)) held.push(nameIn(stored.record));
      return held;
    } finally {
      view.close();
    }
  }

  async #workOff(target: Named): Promise<Outcome> {
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

  /** Those that refer to an object, a few at a time, as of a moment that is not long ago. */
  async *#referrers({ name }: Named, incoming: Incoming): AsyncGenerator<readonly number[]> {
    for (let after: number | undefined = 0; after !== undefined;) {
      const ids: readonly number[] = await this.#page(entriesOfReferrers(incoming, name, after));
      for (let at = 0; at < ids.length; at += COMMIT_OBJECTS) yield ids.slice(at, at + COMMIT_OBJECTS);
      after = ids.at(-1);
    }
  }

  async #page(range: KeyRange): Promise<readonly number[]> {
    const view = this.context().store.read();
    try {
      for await (const ids of view.entryIds(range)) return ids;
      return [];
    } finally {
      view.close();
    }
  }

  /** One that cannot be ended keeps no other. */
  async #endSome(
    target: Named,
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
        const problem = isMany ? await refusalOfMany(this.context(), error, this.#unkept) : { error };
        if (problem === undefined) return this.#endSome(target, incoming, ids, problems);
        problems.push(getMessage(problem.error));
        return 0;
      }
    }
    let ended = 0;
    for (const id of ids) ended += await this.#endSome(target, incoming, [id], problems);
    return ended;
  }

  #end({ table, name }: Named, incoming: Incoming, ids: readonly number[]): Promise<number> {
    const { store, user } = this.context();
    return store.commit(
      (tx) => {
        const target = { table: tx.current(table), name };
        const found = tx.find(target.table, name);
        const present = presentOf(tx, target.table, incoming);
        if (found === undefined || present === undefined || !isDeletionDeferred(found.bytes)) return 0;
        const referring = between(tx.referrers(present, name, (ids[0] ?? 0) - 1), ids.at(-1) ?? 0);
        const keeper = new ReferenceEnforcer(tx, this.context(), {
          held: new Set(),
          unkept: this.#unkept,
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

  /** Nothing goes with it any more. @returns whether it was still held */
  #release({ table, name }: Named): Promise<boolean> {
    const { store, user } = this.context();
    return store.commit(
      (tx) => {
        const present = tx.current(table);
        const stored = tx.find(present, name);
        if (stored === undefined || !isDeletionDeferred(stored.bytes)) return false;
        const { metadata, ...rest } = parseObject(jsonIn(stored.record));
        const finalizers = (metadata.finalizers ?? []).filter((finalizer) => finalizer !== CASCADE);
        const object = { ...rest, metadata: { ...metadata, version: metadata.version + 1, finalizers } };
        if (finalizers.length === 0) tx.remove(present, new ObjectText(object), stored);
        else tx.mark(new ReadyObject(present, object, () => true), stored);
        return true;
      },
      { user },
    );
  }
}

/** The same reference as it is declared now. */
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

/** Whether an error is about objects, so that others may be ended all the same. */
function isAboutObjects(error: unknown): boolean {
  return error instanceof ServiceError && ['Conflict', 'Invalid', 'InternalError'].includes(error.code);
}
