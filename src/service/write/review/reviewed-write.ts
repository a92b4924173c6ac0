import { splitFullName } from '../../../model/full-name.js';
import { ConversionError } from '../../../model/evolve/conversion.js';
import { SYSTEM_METADATA, type ExtensionObject } from '../../../model/object.js';
import { isScalable, scaleOf } from '../../../model/scale.js';
import { parseObject } from '../../../store/object-record.js';
import type { WrittenPart } from '../../verbs.js';
import { PENDING, type PreparedChange } from '../change.js';
import type { CurrentObject } from '../current-object.js';
import type { WriteTarget } from '../prepare.js';
import { getRequestedName, type AllowedOptions, type WriteRequest } from '../request.js';
import type { ReviewedObject, ReviewedWrite } from './reviewers.js';

/** A write to be reviewed, and the object that it applies to. */
export interface WriteToReview {
  readonly request: WriteRequest;
  readonly target: WriteTarget;
  readonly options: AllowedOptions;
}

/** @param object as the write would leave it, in the version of the request; undefined for a deletion */
export function reviewedWrite(
  { request, target: { model, current }, options }: WriteToReview,
  object: ExtensionObject | undefined,
): ReviewedWrite {
  const subresource = partOf(request);
  const inPart = (whole: ExtensionObject): ReviewedObject =>
    subresource === 'scale' && isScalable(model.resource) ? scaleOf(model.resource, whole) : whole;
  const { name, namespace } =
    current?.metadata ?? object?.metadata ?? splitFullName(getRequestedName(request), model.resource);
  return {
    operation: object === undefined ? 'DELETE' : current === undefined ? 'CREATE' : 'UPDATE',
    model,
    subresource,
    name,
    namespace,
    object: object && inPart(object),
    oldObject: current && inPart(shownIfPossible(current)),
    options,
    allowance: options.allowance,
  };
}

export function partOf(request: WriteRequest): WrittenPart {
  return 'subresource' in request ? request.subresource : undefined;
}

/** The object that a change leaves, in the version of the request; undefined for a deletion. */
export function objectAfter(
  { request, target: { current } }: WriteToReview,
  change: PreparedChange,
): ExtensionObject | undefined {
  if (request.verb === 'delete' || (request.verb === 'restore' && request.state === undefined))
    return undefined;
  if (change.kind === 'keep') return current?.shown;
  const { resourceVersion = PENDING } = current?.metadata ?? {};
  const { metadata, ...rest } = parseObject(
    Buffer.from((change.answer ?? change.object).json(resourceVersion)),
  );
  if (current !== undefined) return { ...rest, metadata };
  const { resourceVersion: _, ...known } = metadata;
  return { ...rest, metadata: known } as ExtensionObject;
}

const SET_AT_COMMIT: ReadonlySet<string> = new Set(
  SYSTEM_METADATA.filter((field) => field !== 'managedFields'),
);

/**
 * The object before the service sets its part of the metadata: uid, times and a generated name of a new object, and the
 * generation of another.
 */
export function asRequested(
  object: ExtensionObject,
  { request, target: { current } }: WriteToReview,
): ExtensionObject {
  const isNameless = request.verb === 'create' && getRequestedName(request) === '';
  const stated = Object.entries(object.metadata).filter(
    ([field]) => !SET_AT_COMMIT.has(field) && !(isNameless && field === 'name'),
  );
  const before = Object.entries(current?.metadata ?? {}).filter(([field]) => SET_AT_COMMIT.has(field));
  return { ...object, metadata: Object.fromEntries([...stated, ...before]) } as ExtensionObject;
}

/** An object that cannot be converted can still be deleted. */
function shownIfPossible(current: CurrentObject): ExtensionObject {
  try {
    return current.shown;
  } catch (error) {
    if (error instanceof ConversionError) return current.raw;
    throw error;
  }
}
