import { badRequest } from '../../errors.js';
import { ConversionError } from '../../model/evolve/conversion.js';
import { nextVersion, type ExtensionObject, type Metadata } from '../../model/object.js';
import {
  FOREGROUND_FINALIZER,
  ORPHAN_FINALIZER,
  type PropagationPolicy,
} from '../../model/owner-references.js';
import { ObjectText, ReadyObject } from '../../store/ready-object.js';
import type { ServiceContext } from '../context.js';
import { answeredWith, type PreparedChange } from './change.js';
import { checkPreconditions } from './conflicts.js';
import type { CurrentObject } from './current-object.js';
import { isReclaimable } from './update.js';
import { formatTimestamp } from '../../model/timestamp.js';
import type { DeleteOptions } from '../verbs.js';
import type { ModelView } from '../read/view.js';

/**
 * Prepares a deletion. Without finalizers the object is removed at once; else it stays, marked, until the update that removes
 * the last finalizer. Another delete changes nothing, unless it is forced.
 * @throws ServiceError `Conflict`
 */
export function prepareDelete(
  context: ServiceContext,
  current: CurrentObject,
  options: DeleteOptions,
): PreparedChange {
  const { model, metadata } = current;
  checkPreconditions(current, options);
  const force = options.forceFinalizers === true;
  refuseForcedPolicy(options);
  const isDone = metadata.deletionTimestamp !== undefined && !force;
  if (isDone) return { kind: 'keep', ...answeredIfPossible(model, current.raw), object: { metadata } };
  const old = storedIfPossible(current);
  const at = context.now();
  const deletionTimestamp = metadata.deletionTimestamp ?? formatTimestamp(model.resource, at);
  const next = { ...withPolicy(metadata, options.propagationPolicy), deletionTimestamp };
  const object = { ...old, metadata: nextVersion(next, { at }) };
  const { scheme } = model.table;
  scheme?.deletion?.begin(object);
  const isHeld = scheme?.deletion?.isHeld(object) === true;
  const isGone = force ? !isHeld : isReclaimable(model.table, object);
  const answered = answeredIfPossible(model, object);
  if (isGone) return { kind: 'remove', ...answered, object: new ObjectText(object) };
  // Errors in the object do not block its deletion.
  return { kind: 'mark', ...answered, object: new ReadyObject(model.table, object, () => true) };
}

/** A finalizer of the platform represents outstanding work on the objects that this one owns. */
const POLICY_FINALIZERS: Readonly<Record<PropagationPolicy, string | undefined>> = {
  Background: undefined,
  Foreground: FOREGROUND_FINALIZER,
  Orphan: ORPHAN_FINALIZER,
};

/** The policy replaces the policy of the object's finalizers. */
function withPolicy(metadata: Metadata, policy: PropagationPolicy | undefined): Metadata {
  if (policy === undefined) return metadata;
  const { finalizers = [], ...rest } = metadata;
  const own = new Set<string | undefined>(Object.values(POLICY_FINALIZERS));
  const wanted = POLICY_FINALIZERS[policy];
  const next = finalizers.filter((one) => !own.has(one) || one === wanted);
  if (wanted !== undefined && !next.includes(wanted)) next.push(wanted);
  return next.length === 0 ? rest : { ...rest, finalizers: next };
}

/** @throws ServiceError `BadRequest` for a forced delete with a policy that must wait */
function refuseForcedPolicy({ forceFinalizers, propagationPolicy }: DeleteOptions): void {
  if (forceFinalizers !== true || propagationPolicy === undefined || propagationPolicy === 'Background')
    return;
  throw badRequest(
    `propagationPolicy ${propagationPolicy} adds a finalizer, and forceFinalizers removes all of them; ` +
      'use only one of the two',
  );
}

/** The object in the storage version, or as stored: an object that cannot be converted can still be deleted. */
function storedIfPossible(current: CurrentObject): ExtensionObject {
  try {
    return current.object;
  } catch (error) {
    if (error instanceof ConversionError) return current.raw;
    throw error;
  }
}

/** The answer in the requested version, or the object as stored, with a warning. */
export function answeredIfPossible(
  model: ModelView,
  object: ExtensionObject,
): Pick<PreparedChange, 'table' | 'answer' | 'warnings'> {
  try {
    return { ...answeredWith(model, object), warnings: [] };
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    return {
      table: model.table,
      answer: undefined,
      warnings: [`the answer is the stored form: ${error.message}`],
    };
  }
}
