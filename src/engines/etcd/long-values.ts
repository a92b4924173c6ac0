import type { EtcdClient } from './client.js';
import { getKeyAt } from './keys.js';
import { put, type Range, getValue } from './requests.js';

/** Size of a part, below the request limit of etcd, which is 1.5 MiB. */
export const PART_BYTES = 1024 * 1024;
/** Parts that are read at once. */
const PARTS_READ = 8;

/** The first byte of a stored value: its form. */
const WHOLE = 0;
const IN_PARTS = 1;

/** The stored form of a value: the value itself, or the number of its parts, which are stored first. */
export interface StoredValue {
  readonly value: Buffer;
  readonly parts: readonly Buffer[];
}

export function splitValue(bytes: Buffer): StoredValue {
  if (bytes.length <= PART_BYTES) return { value: Buffer.concat([Buffer.from([WHOLE]), bytes]), parts: [] };
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += PART_BYTES) parts.push(bytes.subarray(at, at + PART_BYTES));
  return { value: Buffer.from(`${String.fromCharCode(IN_PARTS)}${parts.length}`), parts };
}

/** One transaction for each part. */
export function putParts(range: Range, parts: readonly Buffer[]): object[] {
  return parts.map((part, n) => put(getKeyAt(range, n), part));
}

/**
 * The value itself, read from its parts where it has some; undefined when one of them is gone.
 * @param getRange the keys of the parts; only called for a value with parts
 */
export async function joinValue(
  client: EtcdClient,
  stored: Buffer,
  getRange: () => Range,
): Promise<Buffer | undefined> {
  if (stored[0] !== IN_PARTS) return stored.subarray(1);
  const range = getRange();
  const count = Number(stored.subarray(1).toString());
  const parts: Buffer[] = [];
  for (let n = 0; n < count; n += PARTS_READ) {
    const end = getKeyAt(range, Math.min(count, n + PARTS_READ));
    const { kvs = [] } = await client.range({ start: getKeyAt(range, n), end });
    for (const pair of kvs) parts.push(getValue(pair));
  }
  return parts.length === count ? Buffer.concat(parts) : undefined;
}
