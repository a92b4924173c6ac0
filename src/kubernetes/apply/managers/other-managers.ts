import { difference, intersection } from '../paths/algebra.js';
import { reconcile } from '../values/reconcile.js';
import { changedFields, compare, type FieldComparison } from '../values/compare.js';
import type { TypedValue } from '../types/field-type.js';
import {
  ApplyConflict,
  type Managed,
  type Managers,
  type OwnedVersions,
  type WritingManager,
} from './managed.js';

/** The state of an object before a write and after it, in the version of the writer. */
export interface ComparedWrite {
  readonly before: TypedValue;
  readonly after: TypedValue;
  readonly writer: WritingManager;
}

/** The effect of a write on the managers of an object. */
export interface WriteEffect {
  readonly managers: Map<string, Managed>;
  /** The changes in the version of the writer, without ignored fields. */
  readonly comparison: FieldComparison;
}

/**
 * Takes the fields that a write changes or removes from all managers but the writer. Managers without fields, and those of versions
 * that are gone, are left out.
 * @throws ApplyConflict when `mayTake` is false, and a changed field has another owner
 */
export function takeFromOthers(
  write: ComparedWrite,
  managers: Managers,
  versions: OwnedVersions,
  mayTake: boolean,
): WriteEffect {
  const { key, version } = write.writer;
  const comparison = compareIn(write.before, write.after, version, versions);
  const comparisons = new Comparisons(write, versions, comparison);
  const kept = new Map<string, Managed>();
  const conflicts: { manager: string; path: readonly string[] }[] = [];
  for (const [manager, managed] of managers) {
    const change = manager === key ? undefined : comparisons.in(managed.version);
    if (manager === key) add(kept, manager, managed);
    if (change === undefined) continue;
    const taken = intersection(managed.fields, changedFields(change));
    if (!mayTake) for (const path of taken.paths()) conflicts.push({ manager, path });
    const fields = difference(difference(managed.fields, taken), change.removed);
    add(kept, manager, fields === managed.fields ? managed : { ...managed, fields });
  }
  if (conflicts.length > 0) throw new ApplyConflict(conflicts);
  return { managers: kept, comparison };
}

function add(managers: Map<string, Managed>, key: string, managed: Managed): void {
  if (!managed.fields.isEmpty) managers.set(key, managed);
}

/** The changes of a write in each version that a manager uses. */
class Comparisons {
  readonly #known = new Map<string, FieldComparison | undefined>();

  constructor(
    readonly write: ComparedWrite,
    readonly versions: OwnedVersions,
    own: FieldComparison,
  ) {
    this.#known.set(write.writer.version, own);
  }

  /** Undefined when the version is gone. */
  in(version: string): FieldComparison | undefined {
    if (!this.#known.has(version)) this.#known.set(version, this.#compare(version));
    return this.#known.get(version);
  }

  #compare(version: string): FieldComparison | undefined {
    const before = this.versions.convert(this.write.before, version);
    const after = before && this.versions.convert(this.write.after, version);
    return before && after && compareIn(before, after, version, this.versions);
  }
}

function compareIn(
  before: TypedValue,
  after: TypedValue,
  version: string,
  { ownable }: OwnedVersions,
): FieldComparison {
  const { removed, modified, added } = compare(before.value, after.value, after.type);
  return {
    removed: ownable(removed, version),
    modified: ownable(modified, version),
    added: ownable(added, version),
  };
}

/** The managers after changes of the schema since they were stored. Those of versions that are gone are left out. */
export function reconcileManagers(
  managers: Managers,
  live: TypedValue,
  { convert }: OwnedVersions,
): Map<string, Managed> {
  const types = new Map<string, TypedValue['type'] | undefined>();
  const out = new Map<string, Managed>();
  for (const [key, managed] of managers) {
    const { version, fields } = managed;
    if (!types.has(version)) types.set(version, convert(live, version)?.type);
    const type = types.get(version);
    if (type === undefined) continue;
    const next = reconcile(fields, type);
    out.set(key, next === fields ? managed : { ...managed, fields: next });
  }
  return out;
}
