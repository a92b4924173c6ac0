import { deepEqual } from '../../../lib/json/json.js';
import { difference, union } from '../paths/algebra.js';
import { NO_PATHS } from '../paths/path-set.js';
import { fieldsOf } from '../values/fields.js';
import { merge } from '../values/merge.js';
import type { TypedValue } from '../types/field-type.js';
import type { Managed, Managers, OwnedVersions, WritingManager } from './managed.js';
import { reconcileManagers, takeFromOthers, type ComparedWrite } from './other-managers.js';
import { prune } from './prune.js';

/** The managers after an update: the writer owns what it changed, and others no longer do. */
export function update(
  write: ComparedWrite,
  managers: Managers,
  versions: OwnedVersions,
): Map<string, Managed> {
  const { before, writer } = write;
  const known = reconcileManagers(managers, before, versions);
  const { managers: next, comparison } = takeFromOthers(write, known, versions, true);
  const own = difference(next.get(writer.key)?.fields ?? NO_PATHS, comparison.removed);
  const changed = union(union(own, comparison.modified), comparison.added);
  const fields = versions.ownable(changed, writer.version);
  if (fields.isEmpty) next.delete(writer.key);
  else next.set(writer.key, { fields, version: writer.version, isApplied: false });
  return next;
}

/** The fields that a manager states, and the object that they are for. */
export interface AppliedConfiguration {
  readonly live: TypedValue;
  /** In the version of the writer. */
  readonly applied: TypedValue;
  readonly writer: WritingManager;
  /** True to take fields from other managers. */
  readonly isForced: boolean;
}

export interface AppliedResult {
  /** Undefined when the object stays as it is. */
  readonly object: TypedValue | undefined;
  readonly managers: Map<string, Managed>;
}

/**
 * The object with what a manager applies. Fields that the manager applied before, and no longer does, are removed unless others own them.
 * @throws ApplyConflict when it is not forced, and changes fields of others
 */
export function apply(
  { live, applied, writer, isForced }: AppliedConfiguration,
  managers: Managers,
  versions: OwnedVersions,
): AppliedResult {
  const { key, version } = writer;
  const known = reconcileManagers(managers, live, versions);
  const before = known.get(key);
  const fields = versions.ownable(fieldsOf(applied), version);
  known.set(key, { fields, version, isApplied: true });
  const merged = { value: merge(live.value, applied.value, live.type) ?? null, type: live.type };
  const after = prune(merged, { managers: known, before, key }, versions);
  if (deepEqual(live.value, after.value)) return { object: undefined, managers: withFields(known) };
  const { managers: next } = takeFromOthers({ before: live, after, writer }, known, versions, isForced);
  return { object: after, managers: next };
}

function withFields(managers: Managers): Map<string, Managed> {
  return new Map([...managers].filter(([, { fields }]) => !fields.isEmpty));
}
