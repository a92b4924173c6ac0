import { difference, intersection, union, unionOfAll } from '../paths/algebra.js';
import type { PathSet } from '../paths/path-set.js';
import { fieldsOf, withDeclared } from '../values/fields.js';
import { removeFields } from '../values/remove.js';
import type { TypedValue } from '../types/field-type.js';
import type { Managed, Managers, OwnedVersions } from './managed.js';

/** The managers of an object, with the new fields of the one that applies. */
export interface Pruning {
  readonly managers: Managers;
  /** The fields of the manager that applies, from its last apply. */
  readonly before: Managed | undefined;
  /** The key of the manager that applies. */
  readonly key: string;
}

/**
 * Removes from a merged object what its manager applied the last time, and what nobody owns now.
 * @returns the object in the version of the manager
 */
export function prune(
  merged: TypedValue,
  { managers, before, key }: Pruning,
  versions: OwnedVersions,
): TypedValue {
  const now = managers.get(key);
  if (before === undefined || now === undefined || before.fields.isEmpty) return merged;
  if (difference(before.fields, now.fields).isEmpty && before.version === now.version) return merged;
  const old = versions.convert(merged, before.version);
  if (old === undefined) return merged;
  const removed = withoutPaths(old, withDeclared(before.fields, old.type));
  const owned = keepOwned({ merged: old, removed, version: before.version }, managers, versions);
  const pruned = keepForeign(old, owned, before, versions);
  return versions.convert(pruned, now.version) ?? pruned;
}

function withoutPaths({ value, type }: TypedValue, set: PathSet): TypedValue {
  return { value: removeFields(value, set, type), type };
}

function statedFields(object: TypedValue): PathSet {
  return withDeclared(fieldsOf(object), object.type);
}

/** A merged object, and what is left of it, in one version. */
interface Removal {
  readonly merged: TypedValue;
  readonly removed: TypedValue;
  readonly version: string;
}

/** Puts back what any manager owns. */
function keepOwned(
  { merged, removed, version }: Removal,
  managers: Managers,
  versions: OwnedVersions,
): TypedValue {
  const byVersion = new Map<string, PathSet[]>();
  for (const { version: own, fields } of managers.values()) {
    const known = byVersion.get(own);
    if (known === undefined) byVersion.set(own, [fields]);
    else known.push(fields);
  }
  let [whole, kept] = [merged, removed];
  // The version of the removal comes first: a conversion may need the fields that it puts back.
  const order = [...byVersion.keys()].sort((a, b) => Number(b === version) - Number(a === version));
  for (const each of order) {
    const owned = unionOfAll(byVersion.get(each) ?? []);
    const [nextWhole, nextKept] = [versions.convert(whole, each), versions.convert(kept, each)];
    if (nextWhole === undefined || nextKept === undefined) continue;
    whole = nextWhole;
    const stays = union(statedFields(nextKept), withDeclared(owned, whole.type));
    kept = withoutPaths(whole, difference(statedFields(whole), stays));
  }
  return kept;
}

/** Puts back what the manager did not own before. */
function keepForeign(
  merged: TypedValue,
  pruned: TypedValue,
  { fields, version }: Managed,
  versions: OwnedVersions,
): TypedValue {
  const old = versions.convert(pruned, version);
  if (old === undefined) return merged;
  const gone = difference(statedFields(merged), statedFields(old));
  return withoutPaths(merged, intersection(gone, withDeclared(fields, merged.type)));
}
