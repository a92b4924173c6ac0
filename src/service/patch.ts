import { badRequest } from '../errors.js';
import { isRecord } from '../lib/json.js';
import { applyJsonPatch } from '../lib/json-patch.js';
import { applyMergePatch } from '../lib/merge-patch.js';
import type { Table } from '../store/table.js';
import type { StoreTransaction } from '../store/transaction.js';
import { getForWrite, storeNext } from './update.js';
import type { PatchType, Subresource, WriteOptions, WriteResult } from './verbs.js';

/**
 * Changes an object by a patch; the result counts as the body of an update, so a version or resourceVersion
 * that the patch sets is a lock.
 * @throws ServiceError as an update; `Invalid` for a JSON Patch that cannot be applied
 */
export function patchIn(
  tx: StoreTransaction,
  table: Table,
  name: string,
  patch: unknown,
  type: PatchType,
  options: WriteOptions,
  subresource: Subresource,
): WriteResult {
  const found = getForWrite(tx, table, name, options);
  const result = type === 'json' ? applyJsonPatch(found.object, patch) : merged(found.object, patch);
  // What others put into the object is not what this patch states.
  return storeNext(tx, table, found, result, { ...options, keepsUndeclared: true }, subresource);
}

function merged(object: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) throw badRequest('a merge patch must be an object');
  return applyMergePatch(object, patch);
}
