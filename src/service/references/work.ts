import type { ServiceError } from '../../errors.js';
import type { StoredObject } from '../../store/object-record.js';
import type { Incoming } from '../../store/index/referrers.js';
import type { Table } from '../../store/table.js';
import type { ObjectState } from '../../store/transaction.js';
import type { MayList } from '../verbs.js';

/** An object, by its place and name. */
export interface Named {
  readonly table: Table;
  readonly name: string;
}

/** An object that a commit removes or marks. */
export interface DeletedTarget extends Named {
  /** Whether this commit began to delete it. */
  readonly isNew: boolean;
  /** Whether there is room in the commit for what goes with it. */
  readonly hasRoom: boolean;
  /** The item of the request that it goes by. */
  readonly position: number;
  /** What the item deletes. */
  readonly root: Named;
}

/** A field whose values keep a deleted object from going. */
export interface Restriction {
  readonly end: DeletedTarget;
  readonly incoming: Incoming;
  /** Whether what goes with the object is left for later commits. */
  readonly isHeld: boolean;
}

/** An object with references that a request wrote. */
export interface WrittenObject extends Named {
  /** As it was before the commit; undefined for a new one. */
  readonly old: StoredObject | undefined;
  /** As the commit leaves it; undefined when it is gone. */
  readonly next: ObjectState | undefined;
  /** The item of the request. */
  readonly position: number;
}

/** Says in an error which item of the request it is about. */
export type Located = (position: number, error: ServiceError) => unknown;

/** The text of a refusal for the sender of the commit. */
export interface Telling {
  readonly located: Located;
  /** Objects of other models are not named. */
  readonly mayList: MayList;
}
