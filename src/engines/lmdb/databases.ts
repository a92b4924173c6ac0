import { getLastTxnId } from 'lmdb';
import { FAMILY, metaKey } from '../../store/index/keys.js';
import { type BinaryHandle, type OrderedKeys, PlainKeys, type Root } from './ordered-keys.js';
import { MANY_VALUES, SharedKeys } from './shared-keys.js';

/**
 * Families of keys with a separate database, by its name. Objects are appended to theirs, so its pages are full. Among
 * other keys, each page would be split in half.
 */
const OWN: ReadonlyMap<number, string> = new Map([
  [FAMILY.OBJECT, 'objects'],
  [FAMILY.ENTRY, 'entries'],
]);

/** The database of the log in directories of earlier versions. In others the log is in the root. */
const EARLIER: ReadonlyMap<number, string> = new Map([[FAMILY.LOG, 'log']]);

/**
 * Bytes of an entry's key that are stored for each entry: the flags and the last 14 bits of the id. The rest is
 * shared. So the ids of a value are in blocks of 16,384 consecutive ids. The few ids of one block need no separate
 * pages. All ids of a value would: a write would then copy two pages for each value, instead of one for many.
 */
const ENTRY_OWN_BYTES = 2;

/** The key of the root that each commit with a log entry writes. */
const LOG_HEAD = metaKey('head');

/**
 * The databases of an environment. Together they are one space of keys; the first byte of a key selects its database.
 */
export class Databases {
  readonly #own: OrderedKeys[] = [];
  readonly #others: OrderedKeys;

  constructor(readonly root: Root) {
    // An environment with keys but without databases belongs to another version: nothing is added to it.
    const create = !holdsKeys(root);
    for (const [family, name] of [...OWN, ...EARLIER]) {
      const isShared = family === FAMILY.ENTRY;
      const options = {
        name,
        keyEncoding: 'binary',
        encoding: 'binary',
        create: create && OWN.has(family),
      } as const;
      // Returns undefined for a missing database, contrary to its type.
      const handle = root.openDB<Buffer, Uint8Array>({ ...options, ...(isShared && MANY_VALUES) }) as
        BinaryHandle | undefined;
      if (handle === undefined) continue;
      this.#own[family] = isShared
        ? new SharedKeys(root, handle, name, ENTRY_OWN_BYTES)
        : new PlainKeys(root, handle, name);
    }
    // All are opened here, because opening ends the transactions of readers.
    this.#others = new PlainKeys(root, root, undefined);
  }

  /**
   * Number of the last commit that wrote the page with the head of the log, as each with a log entry does, or its
   * lowest 32 bits; 0 before the first change.
   */
  lastChange(): number {
    return this.root.getBinaryFast(LOG_HEAD) === undefined ? 0 : getLastTxnId();
  }

  /** The database of a key. */
  of(key: Uint8Array): OrderedKeys {
    return this.#own[key[0] ?? 0] ?? this.#others;
  }
}

function holdsKeys(root: Root): boolean {
  for (const key of root.getKeys({ end: Buffer.from([FIRST_OF_NAMES]), limit: 1 })) return key.length > 0;
  return false;
}

/** Names of databases are among the keys of the root; families come before them. */
const FIRST_OF_NAMES = 0x20;
