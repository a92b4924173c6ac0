import type { ExtensionObject, ObjectDraft } from '../../../model/object.js';
import type { ModelView } from '../../read/view.js';
import type { WrittenPart } from '../../verbs.js';

/** A `metadata.managedFields`; undefined for none. */
export type ManagedFields = readonly unknown[] | undefined;

/** The sender of a write, and the part of the object that it writes. */
export interface ManagedSender {
  /** In the version of the write. */
  readonly model: ModelView;
  readonly part: WrittenPart;
  readonly manager: string;
  readonly now: Date;
}

/** A write of any kind but an apply. */
export interface ManagedWrite extends ManagedSender {
  /** In the version of the write; undefined for a create. */
  readonly before: ExtensionObject | undefined;
  readonly after: ObjectDraft;
  /** The `managedFields` of the body; undefined when it has none. */
  readonly stated: unknown;
}

/** The fields that a manager states. */
export interface AppliedFields extends ManagedSender {
  /** In the version of the write; undefined when it does not exist. */
  readonly live: ExtensionObject | undefined;
  readonly applied: ObjectDraft;
  readonly isForced: boolean;
}

export interface AppliedObject {
  /** As the body of an update or a create. */
  readonly object: ObjectDraft;
  readonly managedFields: ManagedFields;
}

/** Keeps who owns which fields of an object, in its `metadata.managedFields`. */
export interface FieldManagers {
  /** The managers after a write. Never throws: what cannot be understood keeps the managers before the write. */
  afterWrite(write: ManagedWrite): ManagedFields;
  /**
   * The object with what a manager applies, without what it applied before and nobody else owns.
   * @throws ServiceError `BadRequest`, `Conflict`
   */
  apply(fields: AppliedFields): AppliedObject;
}

/** The manager of writes in this process that name none. */
export const OWN_MANAGER = 'xsvc';
