import type { StoreTransaction } from '../../store/transaction.js';
import { getObjectKey } from './defer-deletion.js';
import type { Restriction } from './work.js';

/** Most checks outside of commits before the deletion is refused because of concurrent writes. */
const NOTES_MAX = 10;

/**
 * Restrictions that were checked outside of commits, because a commit should not read that many objects. Each one is
 * a field by which no object restricts a deletion, except objects that are deleted too. The result is valid until the
 * referring model changes.
 */
export class ClearedRestrictions {
  /** Revision of the referring model at the check. */
  readonly #revisions = new Map<string, number>();
  #notes = 0;

  /** @returns false after too many checks, while other writes continue */
  note(restriction: Pick<Restriction, 'end' | 'incoming'>, revision: number): boolean {
    this.#revisions.set(getKey(restriction), revision);
    return ++this.#notes <= NOTES_MAX;
  }

  /**
   * True when the result is still valid before this commit: the commit's own changes are checked by their targets.
   */
  holds(tx: StoreTransaction, restriction: Restriction): boolean {
    const revision = this.#revisions.get(getKey(restriction));
    return revision !== undefined && revision === tx.revisionBefore(restriction.incoming.table);
  }
}

function getKey({ end, incoming }: Pick<Restriction, 'end' | 'incoming'>): string {
  return `${incoming.index.id}/${getObjectKey(end.table, end.name)}`;
}
