/**
 * Arrays whose numbers are not set to zero, but whatever was in memory. Large ones cost nothing to make: the system
 * gives memory where it is first written, while it takes milliseconds to write zeros to all of it.
 */
export function uninitializedUint32s(length: number): Uint32Array {
  return new Uint32Array(uninitializedBytes(length * Uint32Array.BYTES_PER_ELEMENT));
}

/** As {@link uninitializedUint32s}. */
export function uninitializedFloat64s(length: number): Float64Array {
  return new Float64Array(uninitializedBytes(length * Float64Array.BYTES_PER_ELEMENT));
}

function uninitializedBytes(length: number): ArrayBuffer {
  // Not of the pool, so that it has all of its memory to itself, which therefore begins where numbers may begin.
  return Buffer.allocUnsafeSlow(length).buffer;
}
