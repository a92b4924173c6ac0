import { cloneJson, deepEqual, isRecord } from '../../lib/json/json.js';
import { applyJsonPatch } from '../../lib/json/json-patch.js';
import { applyingMergePatch } from '../../lib/json/merge-patch.js';
import { runSync } from '../../lib/work/yield.js';
import { fullName } from '../../model/full-name.js';
import { nextVersion, type ExtensionObject, type ObjectDraft } from '../../model/object.js';
import { ObjectText, ReadyObject } from '../../store/ready-object.js';
import { getStoredVersion } from '../../store/stored-version.js';
import type { PreparedChange } from './change.js';
import { answeredIfPossible } from './delete.js';
import type { Patch } from './patch/patch.js';
import { checkLock } from './conflicts.js';
import { isReclaimable, systemMetadata, type UpdateTarget } from './update.js';
import { checkIdentity, statedMetadata, validateObject } from './validate-write.js';
import type { ServiceContext } from '../context.js';

/** The content of a write: a whole object in the version of the write, or a patch. */
export type Stated = { readonly object: unknown } | Patch;

/**
 * Prepares a write of metadata alone, of an object that is being deleted and cannot be converted: its finalizers must
 * be removable. Only its metadata changes, which is the same in all versions.
 * @returns undefined for any other write or object
 * @throws ServiceError as an update
 */
export function prepareMetadataOnly(
  context: Pick<ServiceContext, 'now'>,
  { current, options }: Pick<UpdateTarget, 'current' | 'options'>,
  stated: Stated,
): PreparedChange | undefined {
  const { model, raw } = current;
  const scheme = model.scheme?.versions.byName.get(getStoredVersion(raw));
  if (raw.metadata.deletionTimestamp === undefined || scheme === undefined) return undefined;
  const body = 'patch' in stated ? patched(raw, stated) : stated.object;
  if (!isRecord(body) || !isMetadataOnly(raw, body)) return undefined;
  checkIdentity(scheme.resource, body, fullName(scheme.resource, raw.metadata));
  checkLock(scheme.resource, raw, body);
  const kept = statedMetadata(model.resource, cloneJson<ObjectDraft>(body));
  const metadata = Object.assign(kept, systemMetadata(model.resource, raw.metadata));
  const next: ExtensionObject = { ...raw, metadata };
  const judging = { scheme, resource: scheme.resource, problem: () => model.problem() };
  // Validates a copy: defaults apply only to writes of the other parts.
  const warnings = validateObject(judging, cloneJson(next), options, raw);
  if (deepEqual(raw, next)) return { kind: 'keep', object: raw, ...answeredIfPossible(model, raw), warnings };
  nextVersion(metadata, { at: context.now() });
  const answered = answeredIfPossible(model, next);
  const reported = { ...answered, warnings: [...warnings, ...answered.warnings] };
  if (isReclaimable(model.table, next)) return { kind: 'remove', ...reported, object: new ObjectText(next) };
  return { kind: 'mark', ...reported, object: new ReadyObject(model.table, next, () => true) };
}

function patched(raw: ExtensionObject, { patch, type, weightMax }: Patch): unknown {
  if (type === 'json') return applyJsonPatch(raw, patch, { weightMax });
  return type === 'merge' && isRecord(patch) ? runSync(applyingMergePatch(raw, patch)) : undefined;
}

/** A status that is not stated stays. */
function isMetadataOnly(raw: ExtensionObject, body: Record<string, unknown>): boolean {
  const { apiVersion = raw.apiVersion, kind = raw.kind, metadata: _m, status = raw.status, ...rest } = body;
  const { apiVersion: version, kind: model, metadata: _n, status: before, ...parts } = raw;
  return version === apiVersion && model === kind && deepEqual(before, status) && deepEqual(parts, rest);
}
