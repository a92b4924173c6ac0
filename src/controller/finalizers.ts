/** What of an object the helpers look at and change. */
export interface Finalizable {
  metadata: { finalizers?: string[]; deletionTimestamp?: string };
}

/** Whether the object is declared deleted: it waits for its finalizers to be taken away. */
export function isDeleted(object: Finalizable): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/**
 * Adds finalizers that are not there yet, at the end, in the object at hand; it is not stored. Does nothing to an
 * object that is being deleted: the service would refuse them, and it is too late to hold it.
 * @returns whether anything changed, so that the object must be stored
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
 * Takes finalizers away, in the object at hand; it is not stored. Storing an object that is being deleted without
 * any finalizer left removes it.
 * @returns whether anything changed, so that the object must be stored
 */
export function removeFinalizers(object: Finalizable, ...names: readonly string[]): boolean {
  const present = object.metadata.finalizers ?? [];
  const left = present.filter((name) => !names.includes(name));
  if (left.length === present.length) return false;
  object.metadata.finalizers = left;
  return true;
}
