import { fullName, isNamespaced } from '../model/full-name.js';
import type { ExtensionObject, OwnerReference } from '../model/object.js';
import {
  FOREGROUND_FINALIZER,
  ownerModelKey,
  getOwners,
  type PropagationPolicy,
} from '../model/owner-references.js';
import { parseObject } from '../store/object-record.js';
import type { CurrentView } from '../store/store.js';
import type { Stored } from './objects.js';
import { hasDependents } from './pages.js';

/**
 * `waiting`: it is being deleted, and waits for its dependents. `unresolvable`: the reference of an object without a
 * namespace to an object in one.
 */
type OwnerState = 'present' | 'waiting' | 'gone' | 'unresolvable';

/** The decision about an object. */
export type OwnerVerdict =
  | { readonly kind: 'keep' }
  /** The object stays as it is: nobody knows the namespace of this owner. */
  | { readonly kind: 'unresolvable'; readonly owner: OwnerReference }
  /** The object stays, with these owners. */
  | { readonly kind: 'release'; readonly owners: readonly OwnerReference[] }
  | { readonly kind: 'delete'; readonly policy: PropagationPolicy | undefined };

const KEEP: OwnerVerdict = { kind: 'keep' };

/** A longer chain of waiting owners is not followed, and does not count as a cycle. */
const CHAIN_MAX = 10_000;

/** Decides about objects by their owners, all in one snapshot. */
export class OwnerEvaluator {
  readonly #owners = new Map<string, Stored | undefined>();

  constructor(private readonly current: CurrentView) {}

  /**
   * Decides about an object. It is deleted with the last of its owners. Owners that are gone, or that wait for its
   * deletion, are removed from its references while it has others.
   */
  async verdict(dependent: Stored): Promise<OwnerVerdict> {
    const { object } = dependent;
    const owners = getOwners(object);
    if (owners.length === 0 || object.metadata.deletionTimestamp !== undefined) return KEEP;
    const present: OwnerReference[] = [];
    let isAwaited = false;
    for (const owner of owners) {
      const state = await this.#stateOf(owner, dependent);
      if (state === 'unresolvable') return { kind: state, owner };
      if (state === 'present') present.push(owner);
      isAwaited ||= state === 'waiting';
    }
    if (present.length === owners.length) return KEEP;
    if (present.length > 0) return { kind: 'release', owners: present };
    const { view, tables } = this.current;
    // Without dependents to wait for, no finalizer is needed.
    const waits = isAwaited && (await hasDependents(view.snapshot, tables.values(), object.metadata.uid));
    return { kind: 'delete', policy: waits ? 'Foreground' : undefined };
  }

  /**
   * The uids of the owners that wait for an object, and its own. The object must not wait for them, or no object of a
   * cycle would ever be removed.
   */
  async getWaiters(start: Stored): Promise<ReadonlySet<string>> {
    const found = new Set([start.object.metadata.uid]);
    const left = [start];
    for (let next = left.pop(); next !== undefined && found.size < CHAIN_MAX; next = left.pop()) {
      for (const reference of getOwners(next.object)) {
        if (found.has(reference.uid)) continue;
        const owner = await this.#find(reference, next);
        if (owner === undefined || !isWaiting(owner)) continue;
        found.add(reference.uid);
        left.push(owner);
      }
    }
    return found;
  }

  async #stateOf(reference: OwnerReference, dependent: Stored): Promise<OwnerState> {
    const owners = this.current.tables.get(ownerModelKey(reference))?.resource ?? {};
    if (isNamespaced(owners) && !isNamespaced(dependent.table.resource)) return 'unresolvable';
    const owner = await this.#find(reference, dependent);
    if (owner === undefined) return 'gone';
    return isWaiting(owner) ? 'waiting' : 'present';
  }

  /**
   * The owner of an object: one in a namespace is in that of the object. Undefined when no object has that model, name
   * and uid.
   */
  async #find({ name, uid, ...reference }: OwnerReference, dependent: Stored): Promise<Stored | undefined> {
    const model = ownerModelKey(reference);
    const table = this.current.tables.get(model);
    if (table === undefined) return undefined;
    const full = fullName(table.resource, { namespace: dependent.object.metadata.namespace, name });
    const key = `${model}/${full}/${uid}`;
    if (this.#owners.has(key)) return this.#owners.get(key);
    const stored = await this.current.view.find(table, full);
    const object = stored && parseObject(stored.bytes);
    const owner = object?.metadata.uid === uid ? { table, object: metadataOnly(object) } : undefined;
    this.#owners.set(key, owner);
    return owner;
  }
}

/** True when an object of this uid and place can be an owner of the other one: it is in the same namespace, or in none. */
export function canOwn(owner: Stored, dependent: Stored): boolean {
  if (!isNamespaced(owner.table.resource)) return true;
  const { namespace } = owner.object.metadata;
  return isNamespaced(dependent.table.resource) && dependent.object.metadata.namespace === namespace;
}

/** Reduces an owner to the cached part: objects may be large. */
function metadataOnly({ apiVersion, kind, metadata }: ExtensionObject): ExtensionObject {
  return { apiVersion, kind, metadata };
}

function isWaiting({ object: { metadata } }: Stored): boolean {
  const { deletionTimestamp, finalizers = [] } = metadata;
  return deletionTimestamp !== undefined && finalizers.includes(FOREGROUND_FINALIZER);
}
