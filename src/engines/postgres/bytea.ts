const BYTEA_OID = 17;
const HEADER_BYTES = 20;

/**
 * Byte strings as one parameter of type `bytea[]`, in PostgreSQL's binary form of arrays (`array_recv`): a header,
 * then each string with its length. The driver would send them as text, which is two to three times as long.
 */
export function byteaArray(items: readonly Uint8Array[]): Buffer {
  const size = items.reduce((sum, item) => sum + 4 + item.length, HEADER_BYTES);
  const out = Buffer.allocUnsafe(size);
  // Dimensions, presence of nulls, type, length, and the index of the first item.
  [items.length === 0 ? 0 : 1, 0, BYTEA_OID, items.length, 1].forEach((value, i) =>
    out.writeInt32BE(value, i * 4),
  );
  if (items.length === 0) return out.subarray(0, 12);
  let at = HEADER_BYTES;
  for (const item of items) {
    at = out.writeInt32BE(item.length, at);
    out.set(item, at);
    at += item.length;
  }
  return out;
}

/** Parts of a list, in order. Each has at least one item, and further ones up to a number of bytes. */
export function* iterateParts<T>(
  items: readonly T[],
  getBytes: (item: T) => number,
  bytesMax: number,
): Generator<readonly T[]> {
  let [start, bytes] = [0, 0];
  for (const [i, item] of items.entries()) {
    const more = getBytes(item);
    if (i > start && bytes + more > bytesMax) {
      yield items.slice(start, i);
      [start, bytes] = [i, 0];
    }
    bytes += more;
  }
  if (start < items.length) yield items.slice(start);
}
