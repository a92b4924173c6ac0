import { conflict, excerpt } from '../errors.js';
import { ObjectText, ReadyObject } from '../store/ready-object.js';
import type { Table } from '../store/table.js';
import type { ServiceContext } from './context.js';
import { keep, type Decision, type Present } from './decision.js';
import { detailsOf, subjectOf } from './validate-write.js';
import { isReclaimable, type UpdateTarget } from './update.js';
import type { DeleteOptions } from './verbs.js';

/**
 * Declares an object deleted. Without finalizers it is gone at once; else it stays, marked, until the update
 * that removes the last one. Deleting it again changes nothing, unless it is forced.
 * @throws ServiceError `Conflict`
 */
export function decideDelete(
  context: ServiceContext,
  { table }: UpdateTarget,
  { object: old }: Present,
  options: DeleteOptions,
): Decision {
  checkPreconditions(table, old, options);
  const { metadata } = old;
  const force = options.forceFinalizers === true;
  const isDone = metadata.deletionTimestamp !== undefined && !force;
  if (isDone) return keep(table, old);
  const object = {
    ...old,
    metadata: {
      ...metadata,
      version: metadata.version + 1,
      deletionTimestamp: metadata.deletionTimestamp ?? context.now().toISOString(),
    },
  };
  const isGone = force || isReclaimable(object);
  if (isGone) return { kind: 'remove', table, object: new ObjectText(object), warnings: [] };
  // Nothing that is wrong with an object keeps it from being deleted.
  return { kind: 'mark', table, object: new ReadyObject(table, object, () => true), warnings: [] };
}

function checkPreconditions(table: Table, object: Present['object'], { preconditions }: DeleteOptions): void {
  for (const field of ['uid', 'resourceVersion'] as const) {
    const wanted = preconditions?.[field];
    if (wanted === undefined || wanted === object.metadata[field]) continue;
    const { name } = object.metadata;
    throw conflict(
      `${subjectOf(table.resource, name)} has ${field} ${object.metadata[field]}, the precondition says ${excerpt(wanted)}`,
      detailsOf(table.resource, name),
    );
  }
}
