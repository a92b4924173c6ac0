import type { StoreTransaction } from '../../store/transaction.js';
import { getObjectKey } from './defer-deletion.js';
import type { Restriction } from './work.js';

/** How often is looked outside of a commit before those that write meanwhile have their way. */
const NOTES_MAX = 10;

/**
 * What was looked at outside of commits, since it was more than a commit should look at: fields by which nobody keeps a
 * deleted object, but for those that go along. It is so until the model that refers changes.
 */
export class ClearedRestrictions {
  /** Of the model that refers, when it was looked at. */
  readonly #revisions = new Map<string, number>();
  #notes = 0;

  /** @returns false when it was looked at too often, while others write */
  note(restriction: Pick<Restriction, 'end' | 'incoming'>, revision: number): boolean {
    this.#revisions.set(getKey(restriction), revision);
    return ++this.#notes <= NOTES_MAX;
  }

  /** Whether it is so still, before this commit: what the commit itself makes is judged by its own targets. */
  holds(tx: StoreTransaction, restriction: Restriction): boolean {
    const revision = this.#revisions.get(getKey(restriction));
    return revision !== undefined && revision === tx.revisionBefore(restriction.incoming.table);
  }
}

function getKey({ end, incoming }: Pick<Restriction, 'end' | 'incoming'>): string {
  return `${incoming.index.id}/${getObjectKey(end.table, end.name)}`;
}
