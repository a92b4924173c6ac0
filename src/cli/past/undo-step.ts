import type { OwnerReference } from '../../model/object.js';
import { modelKey } from '../../model/resource.js';
import type { BatchItem, ResourceRef } from '../../service/verbs.js';

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

/** Objects that are deleted together with one of a model, by {@link modelKey}. */
const DELETED_WITH = new Map([
  ['apiextensions.k8s.io/CustomResourceDefinition', 'of the kind'],
  ['/Namespace', 'in the namespace'],
]);

/** Warnings about what does not come again with an object of a model. */
export function notRestored(model: Pick<ResourceRef, 'group' | 'kind'>): readonly string[] {
  const others = DELETED_WITH.get(modelKey(model));
  if (others === undefined) return [];
  return [`the objects ${others} were deleted with it and do not come again; apply or import them`];
}
