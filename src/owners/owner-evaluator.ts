import type { ExtensionObject, OwnerReference } from '../model/object.js';
import {
  FOREGROUND_FINALIZER,
  ownerModelKey,
  getOwners,
  type PropagationPolicy,
} from '../model/owner-references.js';
import { parseObject } from '../store/object-record.js';
import type { CurrentView } from '../store/store.js';
import { hasDependents } from './pages.js';

/** `waiting`: it is being deleted, and waits for its dependents. */
type OwnerState = 'present' | 'waiting' | 'gone';

/** The decision about an object. */
export type OwnerVerdict =
  | { readonly kind: 'keep' }
  /** The object stays, with these owners. */
  | { readonly kind: 'release'; readonly owners: readonly OwnerReference[] }
  | { readonly kind: 'delete'; readonly policy: PropagationPolicy | undefined };

const KEEP: OwnerVerdict = { kind: 'keep' };

/** A longer chain of waiting owners is not followed, and does not count as a cycle. */
const CHAIN_MAX = 10_000;

/** Decides about objects by their owners, all in one snapshot. */
export class OwnerEvaluator {
  readonly #owners = new Map<string, ExtensionObject | undefined>();

  constructor(private readonly current: CurrentView) {}

  /**
   * Decides about an object. It is deleted with the last of its owners. Owners that are gone, or that wait for its
   * deletion, are removed from its references while it has others.
   */
  async verdict(object: ExtensionObject): Promise<OwnerVerdict> {
    const owners = getOwners(object);
    if (owners.length === 0 || object.metadata.deletionTimestamp !== undefined) return KEEP;
    const present: OwnerReference[] = [];
    let isAwaited = false;
    for (const owner of owners) {
      const state = await this.#stateOf(owner);
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
  async getWaiters(object: ExtensionObject): Promise<ReadonlySet<string>> {
    const found = new Set([object.metadata.uid]);
    const left = [object];
    for (let next = left.pop(); next !== undefined && found.size < CHAIN_MAX; next = left.pop()) {
      for (const reference of getOwners(next)) {
        const owner = await this.#find(reference);
        if (owner === undefined || found.has(reference.uid) || !isWaiting(owner)) continue;
        found.add(reference.uid);
        left.push(owner);
      }
    }
    return found;
  }

  async #stateOf(reference: OwnerReference): Promise<OwnerState> {
    const owner = await this.#find(reference);
    if (owner === undefined) return 'gone';
    return isWaiting(owner) ? 'waiting' : 'present';
  }

  /** Undefined when no object has that model, name and uid. */
  async #find(reference: OwnerReference): Promise<ExtensionObject | undefined> {
    const model = ownerModelKey(reference);
    const key = `${model}/${reference.name}/${reference.uid}`;
    if (this.#owners.has(key)) return this.#owners.get(key);
    const table = this.current.tables.get(model);
    const stored = table && (await this.current.view.find(table, reference.name));
    const object = stored && parseObject(stored.bytes);
    const owner = object?.metadata.uid === reference.uid ? object : undefined;
    this.#owners.set(key, owner && metadataOnly(owner));
    return owner;
  }
}

/** Reduces an owner to the cached part: objects may be large. */
function metadataOnly({ apiVersion, kind, metadata }: ExtensionObject): ExtensionObject {
  return { apiVersion, kind, metadata };
}

function isWaiting({ metadata: { deletionTimestamp, finalizers = [] } }: ExtensionObject): boolean {
  return deletionTimestamp !== undefined && finalizers.includes(FOREGROUND_FINALIZER);
}
