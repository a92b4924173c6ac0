import { ServiceError, type Cause } from '../errors.js';
import { rewordedCause } from '../model/violation.js';
import type { StoreTransaction } from '../store/transaction.js';
import type { ServiceContext } from './context.js';
import { insertPrepared, prepareCreate, type Prepared } from './create.js';
import { deleteIn } from './delete.js';
import { patchIn } from './patch.js';
import { updateIn } from './update.js';
import type { BatchItem, WriteOptions, WriteResult } from './verbs.js';

/** One item, with what can be done before the commit already done. */
export interface PreparedItem {
  readonly item: BatchItem;
  readonly create?: Prepared;
}

/** @throws ServiceError of the first item at fault; its causes name the item */
export function prepareItem(
  context: ServiceContext,
  item: BatchItem,
  position: number,
  options: WriteOptions,
): PreparedItem {
  if (item.verb !== 'create') return { item };
  return atItem(position, () => {
    const table = context.models.table(item.resource);
    return { item, create: prepareCreate(context, table, item.object, options) };
  });
}

/** @throws ServiceError of the first item at fault; its causes name the item */
export function writeItem(
  tx: StoreTransaction,
  context: ServiceContext,
  prepared: PreparedItem,
  position: number,
  options: WriteOptions,
): WriteResult {
  const { item } = prepared;
  return atItem(position, () => {
    if (prepared.create !== undefined) return insertPrepared(tx, prepared.create);
    const table = context.models.table(item.resource);
    switch (item.verb) {
      case 'create':
        return insertPrepared(tx, prepareCreate(context, table, item.object, options));
      case 'update':
        return updateIn(tx, table, item.name, item.object, options, undefined);
      case 'patch':
        return patchIn(tx, table, item.name, item.patch, item.type, options, undefined);
      case 'delete':
        return deleteIn(tx, context, table, item.name, options);
    }
  });
}

function atItem<T>(position: number, body: () => T): T {
  try {
    return body();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const own: readonly Cause[] = error.details.causes ?? [
      { field: 'metadata.name', reason: 'FieldValueInvalid', message: error.message },
    ];
    const causes = own.map((cause) => rewordedCause(cause, { field: `items[${position}].${cause.field}` }));
    throw new ServiceError(error.code, `items[${position}]: ${error.message}`, { ...error.details, causes });
  }
}
