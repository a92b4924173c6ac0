import { conflict, excerpt } from '../errors.js';
import type { Table } from '../store/table.js';
import type { StoreTransaction } from '../store/transaction.js';
import type { ServiceContext } from './context.js';
import { detailsOf, subjectOf } from './draft.js';
import { getForWrite, isReclaimable, type Found } from './update.js';
import type { DeleteOptions, WriteResult } from './verbs.js';

/**
 * Declares an object deleted. Without finalizers it is gone at once; else it stays, marked, until the update
 * that removes the last one. Deleting it again changes nothing, unless it is forced.
 * @throws ServiceError `NotFound`, `PreconditionFailed`, `Conflict`
 */
export function deleteIn(
  tx: StoreTransaction,
  context: ServiceContext,
  table: Table,
  name: string,
  options: DeleteOptions,
): WriteResult {
  const found = getForWrite(tx, table, name, options);
  checkPreconditions(table, found, options);
  const { metadata } = found.object;
  const force = options.forceFinalizers === true;
  if (metadata.deletionTimestamp !== undefined && !force) {
    return { object: found.object, changed: false, warnings: [] };
  }
  const object = {
    ...found.object,
    metadata: {
      ...metadata,
      version: metadata.version + 1,
      resourceVersion: String(tx.nextRevision),
      deletionTimestamp: metadata.deletionTimestamp ?? context.now().toISOString(),
    },
  };
  if (force || isReclaimable(object)) tx.remove(table, found.stored, object);
  else tx.replace(table, found.stored, object);
  return { object, changed: true, warnings: [] };
}

function checkPreconditions(table: Table, { object }: Found, { preconditions }: DeleteOptions): void {
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
