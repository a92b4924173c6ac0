import { fullName, isNamespaced, splitFullName, type Scoped } from '../full-name.js';

/**
 * The full name of the object that a value names: between namespaced models, a name in the namespace of the referring
 * object; otherwise a full name.
 * @param referrer the full name of the referring object
 */
export function targetName(target: Scoped, referrer: string, value: string): string {
  const { namespace } = splitFullName(referrer);
  return namespace === undefined || !isNamespaced(target)
    ? value
    : fullName(target, { namespace, name: value });
}

/** The value by which objects of a model refer to an object. @param name the full name of the object */
export function referringValue(referrers: Scoped, name: string): string {
  return isNamespaced(referrers) ? splitFullName(name).name : name;
}
