import { WEIGHT_MAX } from '../../lib/json/json-patch.js';
import { isRecord } from '../../lib/json/json.js';
import { runSync, type Resumable } from '../../lib/work/yield.js';
import { ServiceError } from '../../errors.js';
import { ConversionError } from '../../model/evolve/conversion.js';
import { parseObject, type StoredObject } from '../../store/object-record.js';
import type { ServiceContext } from '../context.js';
import { conversionCauses } from './conversion-causes.js';
import { decideCreate } from './create.js';
import { decideDeclared, type DeclaredItem } from './declare.js';
import { PENDING, type Decision } from './decision.js';
import { decideDelete } from './delete.js';
import { decidePatch, type Patch } from './patch.js';
import { CurrentObject } from './current-object.js';
import { decideMetadataOnlyUpdate } from './metadata-only-update.js';
import { checkPresent, decideUpdate } from './update.js';
import type { BatchItem, DeleteOptions, Subresource } from '../verbs.js';
import type { ModelView } from '../read/view.js';

/** One write of one object. */
export type WriteItem = (BatchItem & { readonly subresource?: Subresource }) | DeclaredItem;

/** A write, and the present object. */
export interface Question {
  readonly model: ModelView;
  readonly item: WriteItem;
  /** Undefined when no object has the name. */
  readonly found: CurrentObject | undefined;
}

/**
 * Decides a write, except for the check that the name of a create is free.
 * @throws ServiceError
 */
export function* decide(
  context: ServiceContext,
  question: Question,
  options: DeleteOptions,
): Resumable<Decision> {
  try {
    return yield* decideItem(context, question, options);
  } catch (error) {
    throw error instanceof ConversionError ? unfit(error) : error;
  }
}

/**
 * Decides without breaks, for small objects: the code that converts them has one time limit for all of it.
 * @throws ServiceError
 */
export function decideAtOnce(context: ServiceContext, question: Question, options: DeleteOptions): Decision {
  const { model, item, found } = question;
  const isEnding = item.verb === 'delete' || found?.metadata.deletionTimestamp !== undefined;
  const decideNow = (): Decision => runSync(decide(context, question, options));
  // An object whose conversion takes too long can still be deleted.
  if (model.isVerbatim || isEnding) return decideNow();
  try {
    return model.limited('name' in item ? item.name : getName(item.object), decideNow);
  } catch (error) {
    throw error instanceof ConversionError ? unfit(error) : error;
  }
}

/** The name of an object to create, for messages. */
function getName(object: unknown): string {
  const { name } = isRecord(object) && isRecord(object.metadata) ? object.metadata : {};
  return typeof name === 'string' ? name : '';
}

/** An object that cannot be converted cannot be written. */
function unfit(error: ConversionError): ServiceError {
  const causes = conversionCauses(error);
  return new ServiceError('Invalid', error.message, { ...error.details, causes });
}

function* decideItem(
  context: ServiceContext,
  { model, item, found }: Question,
  options: DeleteOptions,
): Resumable<Decision> {
  if (item.verb === 'create') return yield* decideCreate(context, model, item.object, options);
  if (item.verb === 'declare') return yield* decideDeclared(context, model, item.object, found);
  const target = { model, name: item.name, subresource: item.subresource };
  checkPresent(target, found, options);
  switch (item.verb) {
    case 'update':
      try {
        return yield* decideUpdate(target, found, item.object, options);
      } catch (error) {
        return metadataOnlyUpdateOr(error, () => decideMetadataOnlyUpdate(target, found, item, options));
      }
    case 'patch': {
      const patch = getPatch(context, item, found);
      try {
        return yield* decidePatch(target, found, patch, options);
      } catch (error) {
        return metadataOnlyUpdateOr(error, () => decideMetadataOnlyUpdate(target, found, patch, options));
      }
    }
    case 'delete': {
      const { propagationPolicy = options.propagationPolicy } = item;
      return decideDelete(context, target, found, {
        ...options,
        ...(propagationPolicy && { propagationPolicy }),
      });
    }
  }
}

/** An object that cannot be converted can still be deleted. */
function metadataOnlyUpdateOr(error: unknown, metadataOnlyUpdate: () => Decision | undefined): Decision {
  const decision = error instanceof ConversionError ? metadataOnlyUpdate() : undefined;
  if (decision === undefined) throw error;
  return decision;
}

/** The patch of an item, with its limit for the size of the result: not much larger than the largest object. */
function getPatch(
  { store }: ServiceContext,
  { patch, type }: Extract<WriteItem, { verb: 'patch' }>,
  found: CurrentObject,
): Patch {
  // When the size of objects is unlimited, the result of a patch in memory still needs a limit.
  const largest = store.objectBytesMax === Infinity ? WEIGHT_MAX : store.objectBytesMax;
  return { patch, type, weightMax: Math.max(largest, found.bytes) };
}

export function currentObject(model: ModelView, { revision, bytes }: StoredObject): CurrentObject {
  return new CurrentObject(model, parseObject(bytes), revision, bytes.length);
}

/** The state for a later item of the same commit; undefined when the object will be removed. */
export function findPending(
  model: ModelView,
  { kind, object }: Exclude<Decision, { kind: 'keep' }>,
): CurrentObject | undefined {
  if (kind === 'remove') return undefined;
  const bytes = Buffer.from(object.json(PENDING));
  return new CurrentObject(model, parseObject(bytes), undefined, bytes.length);
}
