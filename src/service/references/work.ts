import type { ServiceError } from '../../errors.js';
import type { StoredObject } from '../../store/object-record.js';
import type { Incoming } from '../../store/index/referrers.js';
import type { Table } from '../../store/table.js';
import type { ObjectState } from '../../store/transaction.js';
import type { MayList } from '../verbs.js';

/** An object, by its table and name. */
export interface NamedTarget {
  readonly table: Table;
  /** The full name. */
  readonly name: string;
}

/** An object that a commit removes or marks. */
export interface DeletedTarget extends NamedTarget {
  /** True when this commit began to delete it. */
  readonly isNew: boolean;
  /** True when the commit has room for its cascade. */
  readonly hasRoom: boolean;
  /** The item of the request that causes the deletion. */
  readonly position: number;
  /** The object that the item deletes. */
  readonly root: NamedTarget;
}

/** A field whose values prevent the deletion of an object. */
export interface Restriction {
  readonly end: DeletedTarget;
  readonly incoming: Incoming;
  /** True when the object's cascade is left for later commits. */
  readonly isDeferred: boolean;
}

/** An object with references that a request wrote. */
export interface WrittenObject extends NamedTarget {
  /** Its state before the commit; undefined for a new object. */
  readonly old: StoredObject | undefined;
  /** Its state after the commit; undefined when it was removed. */
  readonly next: ObjectState | undefined;
  /** The item of the request. */
  readonly position: number;
}

/** Adds the item of the request to an error. */
export type Located = (position: number, error: ServiceError) => unknown;

/** The form of a refusal for the sender of the commit. */
export interface RefusalForm {
  readonly located: Located;
  /** Objects of models that may not be listed are not named. */
  readonly mayList: MayList;
}
