import { isNamespaced, splitFullName } from '../../model/full-name.js';
import type { ModelReference } from '../../model/references/reference.js';
import { referringValue } from '../../model/references/target-name.js';
import { modelKey } from '../../model/resource.js';
import type { KeyRange, Transaction } from '../engine.js';
import { idsOfEntries } from './entries.js';
import { afterKey, entriesWith, entryKey, objectKey } from './keys.js';
import { nameIn, parseObject } from '../object-record.js';
import type { Table, TableIndex } from '../table.js';

/** A field of a model that refers to objects of a model, possibly of the same one. */
export interface Incoming {
  /** The model of the referring objects. */
  readonly table: Table;
  readonly reference: ModelReference;
  /** The index of the names in the field. */
  readonly index: TableIndex;
}

const NONE: readonly Incoming[] = [];

/** The references between models, loaded or not. */
export class ReferenceMap {
  readonly #incoming = new Map<string, Incoming[]>();
  /** References by table: each write asks, mostly for a model without incoming references. */
  readonly #byTable = new Map<Table, readonly Incoming[]>();

  constructor(tables: readonly Table[]) {
    for (const table of tables) {
      for (const reference of table.references) {
        const index = table.indexes.find(({ name }) => name === reference.field);
        if (index === undefined) continue;
        const key = modelKey(reference);
        this.#incoming.set(key, [...(this.#incoming.get(key) ?? []), { table, reference, index }]);
      }
    }
    for (const table of tables) this.#byTable.set(table, this.#find(table));
  }

  get isEmpty(): boolean {
    return this.#incoming.size === 0;
  }

  /** The references to objects of a model, by the referring models. */
  to(table: Table): readonly Incoming[] {
    return this.#byTable.get(table) ?? this.#find(table);
  }

  #find({ resource }: Table): readonly Incoming[] {
    return this.#incoming.get(modelKey(resource)) ?? NONE;
  }
}

/** The entries of the objects that may refer to a name. @param after only larger ids */
export function entriesOfReferrers({ index, table }: Incoming, name: string, after?: number): KeyRange {
  const value = Buffer.from(referringValue(table.resource, name));
  const all = entriesWith(index.id, index.keyType, value);
  if (after === undefined) return all;
  return afterKey(
    all,
    entryKey(index.id, index.keyType, value, { id: after, isSmallest: true, isLargest: true }),
  );
}

/** The namespace in which a name has its referrers; undefined when they are in none, or in any. */
export function namespaceOfReferrers({ table }: Incoming, name: string): string | undefined {
  return isNamespaced(table.resource) ? splitFullName(name).namespace : undefined;
}

export function isInNamespace(record: Buffer | undefined, namespace: string): boolean {
  return record !== undefined && splitFullName(nameIn(record)).namespace === namespace;
}

/**
 * Ids of the objects that refer to an object, ascending, as of now within a commit.
 * @param name the full name of the object
 * @param after only larger ids
 */
export function* referrersIn(
  tx: Transaction,
  incoming: Incoming,
  name: string,
  after?: number,
): Generator<number> {
  const namespace = namespaceOfReferrers(incoming, name);
  for (const id of idsOfEntries(tx, entriesOfReferrers(incoming, name, after)))
    if (namespace === undefined || isInNamespace(tx.get(objectKey(incoming.table.modelId, id)), namespace))
      yield id;
}

const DELETION = '"deletionTimestamp"';

/** True when an object is marked as deleted, according to its JSON. Most objects need no parsing for that. */
export function isMarked(json: Buffer): boolean {
  return json.includes(DELETION) && parseObject(json).metadata.deletionTimestamp !== undefined;
}
