/** A copy with twice the room. */
export function grownFloat64s(array: Float64Array): Float64Array<ArrayBuffer> {
  const grown = new Float64Array(array.length * 2);
  grown.set(array);
  return grown;
}

/** As {@link grownFloat64s}. */
export function grownUint32s(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const grown = new Uint32Array(array.length * 2);
  grown.set(array);
  return grown;
}
