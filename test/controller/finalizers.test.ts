import { describe, expect, it } from 'vitest';
import { addFinalizers, isDeleted, removeFinalizers } from '../../src/controller/finalizers.js';

function objectWith(finalizers?: string[], deletionTimestamp?: string) {
  return {
    metadata: { ...(finalizers && { finalizers }), ...(deletionTimestamp && { deletionTimestamp }) },
  };
}

const DELETED = '2026-11-20T08:00:00.123Z';

describe('finalizers', () => {
  it('are added at the end, each once; the result says if anything changed', () => {
    const object: { metadata: { finalizers?: string[] } } = objectWith();
    expect(addFinalizers(object, 'b', 'a', 'b')).toBe(true);
    expect(object.metadata.finalizers).toEqual(['b', 'a']);
    expect(addFinalizers(object, 'a')).toBe(false);
    expect(addFinalizers(object, 'c', 'a')).toBe(true);
    expect(object.metadata.finalizers).toEqual(['b', 'a', 'c']);
    expect(addFinalizers(object)).toBe(false);
  });

  it('are not added to an object that is being deleted', () => {
    const object = objectWith(['a'], DELETED);
    expect(addFinalizers(object, 'b')).toBe(false);
    expect(object).toEqual(objectWith(['a'], DELETED));
  });

  it('are removed in place, the others keep their order', () => {
    const object = objectWith(['c', 'a', 'b'], DELETED);
    expect(removeFinalizers(object, 'a', 'x')).toBe(true);
    expect(object.metadata.finalizers).toEqual(['c', 'b']);
    expect(removeFinalizers(object, 'a')).toBe(false);
    expect(removeFinalizers(object, 'b', 'c')).toBe(true);
    expect(object.metadata.finalizers).toEqual([]);
  });

  it('of an object without any are nothing to remove', () => {
    const object = objectWith();
    expect(removeFinalizers(object, 'a')).toBe(false);
    expect(object).toEqual(objectWith());
  });

  it('hold an object whose deletion time is set', () => {
    expect(isDeleted(objectWith(['a'], DELETED))).toBe(true);
    expect(isDeleted(objectWith(['a']))).toBe(false);
  });
});
