import { setTimeout as sleep } from 'node:timers/promises';
import { getMessage } from '../errors.js';
import type { Logger } from '../lib/log/logger.js';
import type { MaybePromise } from '../lib/work/maybe-promise.js';
import { Yielder } from '../lib/work/yield.js';
import type { ExtensionObject } from '../model/object.js';
import { modelKey } from '../model/resource.js';
import { parseObject } from '../store/object-record.js';
import type { CurrentView, Store } from '../store/store.js';
import type { Table } from '../store/table.js';
import { dependentIds, type Snapshots } from './pages.js';

/** An object as it was read. */
export interface Stored {
  readonly table: Table;
  /** In its stored version: the metadata is the same in all versions. */
  readonly object: ExtensionObject;
}

type Visit = (stored: Stored, current: CurrentView) => void | Promise<void>;

/** Some objects of a model. */
export interface OwnedPage {
  /** Reads those that still exist, one after another, from one snapshot. */
  read(visit: Visit): Promise<void>;
}

/** Pause in milliseconds while the newest commit is not readable. */
const PAUSE_MS = 10;

/** Reads objects for the collector, one at a time. */
export class Objects implements Snapshots {
  /** Breaks between owners: most have no dependents. */
  readonly #yielder = new Yielder();
  /** The revision of the last snapshot. */
  #newest = 0;

  constructor(
    private readonly store: Store,
    private readonly logger: Logger,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Reads from the present snapshot of this process: the log reports all later changes. It is not older than the last
   * one: while another process opens the store, readers may miss the newest commit.
   */
  async now<T>(read: (current: CurrentView) => MaybePromise<T>): Promise<T> {
    for (;;) {
      const current = await this.store.readCurrent('local');
      try {
        const revision = await current.view.revision();
        if (revision >= this.#newest || this.signal.aborted) {
          this.#newest = Math.max(this.#newest, revision);
          return await read(current);
        }
      } finally {
        current.view.close();
      }
      await sleep(PAUSE_MS);
    }
  }

  page(model: string, ids: readonly number[]): OwnedPage {
    return { read: (visit) => this.now((current) => this.#readAll(model, ids, current, visit)) };
  }

  /** Undefined when the object does not exist. @param name the full name */
  async find(model: string, name: string): Promise<Stored | undefined> {
    return this.now(async ({ tables, view }) => {
      const table = tables.get(model);
      const stored = table && (await view.find(table, name));
      return table && stored && { table, object: parseObject(stored.bytes) };
    });
  }

  /**
   * Objects that name an owner with this uid, also of models that cannot be written now.
   * @param among models to search; other models have no such objects. Default: all models
   */
  async *iterateDependents(uid: string, among?: ReadonlySet<string>): AsyncGenerator<OwnedPage> {
    for (const table of this.store.allTables()) {
      if (among?.has(modelKey(table.resource)) === false) continue;
      if (this.#yielder.isDue) await this.#yielder.take();
      for await (const ids of dependentIds(this, table, uid)) {
        if (this.signal.aborted) return;
        yield this.page(modelKey(table.resource), ids);
      }
    }
  }

  async #readAll(model: string, ids: readonly number[], current: CurrentView, visit: Visit): Promise<void> {
    const table = current.tables.get(model);
    if (table === undefined) return;
    const yielder = new Yielder();
    for (const id of ids) {
      if (yielder.isDue) await yielder.take();
      const object = await this.#read(table, id, current);
      if (object !== undefined) await visit({ table, object }, current);
    }
  }

  /** A damaged object is left to `xsvc check`, so that others need not wait for it. */
  async #read(table: Table, id: number, { view }: CurrentView): Promise<ExtensionObject | undefined> {
    try {
      const [stored] = await view.readMany(table, [id]);
      return stored && parseObject(stored.bytes);
    } catch (error) {
      this.logger.warn(`cannot read the owners of an object: ${getMessage(error)}`);
      return undefined;
    }
  }
}
