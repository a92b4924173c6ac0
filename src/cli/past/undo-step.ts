import type { OwnerReference } from '../../model/object.js';
import type { BatchItem } from '../../service/verbs.js';

/** One write of an undo. */
export interface UndoStep {
  readonly verb: 'create' | 'update' | 'delete';
  readonly subject: string;
  /** Undefined for an object of a cluster-scoped model. */
  readonly namespace: string | undefined;
  readonly item: BatchItem;
  /** Owners without which an object comes again. */
  readonly owners: readonly OwnerReference[];
}

/** The object of a step outside of a table. */
export function placedSubject({ subject, namespace }: UndoStep): string {
  return namespace === undefined ? subject : `${subject} in the namespace ${namespace}`;
}
