import { FAMILY } from '../../store/index/keys.js';
import { type BinaryHandle, type OrderedKeys, PlainKeys, type Root } from './ordered-keys.js';
import { MANY_VALUES, SharedKeys } from './shared-keys.js';

/**
 * Families of keys that have a database of their own, by its name. Objects and log entries are added at the end of
 * theirs, so its pages are full; among other keys each of them would be cut in half.
 */
const OWN: ReadonlyMap<number, string> = new Map([
  [FAMILY.OBJECT, 'objects'],
  [FAMILY.ENTRY, 'entries'],
  [FAMILY.LOG, 'log'],
]);

/**
 * Of an entry's key, only so much is stored for each: all but the last 14 bits of the id are shared. So the ids of a
 * value lie in blocks of 16,384 in a row. Few of a block are not worth pages of their own, as all ids of a value would
 * be: a write would then copy two pages for each value, and not one for many.
 */
const ENTRY_OWN_BYTES = 2;

/** The databases of an environment. Together they are one space of keys; the first byte of a key tells its database. */
export class Databases {
  private readonly own: OrderedKeys[] = [];
  private readonly others: OrderedKeys;

  constructor(readonly root: Root) {
    // What holds keys already and has no databases was made by another version: nothing is added to it.
    const create = !holdsKeys(root);
    for (const [family, name] of OWN) {
      const isShared = family === FAMILY.ENTRY;
      const options = { name, keyEncoding: 'binary', encoding: 'binary', create } as const;
      // When there is none it gives undefined, though not by its type.
      const handle = root.openDB<Buffer, Uint8Array>({ ...options, ...(isShared && MANY_VALUES) }) as
        BinaryHandle | undefined;
      if (handle === undefined) continue;
      this.own[family] = isShared
        ? new SharedKeys(root, handle, name, ENTRY_OWN_BYTES)
        : new PlainKeys(root, handle, name);
    }
    // All are opened here, for that ends the transactions of readers.
    this.others = new PlainKeys(root, root, undefined);
  }

  /** The keys that a key is one of. */
  of(key: Uint8Array): OrderedKeys {
    return this.own[key[0] ?? 0] ?? this.others;
  }
}

function holdsKeys(root: Root): boolean {
  for (const key of root.getKeys({ end: Buffer.from([FIRST_OF_NAMES]), limit: 1 })) return key.length > 0;
  return false;
}

/** Names of databases stand among the keys of the root; families come before them. */
const FIRST_OF_NAMES = 0x20;
