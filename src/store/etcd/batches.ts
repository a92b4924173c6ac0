import type { KeyValue } from '../engine.js';
import type { StoreKeys } from './keys.js';
import { keep, PART_BYTES, putParts } from './long-values.js';
import { put, remove } from './requests.js';

/** Operations of one transaction: etcd takes 128. */
const OPERATIONS_MAX = 100;

/** A key of the checkpoint; an undefined value removes it. */
export type Write = Pick<KeyValue, 'key'> & { readonly value: Buffer | undefined };

/**
 * Writes of the checkpoint as operations of transactions that etcd takes, in order.
 * @param isLong whether a key may have had a value in parts
 */
export function* batchesOf(
  keys: StoreKeys,
  writes: Iterable<Write>,
  isLong: (parts: Buffer) => boolean,
): Generator<object[]> {
  let batch: object[] = [];
  let bytes = 0;
  for (const { key, value } of writes) {
    const parts = keys.longValue(key);
    const kept = value && keep(value);
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
