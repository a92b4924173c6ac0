import { getMessage } from '../errors.js';
import type { Logger } from '../lib/log/logger.js';
import { Yielder } from '../lib/work/yield.js';
import type { ExtensionObject } from '../model/object.js';
import { modelKey } from '../model/resource.js';
import { parseObject } from '../store/object-record.js';
import type { CurrentView, Store } from '../store/store.js';
import type { Table } from '../store/table.js';
import { dependentIds } from './pages.js';

/** An object as it was read. */
export interface Stored {
  readonly table: Table;
  /** In the version that it is stored in: its metadata is the same in all. */
  readonly object: ExtensionObject;
}

type Visit = (stored: Stored, current: CurrentView) => void | Promise<void>;

/** Some objects of a model. */
export interface Page {
  /** Reads those that are still there, one after another, all of one moment. */
  read(visit: Visit): Promise<void>;
}

/** Reads objects for the collector, of each no more than one at a time. */
export class Objects {
  /** For one owner after another: most have no dependents. */
  readonly #breaks = new Yielder();

  constructor(
    private readonly store: Store,
    private readonly logger: Logger,
    private readonly signal: AbortSignal,
  ) {}

  /** Reads something as of now, as far as this process knows: whatever changes after that is told by the log. */
  async now<T>(read: (current: CurrentView) => Promise<T>): Promise<T> {
    const current = await this.store.readCurrent('local');
    try {
      return await read(current);
    } finally {
      current.view.close();
    }
  }

  page(model: string, ids: readonly number[]): Page {
    return { read: (visit) => this.now((current) => this.#readAll(model, ids, current, visit)) };
  }

  /** Undefined when there is none. */
  async find(model: string, name: string): Promise<Stored | undefined> {
    return this.now(async ({ tables, view }) => {
      const table = tables.get(model);
      const stored = table && (await view.find(table, name));
      return table && stored && { table, object: parseObject(stored.bytes) };
    });
  }

  /**
   * Objects that name an owner of this uid; those whose model cannot be written now among them.
   * @param among other models have none. Default: all are looked at
   */
  async *iterateDependents(uid: string, among?: ReadonlySet<string>): AsyncGenerator<Page> {
    for (const table of this.store.allTables()) {
      if (among?.has(modelKey(table.resource)) === false) continue;
      if (this.#breaks.isDue) await this.#breaks.take();
      for await (const ids of dependentIds(this.store, table, uid)) {
        if (this.signal.aborted) return;
        yield this.page(modelKey(table.resource), ids);
      }
    }
  }

  async #readAll(model: string, ids: readonly number[], current: CurrentView, visit: Visit): Promise<void> {
    const table = current.tables.get(model);
    if (table === undefined) return;
    const breaks = new Yielder();
    for (const id of ids) {
      if (breaks.isDue) await breaks.take();
      const object = await this.#read(table, id, current);
      if (object !== undefined) await visit({ table, object }, current);
    }
  }

  /** A damaged object is left to `xsvc check`: others must not wait for it. */
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
