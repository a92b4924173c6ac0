import type { Resumable } from '../../lib/work/yield.js';
import { isScalable, scaleOf, withScale } from '../../model/scale.js';
import type { ServiceContext } from '../context.js';
import { objectNotFound } from '../object-errors.js';
import type { PreparedChange } from './change.js';
import { applyPatch, type Patch } from './patch.js';
import { prepareUpdate, type UpdateTarget } from './update.js';

/**
 * Prepares an update of an object by its `Scale`, or by a patch of it.
 * @throws ServiceError as an update
 */
export function* prepareScale(
  context: Pick<ServiceContext, 'now'>,
  target: UpdateTarget,
  stated: Patch | { readonly object: unknown },
): Resumable<PreparedChange> {
  const { model, shown } = target.current;
  const { resource } = model;
  if (!isScalable(resource)) throw objectNotFound(resource, `${shown.metadata.name}/scale`);
  const scale = 'patch' in stated ? yield* applyPatch(scaleOf(resource, shown), stated) : stated.object;
  return yield* prepareUpdate(context, target, withScale(resource, shown, scale));
}
