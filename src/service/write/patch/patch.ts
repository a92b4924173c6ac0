import { badRequest, ServiceError } from '../../../errors.js';
import { isRecord } from '../../../lib/json/json.js';
import { applyJsonPatch } from '../../../lib/json/json-patch.js';
import { applyingMergePatch } from '../../../lib/json/merge-patch.js';
import type { Resumable } from '../../../lib/work/yield.js';
import type { StrategicMerge } from '../../../model/declare/scheme.js';
import { refuseOldStamp } from '../pending-migrations.js';
import { checkPatchedUid } from '../conflicts.js';
import { picked, type ScopeFields } from '../../scope/scoped-model.js';
import type { PreparedChange } from '../change.js';
import type { CurrentObject } from '../current-object.js';
import { prepareUpdate, type UpdateTarget } from '../update.js';
import { isScalable, scaleOf, withScale } from '../../../model/scale.js';
import type { ServiceContext } from '../../context.js';
import { objectNotFound } from '../../object-errors.js';
import type { AcceptedPatchType } from '../../verbs.js';

/** A patch and its type. */
export interface Patch {
  readonly patch: unknown;
  readonly type: Exclude<AcceptedPatchType, 'apply'>;
  /** Most values and characters of the result, together; its JSON has at least as many bytes. */
  readonly weightMax: number;
}

/**
 * Prepares a patch. The result is treated as the body of an update, so a version or resourceVersion in
 * the patch is a lock.
 * @throws ServiceError as an update; `Invalid` for a JSON Patch that cannot be applied, `RequestEntityTooLarge`
 */
export function* preparePatch(
  context: Pick<ServiceContext, 'now' | 'fieldManagers'>,
  target: UpdateTarget,
  patch: Patch,
): Resumable<PreparedChange> {
  const { current } = target;
  return yield* prepareUpdate(context, target, yield* readPatched(current, patch, 'all'));
}

/**
 * The result of a patch.
 * @param seen the fields that it applies to: it cannot test, copy or move others
 * @throws ServiceError as {@link preparePatch}
 */
export function* readPatched(
  { model, shown }: CurrentObject,
  patch: Patch,
  seen: ScopeFields,
): Resumable<unknown> {
  const patched = yield* applyPatch(picked(shown, seen), patch, model.scheme?.strategicMerge);
  yield;
  if (isRecord(patched)) {
    refuseOldStamp(model, patched);
    checkPatchedUid(model.resource, shown, patched);
  }
  return patched;
}

/**
 * Prepares an update of an object by its `Scale`, or by a patch of it.
 * @throws ServiceError as an update
 */
export function* prepareScale(
  context: Pick<ServiceContext, 'now' | 'fieldManagers'>,
  target: UpdateTarget,
  stated: Patch | { readonly object: unknown },
): Resumable<PreparedChange> {
  const { model, shown } = target.current;
  const { resource } = model;
  if (!isScalable(resource)) throw objectNotFound(resource, `${shown.metadata.name}/scale`);
  const scale = 'patch' in stated ? yield* applyPatch(scaleOf(resource, shown), stated) : stated.object;
  return yield* prepareUpdate(context, { ...target, part: 'scale' }, withScale(resource, shown, scale));
}

/**
 * @param strategicMerge of the model
 * @throws ServiceError `BadRequest`; `Invalid` for a JSON Patch that cannot be applied, `RequestEntityTooLarge`,
 * `UnsupportedMediaType` for a strategic merge patch of a model that takes none
 */
function* applyPatch(
  seen: object,
  { patch, type, weightMax }: Patch,
  strategicMerge?: StrategicMerge,
): Resumable<unknown> {
  if (type === 'strategic') return strategically(strategicMerge)({ ...seen }, patch);
  return type === 'json'
    ? applyJsonPatch(seen, patch, { weightMax })
    : yield* applyingMergePatch(seen, checked(patch));
}

function strategically(merge: StrategicMerge | undefined): StrategicMerge {
  if (merge !== undefined) return merge;
  throw new ServiceError('UnsupportedMediaType', 'the model takes no strategic merge patches');
}

function checked(patch: unknown): object {
  if (!isRecord(patch)) throw badRequest('a merge patch must be an object');
  return patch;
}
