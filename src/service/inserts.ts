import type { Metadata, ObjectDraft } from '../model/object.js';
import type { Table } from '../store/table.js';
import type { StoreTransaction } from '../store/transaction.js';
import type { ResourceRef } from './verbs.js';

/**
 * Checks a new object of a namespaced model in its commit.
 * @throws ServiceError when it must not be created
 */
export type InsertCheck = (tx: StoreTransaction, table: Table, metadata: Metadata) => void;

/** An object that is created in the commit of another one, unless it exists. */
export interface Companion {
  readonly resource: ResourceRef;
  readonly object: ObjectDraft;
}

/** The effects of creates in their commits. */
export interface InsertEffects {
  readonly checks: readonly InsertCheck[];
  /** By the key of the model. */
  readonly companions: ReadonlyMap<string, (metadata: Metadata) => Companion>;
}
