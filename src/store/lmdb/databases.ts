import type { Database as Handle, RangeOptions, RootDatabase, Transaction as ReadTransaction } from 'lmdb';
import type { KeyPlace, VisitPair } from '../engine.js';
import { FAMILY } from '../keys.js';

export interface Database extends Handle<Buffer, Uint8Array> {
  // The options are there, but not among its types.
  getBinaryFast(key: Uint8Array, options?: { readonly transaction: ReadTransaction }): Buffer | undefined;
}

/** The environment, which is its unnamed database as well. */
export type Root = Database & RootDatabase<Buffer, Uint8Array>;

/**
 * Families of keys that have a database of their own, by its name. Objects and log entries are added at the end of
 * theirs, so its pages are full; among other keys each of them would be cut in half.
 */
const OWN: ReadonlyMap<number, string> = new Map([
  [FAMILY.OBJECT, 'objects'],
  [FAMILY.ENTRY, 'entries'],
  [FAMILY.LOG, 'log'],
]);

/** The databases of an environment. Together they are one space of keys; the first byte of a key tells its database. */
export class Databases {
  private readonly own: Database[] = [];
  private readonly ownReaders: PlaceReader[] = [];
  private readonly rootReader: PlaceReader;

  constructor(readonly root: Root) {
    // What holds keys already and has no databases was made by another version: nothing is added to it.
    const create = !holdsKeys(root);
    for (const [family, name] of OWN) {
      const options = { name, keyEncoding: 'binary', encoding: 'binary', create } as const;
      // When there is none it gives undefined, though not by its type.
      const database = root.openDB<Buffer, Uint8Array>(options) as Database | undefined;
      if (database === undefined) continue;
      this.own[family] = database;
      this.ownReaders[family] = new PlaceReader(root, name);
    }
    // All are opened here, for that ends the transactions of readers.
    this.rootReader = new PlaceReader(root, undefined);
  }

  /** The database of a key. */
  of(key: Uint8Array): Database {
    return this.own[key[0] ?? 0] ?? this.root;
  }

  /** What all of them take, without free pages, in bytes. */
  get bytesInUse(): number {
    return [this.root, ...Object.values(this.own)].reduce((sum, database) => sum + bytesOf(database), 0);
  }

  /** Reads the database of a key in place. */
  readerOf(key: Uint8Array): PlaceReader {
    return this.ownReaders[key[0] ?? 0] ?? this.rootReader;
  }
}

function holdsKeys(root: Root): boolean {
  for (const key of root.getKeys({ end: Buffer.from([FIRST_OF_NAMES]), limit: 1 })) return key.length > 0;
  return false;
}

/** Names of databases stand among the keys of the root; families come before them. */
const FIRST_OF_NAMES = 0x20;

function bytesOf(database: Database): number {
  const { pageSize, treeBranchPageCount, treeLeafPageCount, overflowPages } = database.getStats() as Record<
    string,
    unknown
  >;
  const pages = [treeBranchPageCount, treeLeafPageCount, overflowPages].map(Number);
  const bytes = pages.reduce((sum, count) => sum + count, 0) * Number(pageSize);
  return Number.isFinite(bytes) ? bytes : 0;
}

/** A second handle of a database, which takes keys and values from where they lie instead of copying them. */
export class PlaceReader {
  private readonly handle: Handle<Uint8Array, Uint8Array>;
  /** The key read last, where the next one will be. */
  private readonly key: { bytes: Uint8Array; start: number; end: number } = {
    bytes: new Uint8Array(),
    start: 0,
    end: 0,
  };

  /** @param name undefined for the root */
  constructor(root: Root, name: string | undefined) {
    const options = {
      // Null is the name of the root database, though it is not among the types.
      name: name ?? (null as unknown as string),
      create: false,
      keyEncoder: {
        writeKey(key: Uint8Array, target: Uint8Array, start: number): number {
          target.set(key, start);
          return start + key.length;
        },
        readKey: (bytes: Uint8Array, start: number, end: number): void => {
          this.key.bytes = bytes;
          this.key.start = start;
          this.key.end = end;
        },
      },
      encoder: { encode: (value: Uint8Array) => value, decode: (value: Uint8Array) => value },
    };
    this.handle = root.openDB<Uint8Array, Uint8Array>(options);
  }

  /** Calls back with pairs until it returns false. @returns where the key of the last pair lies; undefined when the range is done */
  scan(range: RangeOptions, transaction: ReadTransaction, visit: VisitPair): KeyPlace | undefined {
    const { key } = this;
    for (const { value } of this.handle.getRange({ ...range, transaction })) {
      if (!visit(value, key)) return key;
    }
    return undefined;
  }
}
