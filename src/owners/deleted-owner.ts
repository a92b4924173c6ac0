import type { ExtensionObject } from '../model/object.js';
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER, getOwners } from '../model/owner-references.js';
import type { CurrentView } from '../store/store.js';
import { canOwn, OwnerEvaluator } from './owner-evaluator.js';
import type { Objects, Stored } from './objects.js';
import { hasDependents } from './pages.js';
import type { PlannedWrite } from './writer.js';

/** The platform's finalizer that keeps a deleted object for its dependents; undefined without one. */
export function pendingPolicy({ metadata }: ExtensionObject): 'foreground' | 'orphan' | undefined {
  const { deletionTimestamp, finalizers = [] } = metadata;
  if (deletionTimestamp === undefined) return undefined;
  // An owner with the orphan policy must be released from its dependents before any other check of them.
  if (finalizers.includes(ORPHAN_FINALIZER)) return 'orphan';
  return finalizers.includes(FOREGROUND_FINALIZER) ? 'foreground' : undefined;
}

export function removeFinalizer({ table, object }: Stored, reason: 'foreground' | 'orphan'): PlannedWrite {
  const removed = reason === 'orphan' ? ORPHAN_FINALIZER : FOREGROUND_FINALIZER;
  const finalizers = (object.metadata.finalizers ?? []).filter((one) => one !== removed);
  return { resource: table.resource, object, change: { kind: 'finalizers', finalizers } };
}

/** Removes an owner from a dependent's owner references. */
export function withoutOwner(uid: string): (dependent: Stored) => PlannedWrite[] {
  return ({ table, object }) => {
    const owners = getOwners(object).filter((owner) => owner.uid !== uid);
    return [{ resource: table.resource, object, change: { kind: 'owners', owners } }];
  };
}

/** True when an object still names the owner. */
export async function isOwner({ view, tables }: CurrentView, uid: string): Promise<boolean> {
  return hasDependents(view.snapshot, tables.values(), uid);
}

/** True when an owner that is deleted in the foreground must wait for one of its dependents. */
export async function isBlocked(objects: Objects, owner: Stored): Promise<boolean> {
  const { uid } = owner.object.metadata;
  const waiters = await objects.now((current) => new OwnerEvaluator(current).getWaiters(owner));
  for await (const page of objects.iterateDependents(uid)) {
    const blocking: string[] = [];
    await page.read((dependent) => {
      const { object } = dependent;
      const { uid: other } = object.metadata;
      if (!waiters.has(other) && canOwn(owner, dependent) && isBlocking(object, uid)) blocking.push(other);
    });
    if (blocking.length > 0) return true;
  }
  return false;
}

function isBlocking(object: ExtensionObject, uid: string): boolean {
  return getOwners(object).some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true);
}
