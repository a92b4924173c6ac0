import { getHeapStatistics } from 'node:v8';
import { modelKey } from '../../model/resource.js';
import type { Manifest } from '../input/manifests.js';
import { rankOf } from '../input/definitions.js';
import { objectKey } from './owners.js';

export interface LotLimits {
  readonly items: number;
  readonly bytes: number;
}

/** A server accepts 1 MiB in one request by default. */
export const SERVER_LOT: LotLimits = { items: 500, bytes: 700 * 1024 };
/** Many entries of one commit share pages; but other processes wait for it, and it has several copies in memory. */
export const STORE_LOT: LotLimits = {
  items: 5_000,
  bytes: Math.min(8 * 1024 * 1024, Math.floor(getHeapStatistics().heap_size_limit / 64)),
};
/**
 * Splits manifests into lots without duplicates of an object. Namespaces and definitions are in separate lots, because later
 * manifests may need them.
 */
export async function* splitIntoLots(
  manifests: AsyncIterable<Manifest>,
  limits: LotLimits,
): AsyncGenerator<readonly Manifest[]> {
  let lot = new Map<string, Manifest>();
  let bytes = 0;
  let before: number | undefined;
  for await (const manifest of manifests) {
    const key = getKey(manifest);
    const size = Buffer.byteLength(JSON.stringify(manifest.value));
    const rank = rankOf(manifest.resource);
    // The later manifest of the same object is written after the first, as in the files.
    if (
      rank !== before ||
      lot.size >= limits.items ||
      (lot.size > 0 && bytes + size > limits.bytes) ||
      lot.has(key)
    ) {
      if (lot.size > 0) yield [...lot.values()];
      before = rank;
      lot = new Map();
      bytes = 0;
    }
    lot.set(key, manifest);
    bytes += size;
  }
  if (lot.size > 0) yield [...lot.values()];
}

export function getKey({ resource, name }: Manifest): string {
  return objectKey(modelKey(resource), name);
}
