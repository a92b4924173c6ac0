/**
 * Arrays whose memory is not set to zero, so they contain arbitrary numbers. Large ones cost nothing to create: the
 * system assigns memory at the first write, while writing zeros to all of it takes milliseconds.
 */
export function uninitializedUint32s(length: number): Uint32Array {
  return new Uint32Array(uninitializedBytes(length * Uint32Array.BYTES_PER_ELEMENT));
}

/** As {@link uninitializedUint32s}. */
export function uninitializedFloat64s(length: number): Float64Array {
  return new Float64Array(uninitializedBytes(length * Float64Array.BYTES_PER_ELEMENT));
}

function uninitializedBytes(length: number): ArrayBuffer {
  // Not from the pool, so that its separate memory begins at an offset where numbers may begin.
  return Buffer.allocUnsafeSlow(length).buffer;
}
