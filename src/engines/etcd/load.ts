import { randomUUID } from 'node:crypto';
import { conflict } from '../../errors.js';
import type { KeyValue } from '../../store/engine.js';
import { formatEtcdAddress } from './address.js';
import { splitIntoBatches, writeBatches } from './batches.js';
import type { EtcdContext } from './context.js';
import { formatHead, headKey, StoreKeys, storesRange } from './keys.js';
import { findStore, firstRecord } from './prepare.js';
import { holds, put, range, readBy, remove, findText } from './requests.js';

/**
 * Creates a store from pairs next to the existing one, and updates the head when it is complete.
 * @throws ServiceError `Conflict` when the existing store is not empty and must not be replaced
 */
export async function loadStore(
  context: EtcdContext,
  pairs: AsyncIterable<readonly KeyValue[]>,
  replaced: boolean,
): Promise<void> {
  const { address, client } = context;
  const before = await findStore(context);
  if (before.seq !== 0 && !replaced)
    throw conflict(`${formatEtcdAddress(address)} already contains a store; --force replaces it`);
  const made = { store: randomUUID(), seq: 1, id: randomUUID() };
  const keys = new StoreKeys(address.prefix, made.store);
  try {
    await writeBatches(batchesOfParts(keys, pairs), async (batch) => {
      await context.txn({ success: batch });
      return true;
    });
    const head = headKey(address.prefix);
    const txn = {
      compare: [holds(head, formatHead(before))],
      success: [put(head, formatHead(made)), ...firstRecord(keys, made)],
      failure: [range({ start: head })],
    };
    const answer = await context.txn(txn);
    if (answer.succeeded !== true && findText(readBy(answer, 0)) !== formatHead(made))
      throw conflict(
        `${formatEtcdAddress(address)} was written during the copy; stop all daemons and copy again`,
      );
  } catch (error) {
    await client.txn({ success: [remove(keys.all)] }).catch(() => undefined);
    throw error;
  }
  await removeOthers(context, keys);
}

async function* batchesOfParts(
  keys: StoreKeys,
  parts: AsyncIterable<readonly KeyValue[]>,
): AsyncGenerator<object[]> {
  for await (const part of parts) yield* splitIntoBatches(keys, part, () => false);
}

/** Removes the previous store, and remains of interrupted copies. */
async function removeOthers(context: EtcdContext, keys: StoreKeys): Promise<void> {
  const all = storesRange(context.address.prefix);
  const { start, end } = keys.all;
  if (end === undefined) return;
  await context.txn({
    success: [
      remove({ start: all.start, end: start }),
      remove({ start: end, ...(all.end && { end: all.end }) }),
    ],
  });
}
