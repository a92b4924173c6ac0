import { describe, expect, it } from 'vitest';
import { uninitializedFloat64s, uninitializedUint32s } from '../../src/lib/uninitialized-arrays.js';

describe.each([
  ['uninitializedUint32s', uninitializedUint32s],
  ['uninitializedFloat64s', uninitializedFloat64s],
])('%s', (_, make) => {
  it.each([0, 1, 3, 100_000])('has separate memory for %i numbers', (length) => {
    const array = make(length);
    expect(array).toHaveLength(length);
    expect(array.buffer.byteLength).toBe(array.byteLength);
    const other = make(length);
    array.fill(1);
    other.fill(2);
    expect(array.every((number) => number === 1)).toBe(true);
  });
});
