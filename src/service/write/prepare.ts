import { WEIGHT_MAX } from '../../lib/json/json-patch.js';
import { runSync, type Resumable } from '../../lib/work/yield.js';
import { largestObject } from '../../model/resource.js';
import { ConversionError } from '../../model/evolve/conversion.js';
import type { ServiceContext } from '../context.js';
import type { ModelView } from '../read/view.js';
import type { ScopedWrite } from '../scope/write-scope.js';
import type { DeleteOptions } from '../verbs.js';
import type { PreparedChange } from './change.js';
import { prepareCreate } from './create.js';
import { prepareApply } from './apply/apply.js';
import type { CurrentObject } from './current-object.js';
import { prepareDeclared } from './declare.js';
import { prepareDelete } from './delete.js';
import { prepareMetadataOnly } from './metadata-only-update.js';
import { preparePatch, prepareScale, type Patch } from './patch/patch.js';
import { getRequestedName, isApply, type AllowedOptions, type WriteRequest } from './request.js';
import { checkExists } from './conflicts.js';
import { prepareWithin } from './prepare-within.js';
import { prepareRestore } from './restore.js';
import type { ReviewedWrite } from './review/reviewers.js';
import { prepareUpdate } from './update.js';

/** The object that a request applies to. */
export interface WriteTarget {
  readonly model: ModelView;
  /** Undefined when no object has the name; also for a create, whose commit checks that the name is free. */
  readonly current: CurrentObject | undefined;
}

/** A change that was prepared outside the transaction, and the state that it is based on. */
export type Prepared =
  | {
      readonly request: WriteRequest;
      readonly model: ModelView;
      readonly change: PreparedChange;
      /** Revision of the stored object, or {@link NO_REVISION}; undefined when it depends on no stored object. */
      readonly basedOn: number | undefined;
      /** Present when reviewers must accept the change. */
      readonly review?: ReviewedWrite;
    }
  /** Left to the commit. */
  | {
      readonly request: Exclude<WriteRequest, { verb: 'create' }>;
      readonly model: ModelView;
      readonly change?: undefined;
    };

const CREATE: ScopedWrite = { verb: 'create' };

/** The revision of an object that does not exist. */
export const NO_REVISION = 0;

/**
 * Computes the change that a request makes, outside the transaction or inside. It depends only on the request, the rights of its
 * sender and the current object.
 * @throws ServiceError
 */
export function* prepare(
  context: ServiceContext,
  request: WriteRequest,
  target: WriteTarget,
  options: DeleteOptions,
): Resumable<PreparedChange> {
  const { verb } = request;
  // An apply to an object that does not exist is judged as the create that it is.
  const judged = isApply(request) && target.current === undefined ? CREATE : request;
  const scope =
    verb === 'declare' || verb === 'restore' ? undefined : options.scopeOf?.(judged, target.model.resource);
  if (scope === undefined || verb === 'declare' || verb === 'restore')
    return yield* prepareWhole(context, request, target, options);
  return yield* prepareWithin({
    request,
    ...target,
    scope,
    prepare: (one, current) => prepareWhole(context, one, { model: target.model, current }, options),
    patchOf: (patch, current) => withWeightMax(context, patch, current),
  });
}

/** New objects get the uid that a create states. */
export function withStatedUid(context: ServiceContext, request: WriteRequest): ServiceContext {
  const uid = request.verb === 'create' ? request.uid : undefined;
  return uid === undefined ? context : { ...context, uid: () => uid };
}

/** Computes the change that a request makes when its sender may write all objects and fields. */
function* prepareWhole(
  context: ServiceContext,
  request: WriteRequest,
  { model, current }: WriteTarget,
  options: DeleteOptions,
): Resumable<PreparedChange> {
  if (request.verb === 'create')
    return yield* prepareCreate(withStatedUid(context, request), model, request.object, options);
  if (request.verb === 'declare') return yield* prepareDeclared(context, model, request.object, current);
  if (request.verb === 'restore') return prepareRestore(context, { model, current }, request, options);
  if (request.verb === 'patch' && request.type === 'apply') {
    const { name, patch: applied, subresource: part } = request;
    if (current !== undefined) checkExists(model, name, current, options);
    return yield* prepareApply(context, { model, current, name, applied, part, options });
  }
  checkExists(model, request.name, current, options);
  if (request.verb === 'delete') {
    const { propagationPolicy = options.propagationPolicy, preconditions = options.preconditions } = request;
    return prepareDelete(context, current, {
      ...options,
      ...(propagationPolicy && { propagationPolicy }),
      ...(preconditions && { preconditions }),
    });
  }
  const { subresource } = request;
  const stated = request.verb === 'patch' ? withWeightMax(context, request, current) : request;
  if (subresource === 'scale') return yield* prepareScale(context, { current, options }, stated);
  const target = { current, options, subresource };
  try {
    return 'patch' in stated
      ? yield* preparePatch(context, target, stated)
      : yield* prepareUpdate(context, target, stated.object);
  } catch (error) {
    if (!(error instanceof ConversionError) || subresource !== undefined) throw error;
    // An object that cannot be converted can still be deleted.
    const change = prepareMetadataOnly(context, { current, options }, stated);
    if (change === undefined) throw error;
    return change;
  }
}

/** {@link prepare} without breaks, for small objects: the code that converts them has one time limit for all of it. */
export function prepareAtOnce(
  context: ServiceContext,
  request: WriteRequest,
  target: WriteTarget,
  options: AllowedOptions,
): PreparedChange {
  const { model, current } = target;
  return options.allowance.forObject().during(() => {
    const steps = prepare(context, request, target, options);
    // An object whose conversion takes too long can still be deleted.
    const isEnding = request.verb === 'delete' || current?.metadata.deletionTimestamp !== undefined;
    if (model.isVerbatim || isEnding) return runSync(steps);
    return model.limited(getRequestedName(request), () => runSync(steps));
  });
}

/** The patch, with its limit for the size of the result: not much larger than the largest object. */
function withWeightMax(
  { store }: ServiceContext,
  { patch, type }: Omit<Patch, 'weightMax'>,
  { model, bytes }: CurrentObject,
): Patch {
  // When the size of objects is unlimited, the result of a patch in memory still needs a limit.
  const largest = store.objectBytesMax === Infinity ? WEIGHT_MAX : store.objectBytesMax;
  return { patch, type, weightMax: Math.max(largestObject(model.resource, largest), bytes) };
}
