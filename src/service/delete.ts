import { conflict, excerpt } from '../errors.js';
import { ConversionError } from '../model/conversion.js';
import type { ExtensionObject } from '../model/object.js';
import type { Resource } from '../model/resource.js';
import { ObjectText, ReadyObject } from '../store/ready-object.js';
import type { ServiceContext } from './context.js';
import { answeredWith, type Decision } from './decision.js';
import type { Present } from './present.js';
import { detailsOf, subjectOf } from './validate-write.js';
import { isReclaimable, type UpdateTarget } from './update.js';
import type { DeleteOptions } from './verbs.js';
import type { ModelView } from './view.js';

/**
 * Declares an object deleted. Without finalizers it is gone at once; else it stays, marked, until the update
 * that removes the last one. Deleting it again changes nothing, unless it is forced.
 * @throws ServiceError `Conflict`
 */
export function decideDelete(
  context: ServiceContext,
  { model }: UpdateTarget,
  found: Present,
  options: DeleteOptions,
): Decision {
  checkPreconditions(model.resource, found, options);
  const { metadata } = found;
  const force = options.forceFinalizers === true;
  const isDone = metadata.deletionTimestamp !== undefined && !force;
  if (isDone) return { kind: 'keep', ...answeredIfPossible(model, found.raw), object: { metadata } };
  const old = storedIfPossible(found);
  const object = {
    ...old,
    metadata: {
      ...metadata,
      version: metadata.version + 1,
      deletionTimestamp: metadata.deletionTimestamp ?? context.now().toISOString(),
    },
  };
  const isGone = force || isReclaimable(object);
  const answered = answeredIfPossible(model, object);
  if (isGone) return { kind: 'remove', ...answered, object: new ObjectText(object) };
  // Nothing that is wrong with an object keeps it from being deleted.
  return { kind: 'mark', ...answered, object: new ReadyObject(model.table, object, () => true) };
}

/** The object in the storage version, or as it is: what cannot be converted can be deleted all the same. */
function storedIfPossible(found: Present): ExtensionObject {
  try {
    return found.object;
  } catch (error) {
    if (error instanceof ConversionError) return found.raw;
    throw error;
  }
}

/** The answer in the version asked for, or the object as it is stored, with a warning. */
export function answeredIfPossible(
  model: ModelView,
  object: ExtensionObject,
): Pick<Decision, 'table' | 'answer' | 'warnings'> {
  try {
    return { ...answeredWith(model, object), warnings: [] };
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    return {
      table: model.table,
      answer: undefined,
      warnings: [`the answer is as it was stored: ${error.message}`],
    };
  }
}

function checkPreconditions(
  resource: Resource,
  object: Pick<Present, 'metadata'>,
  { preconditions }: DeleteOptions,
): void {
  for (const field of ['uid', 'resourceVersion'] as const) {
    const wanted = preconditions?.[field];
    if (wanted === undefined || wanted === object.metadata[field]) continue;
    const { name } = object.metadata;
    throw conflict(
      `${subjectOf(resource, name)} has ${field} ${object.metadata[field]}, the precondition says ${excerpt(wanted)}`,
      detailsOf(resource, name),
    );
  }
}
