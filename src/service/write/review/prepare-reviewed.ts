import { badRequest } from '../../../errors.js';
import { formatValue } from '../../../model/validate/violation.js';
import { isRecord } from '../../../lib/json/json.js';
import type { MaybePromise } from '../../../lib/work/maybe-promise.js';
import type { Resumable, Yielder } from '../../../lib/work/yield.js';
import { withConversions } from '../../../model/evolve/pending-conversion.js';
import type { ExtensionObject } from '../../../model/object.js';
import { getApiVersion } from '../../../model/resource.js';
import type { ServiceContext } from '../../context.js';
import { managedFieldsOf } from '../apply/managed-write.js';
import type { PreparedChange } from '../change.js';
import { prepareCreate } from '../create.js';
import { InvalidObjectError } from '../faults/invalid-object-error.js';
import { prepareScale } from '../patch/patch.js';
import { prepare, withStatedUid } from '../prepare.js';
import type { AllowedOptions, WriteRequest } from '../request.js';
import { prepareUpdate } from '../update.js';
import { asRequested, objectAfter, partOf, reviewedWrite, type WriteToReview } from './reviewed-write.js';
import type { Mutation, ReviewedObject, Reviewers, ReviewedWrite } from './reviewers.js';

/** A change as reviewers have changed it, and what is left to review. */
export interface ReviewedChange {
  readonly change: PreparedChange;
  readonly review: ReviewedWrite;
}

/** The change that a request makes, or the refusal of an invalid object, which reviewers may still make valid. */
type Requested =
  | { readonly change: PreparedChange; readonly refusal?: undefined }
  | { readonly change?: undefined; readonly refusal: InvalidObjectError };

/**
 * Prepares a write, lets reviewers change its object, and prepares the object that they have changed.
 * @throws ServiceError of the write, or of a reviewer
 */
export async function prepareReviewed(
  context: ServiceContext,
  reviewers: Reviewers,
  given: WriteToReview,
  yielder: Yielder,
): Promise<ReviewedChange> {
  const { request, target } = given;
  const allowance = given.options.allowance.forObject();
  const options = { ...given.options, allowance };
  const write = { ...given, options };
  const uidContext = withOneUid(withStatedUid(context, request));
  // Reviewers are not asked again when only a conversion is awaited.
  const run = (steps: () => Resumable<PreparedChange>): MaybePromise<PreparedChange> =>
    withConversions(() => yielder.run(allowance.throughout(steps())));
  const attempt = await tryRequest(run(() => prepare(uidContext, request, target, options)));
  const { change, refusal } = attempt;
  const object = await withConversions(() => objectOf(write, attempt));
  const { object: changed, warnings } = await mutate(reviewers, write, object);
  if (object === undefined || changed === undefined) {
    if (refusal !== undefined) throw refusal;
    const review = await withConversions(() => reviewedWrite(write, object));
    return { change: withWarnings(change, warnings), review };
  }
  // Fields that the model does not know were reported already.
  const again: AllowedOptions = refusal === undefined ? { ...options, fieldValidation: 'Ignore' } : options;
  const result = await run(() => prepareChanged(uidContext, { ...write, options: again }, object, changed));
  return {
    change: withWarnings(result, [...(change?.warnings ?? []), ...warnings]),
    review: reviewedWrite(write, objectAfter(write, result)),
  };
}

/** A new object has the same uid each time that it is prepared: a program that converts it has seen that. */
function withOneUid(context: ServiceContext): ServiceContext {
  let uid: string | undefined;
  return { ...context, uid: () => (uid ??= context.uid()) };
}

async function tryRequest(preparing: MaybePromise<PreparedChange>): Promise<Requested> {
  try {
    return { change: await preparing };
  } catch (error) {
    if (error instanceof InvalidObjectError) return { refusal: error };
    throw error;
  }
}

function objectOf(write: WriteToReview, { change, refusal }: Requested): ExtensionObject | undefined {
  if (refusal === undefined) return objectAfter(write, change);
  const object = refusal.object as ExtensionObject;
  // The body was in an earlier shape of the model, which has ended in another version.
  if (object.apiVersion !== getApiVersion(write.target.model.resource)) throw refusal;
  return object;
}

/** An earlier state comes back as it was. */
async function mutate(
  reviewers: Reviewers,
  write: WriteToReview,
  object: ExtensionObject | undefined,
): Promise<Mutation> {
  if (write.request.verb === 'restore') return { object: undefined, warnings: [] };
  return reviewers.mutate(
    await withConversions(() => reviewedWrite(write, object && asRequested(object, write))),
  );
}

/**
 * Prepares an object that reviewers have changed. Its fields keep the managers that the request gives them: nobody manages what a
 * reviewer has set.
 */
function* prepareChanged(
  context: ServiceContext,
  { request, target: { model, current }, options }: WriteToReview,
  { metadata }: ExtensionObject,
  object: ReviewedObject,
): Resumable<PreparedChange> {
  checkPlace(request, metadata, object);
  const managedFields = managedFieldsOf(metadata) ?? [];
  if (current === undefined)
    return yield* prepareCreate(context, model, object, { ...options, managedFields });
  const subresource = partOf(request);
  return subresource === 'scale'
    ? yield* prepareScale(context, { current, options, managedFields }, { object })
    : yield* prepareUpdate(context, { current, options, subresource, managedFields }, object);
}

/**
 * Reviewers may change an object, but not move it. Only a create may get another name.
 * @throws ServiceError `BadRequest`
 */
function checkPlace(
  request: WriteRequest,
  { name, namespace }: ExtensionObject['metadata'],
  { metadata }: ReviewedObject,
): void {
  const fixed = { namespace, ...(request.verb !== 'create' && { name }) };
  for (const [field, value] of Object.entries(fixed)) {
    const found = isRecord(metadata) ? metadata[field] : undefined;
    if (found === undefined || found === '' || found === value) continue;
    throw badRequest(
      `an admission webhook changed metadata.${field} from ${formatValue(value)} to ${formatValue(found)}; ` +
        'a webhook may neither move nor rename an object',
    );
  }
}

/** The change with more warnings, each once. */
export function withWarnings(change: PreparedChange, warnings: readonly string[]): PreparedChange {
  return warnings.length === 0
    ? change
    : { ...change, warnings: [...new Set([...warnings, ...change.warnings])] };
}
