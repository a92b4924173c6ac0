import { badRequest, conflict, invalid, ServiceError } from '../../../errors.js';
import { isRecord } from '../../../lib/json/json.js';
import type { Resumable } from '../../../lib/work/yield.js';
import { namePartsOf } from '../../../model/full-name.js';
import type { ObjectDraft } from '../../../model/object.js';
import { getApiVersion, type Resource } from '../../../model/resource.js';
import { isScalable, withScale, type ScalableResource } from '../../../model/scale.js';
import type { ServiceContext } from '../../context.js';
import { getDetails, getSubject, objectNotFound } from '../../object-errors.js';
import type { ModelView } from '../../read/view.js';
import type { WriteOptions, WrittenPart } from '../../verbs.js';
import { keep, type PreparedChange } from '../change.js';
import { prepareCreate } from '../create.js';
import type { Apply } from './apply-request.js';
import type { AppliedObject } from './field-managers.js';
import { isUnstated } from '../conflicts.js';
import { prepareUpdate } from '../update.js';
import { checkIdentity } from '../validate-write.js';

/**
 * Prepares an apply: an update, or a create when the object does not exist.
 * @throws ServiceError `BadRequest`, `Conflict`, `Invalid`, and those of an update
 */
export function* prepareApply(context: ServiceContext, apply: Apply): Resumable<PreparedChange> {
  const { model, current, part, options } = apply;
  const known = context.effectlessApplies;
  const key = known.keyOf(apply);
  if (current !== undefined && key !== undefined && known.has(key, apply)) return keep(current);
  // A scale is written as an update of the object.
  const subresource = part === 'scale' ? undefined : part;
  const { object, managedFields } = applied(context, apply);
  yield;
  if (current === undefined)
    return yield* prepareCreate(context, model, object, { ...options, managedFields: managedFields ?? [] });
  const target = { current, options, subresource, part, managedFields: managedFields ?? [] };
  const change = yield* prepareUpdate(context, target, object);
  if (change.kind === 'keep' && change.warnings.length === 0 && key !== undefined) known.note(key, apply);
  return change;
}

function applied(
  context: ServiceContext,
  { model, current, name, applied: draft, part, options }: Apply,
): AppliedObject {
  const { resource } = model;
  const { fieldManagers } = context;
  if (fieldManagers === undefined)
    throw new ServiceError('UnsupportedMediaType', 'server-side apply is not possible here');
  const manager = managerOf(model, name, options);
  const body = part === 'scale' && isScalable(resource) ? ofScale(resource, name, draft) : draft;
  checkType(resource, body);
  checkIdentity(resource, body, name);
  if (current === undefined) {
    checkCreatable(model, name, body, part);
    options.authorizeCreate?.();
  }
  const isForced = options.forceConflicts === true;
  const stated = current === undefined ? placed(body, model, name) : body;
  return fieldManagers.apply({
    model,
    part,
    manager,
    now: context.now(),
    live: current?.shown,
    applied: stated,
    isForced,
  });
}

/** The object with the replicas that a `Scale` states, and nothing else. */
function ofScale(resource: ScalableResource, full: string, scale: unknown): unknown {
  const object = {
    apiVersion: getApiVersion(resource),
    kind: resource.kind,
    metadata: { ...namePartsOf(full, resource) },
  };
  return withScale(resource, object, scale);
}

/** @throws ServiceError `BadRequest` for a body without a type: whether it fits cannot be known */
function checkType({ kind }: Resource, body: unknown): void {
  if (!isRecord(body) || (body.apiVersion !== undefined && body.kind !== undefined)) return;
  throw badRequest(`the body of an apply needs an apiVersion and a kind, such as ${kind}`);
}

/** @throws ServiceError `Invalid` without a manager */
function managerOf({ resource }: ModelView, name: string, { fieldManager }: WriteOptions): string {
  if (fieldManager !== undefined && fieldManager !== '') return fieldManager;
  const message = 'is required for apply patch';
  throw invalid(
    'PatchOptions',
    [{ field: 'fieldManager', reason: 'FieldValueRequired', message }],
    getDetails(resource, name),
  );
}

/** @throws ServiceError for an apply that is meant for an existing object only */
function checkCreatable({ resource }: ModelView, name: string, draft: ObjectDraft, part: WrittenPart): void {
  if (part !== undefined) throw objectNotFound(resource, name);
  const { uid, resourceVersion } = draft.metadata ?? {};
  for (const [field, value] of Object.entries({ uid, resourceVersion })) {
    if (isUnstated(resource, value)) continue;
    throw conflict(
      `${getSubject(resource, name)} does not exist, but the apply has a metadata.${field}`,
      getDetails(resource, name),
    );
  }
}

/** The name and the namespace of a new object may be only in its path. */
function placed(draft: ObjectDraft, { resource }: ModelView, full: string): ObjectDraft {
  return { ...draft, metadata: { ...draft.metadata, ...namePartsOf(full, resource) } };
}
