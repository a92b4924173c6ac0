import type { OwnerReference } from '../../model/object.js';
import type { BatchItem, ResourceRef } from '../../service/verbs.js';
import { isEarly, isNamespaceModel } from '../input/definitions.js';

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

/** Warnings about what does not come again with an object of a model. */
export function notRestored(model: Pick<ResourceRef, 'group' | 'kind'>): readonly string[] {
  if (!isEarly(model)) return [];
  const others = isNamespaceModel(model) ? 'in the namespace' : 'of the kind';
  return [`the objects ${others} were deleted with it and do not come again; apply or import them`];
}
