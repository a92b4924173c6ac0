import type { MaybePromise } from '../lib/work/maybe-promise.js';
import { readU48 } from '../lib/bytes.js';
import { CATALOG_HEAD_KEY, catalogVersionIn } from './catalog.js';
import type { KeyRange, Snapshot } from './engine.js';
import {
  countKey,
  getObjects,
  idInEntry,
  idInKey,
  nameKey,
  FULL_NAME_BYTES_MAX,
  objectKey,
} from './index/keys.js';
import { visitChunks, visitRecords } from './index/scan.js';
import { decodeLogHead, LOG_HEAD_KEY, type LogHead } from './log/log.js';
import {
  damaged,
  decodeRecord,
  isSound,
  jsonInPlace,
  nameForPeople,
  nameIn,
  type StoredObject,
} from './object-record.js';
import type { Table } from './table.js';
import { decodeCount, type ModelCount } from './transaction.js';

/** Entries that are read at a time. */
const PAGE = 1_000;

/** One moment of the store, see {@link Snapshot}. */
export class ReadView {
  #closed = false;

  constructor(readonly snapshot: Snapshot) {}

  /** Undefined when the object does not exist. @throws ServiceError `InternalError` when it is damaged */
  async find(table: Table, name: string): Promise<StoredObject | undefined> {
    if (Buffer.byteLength(name) > FULL_NAME_BYTES_MAX) return undefined;
    const found = await this.snapshot.get(nameKey(table.modelId, name));
    if (found === undefined) return undefined;
    const id = readU48(found);
    const record = await this.snapshot.get(objectKey(table.modelId, id));
    if (record === undefined) throw damaged(table, name);
    return decodeRecord(table, id, record);
  }

  /** Ids of objects by their names, in the order of the names; undefined for a name without an object. */
  async findIds(table: Table, names: readonly string[]): Promise<(number | undefined)[]> {
    const keys = names.map((name) => nameKey(table.modelId, name.slice(0, FULL_NAME_BYTES_MAX + 1)));
    const found = await this.snapshot.getMany(keys);
    return found.map((id) => id && readU48(id));
  }

  /**
   * The objects in the order of the ids; undefined for one that is gone.
   * @throws ServiceError `InternalError` when one is damaged
   */
  async readMany(table: Table, ids: readonly number[]): Promise<(StoredObject | undefined)[]> {
    const records = await this.snapshot.getMany(ids.map((id) => objectKey(table.modelId, id)));
    return records.map((record, i) => record && decodeRecord(table, ids[i] ?? 0, record));
  }

  /**
   * Calls back with the JSON of each object, in the order of the ids; skips those that are gone. The JSON is not
   * copied, and valid until the callback returns, which must not read the store.
   * @throws ServiceError `InternalError` when one is damaged
   */
  visitMany(table: Table, ids: readonly number[], visit: (json: Buffer) => void): MaybePromise<void> {
    const keys = ids.map((id) => objectKey(table.modelId, id));
    let at = 0;
    return this.snapshot.visitMany(keys, (record) => {
      const id = ids[at++] ?? 0;
      if (record === undefined) return;
      if (!isSound(record)) throw damaged(table, nameForPeople(id, record));
      visit(jsonInPlace(table, record));
    });
  }

  /** Names of objects by their ids, in the same order; skips ids of objects that are gone. */
  async readNames(table: Table, ids: readonly number[]): Promise<string[]> {
    const names: string[] = [];
    await visitRecords(this.snapshot, table, ids, (_id, record) => {
      if (record !== undefined) names.push(nameIn(record));
    });
    return names;
  }

  /**
   * Ids of the objects with entries in a range, in the order of the entries; a page at a time.
   * @param range of entries, see `keys.ts`
   */
  async *entryIds(range: KeyRange): AsyncGenerator<readonly number[]> {
    let ids: number[] = [];
    const chunks = visitChunks(this.snapshot, range, { limit: PAGE }, (_value, { bytes, end }) => {
      ids.push(idInEntry(bytes, end));
      return true;
    });
    for await (const _ of chunks) {
      if (ids.length > 0) yield ids;
      ids = [];
    }
  }

  /** The smallest and the largest id of a table's objects; 0 without objects. */
  async idSpan({ modelId }: Table): Promise<{ readonly first: number; readonly last: number }> {
    const range = getObjects(modelId);
    const [first] = await this.snapshot.scan(range, { limit: 1 });
    const [last] = await this.snapshot.scan(range, { limit: 1, reverse: true });
    return { first: first ? idInKey(first.key) : 0, last: last ? idInKey(last.key) : 0 };
  }

  /** Revision of the last change of the store; 0 when nothing was ever stored. */
  async revision(): Promise<number> {
    return (await this.logHead()).revision;
  }

  /** The version of the catalogue, which other processes may increase. */
  async catalogVersion(): Promise<number> {
    return catalogVersionIn(await this.snapshot.get(CATALOG_HEAD_KEY));
  }

  /** See {@link Store.stamp}. */
  async stamp(): Promise<string> {
    return getStamp(await this.snapshot.get(CATALOG_HEAD_KEY), await this.snapshot.get(LOG_HEAD_KEY));
  }

  async logHead(): Promise<LogHead> {
    return decodeLogHead(await this.snapshot.get(LOG_HEAD_KEY));
  }

  async count(table: Table): Promise<ModelCount> {
    return decodeCount(await this.snapshot.get(countKey(table.modelId)));
  }

  /** May be called more than once. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.snapshot.close();
  }
}

/** Combines the stamp of a moment; see `Store.stamp`. */
export function getStamp(catalog: Buffer | undefined, log: Buffer | undefined): string {
  return `${catalog?.toString('latin1') ?? ''}/${log?.toString('latin1') ?? ''}`;
}
