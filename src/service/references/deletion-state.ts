import type { ServiceContext } from '../context.js';
import type { MayList, WriteOptions } from '../verbs.js';
import { ClearedRestrictions } from './cleared-restrictions.js';
import { CascadeTooLarge, getObjectKey } from './defer-deletion.js';
import { refuseIfRestricted } from './restrict-check.js';
import { refusalOfMany, TooManyReferrers } from './restrict.js';

const ALL: MayList = () => true;

/** The knowledge about the deletions of a write, from its earlier attempts. */
export class DeletionState {
  /** Objects whose cascades run in later commits; see {@link getObjectKey}. */
  readonly deferred = new Set<string>();
  readonly cleared = new ClearedRestrictions();
  /** Objects of models that may not be listed are not named. */
  readonly mayList: MayList;

  /** @param isAlone true when no other request of the commit may change the referrers */
  constructor(
    private readonly context: ServiceContext,
    { mayList = ALL }: WriteOptions,
    private readonly isAlone: boolean,
  ) {
    this.mayList = mayList;
  }

  /**
   * Does outside the transaction what a failed attempt was too short for. Then the write can be tried again.
   * @throws ServiceError when another object restricts a deletion; any other error itself
   */
  async resolve(error: unknown): Promise<void> {
    const { context, cleared, mayList } = this;
    if (error instanceof TooManyReferrers) {
      const refusal = await refusalOfMany(context, error, cleared);
      if (refusal !== undefined) throw refusal.error;
    } else if (error instanceof CascadeTooLarge) {
      for (const end of error.ends) {
        if (this.isAlone) await refuseIfRestricted(context, end, { cleared, mayList });
        this.deferred.add(getObjectKey(end.table, end.name));
      }
    } else throw error;
  }
}
