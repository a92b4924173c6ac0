/** The parts of an object that the helpers read and change. */
export interface Finalizable {
  metadata: { finalizers?: string[]; deletionTimestamp?: string };
}

/** True when the object is declared deleted: it waits for the removal of its finalizers. */
export function isDeleted(object: Finalizable): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/**
 * Adds missing finalizers at the end, in the given object; the object is not stored. Does nothing to an object that is being
 * deleted: the service would refuse them, and the deletion cannot be delayed any more.
 * @returns true when the object changed, so that it must be stored
 */
export function addFinalizers(object: Finalizable, ...names: readonly string[]): boolean {
  if (isDeleted(object)) return false;
  const present = object.metadata.finalizers ?? [];
  const all = [...new Set([...present, ...names])];
  if (all.length === present.length) return false;
  object.metadata.finalizers = all;
  return true;
}

/**
 * Removes finalizers from the given object; the object is not stored. Storing an object that is being deleted and has no finalizers
 * removes it.
 * @returns true when the object changed, so that it must be stored
 */
export function removeFinalizers(object: Finalizable, ...names: readonly string[]): boolean {
  const present = object.metadata.finalizers ?? [];
  const left = present.filter((name) => !names.includes(name));
  if (left.length === present.length) return false;
  object.metadata.finalizers = left;
  return true;
}
