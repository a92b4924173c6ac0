import type { KeyValue } from '../../store/engine.js';
import type { StoreKeys } from './keys.js';
import { splitValue, PART_BYTES, putParts } from './long-values.js';
import { put, remove } from './requests.js';

/** Operations of one transaction: etcd accepts 128. */
const OPERATIONS_MAX = 100;
/** Concurrent transactions: the keys of a checkpoint do not depend on each other. */
const AT_ONCE = 4;

/** A key of the checkpoint; an undefined value removes it. */
export type Write = Pick<KeyValue, 'key'> & { readonly value: Buffer | undefined };

/**
 * Splits writes of the checkpoint into operations of transactions that etcd accepts, in order.
 * @param isLong true when a key may have had a value in parts
 */
export function* splitIntoBatches(
  keys: StoreKeys,
  writes: Iterable<Write>,
  isLong: (parts: Buffer) => boolean,
): Generator<object[]> {
  let batch: object[] = [];
  let bytes = 0;
  for (const { key, value } of writes) {
    const parts = keys.longValue(key);
    const kept = value && splitValue(value);
    for (const part of putParts(parts, kept?.parts ?? [])) yield [part];
    const size = key.length + (kept?.value.length ?? 0);
    if (batch.length + 2 > OPERATIONS_MAX || bytes + size > PART_BYTES) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    const stored = keys.value(key);
    batch.push(kept === undefined ? remove({ start: stored }) : put(stored, kept.value));
    if ((kept?.parts.length ?? 0) === 0 && isLong(parts.start)) batch.push(remove(parts));
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/**
 * Writes batches, several at once, until one is refused or fails. None is in progress when it ends.
 * @param write resolves with true when the batch was written
 * @returns true when all were written
 */
export async function writeBatches(
  batches: Generator<object[]> | AsyncGenerator<object[]>,
  write: (batch: object[]) => Promise<boolean>,
): Promise<boolean> {
  const work = async (): Promise<boolean> => {
    for await (const batch of batches) if (!(await write(batch))) return false;
    return true;
  };
  const results = await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
  return results.every((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
