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

/** `waiting`: it is being deleted, and waits for the objects that it owns. */
type OwnerState = 'present' | 'waiting' | 'gone';

/** What is to become of an object. */
export type Verdict =
  | { readonly kind: 'keep' }
  /** It stays, with these owners. */
  | { readonly kind: 'release'; readonly owners: readonly OwnerReference[] }
  | { readonly kind: 'delete'; readonly policy: PropagationPolicy | undefined };

const KEEP: Verdict = { kind: 'keep' };

/** Longer chains of owners that wait are taken for no circle. */
const CHAIN_MAX = 10_000;

/** Judges objects by their owners, all at one moment. */
export class OwnerEvaluator {
  readonly #owners = new Map<string, ExtensionObject | undefined>();

  constructor(private readonly current: CurrentView) {}

  /**
   * Whether an object stays. It goes with the last of its owners; owners that are gone, or that wait for it to go, are
   * taken out when it has others.
   */
  async verdict(object: ExtensionObject): Promise<Verdict> {
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
    // What waits for nothing need not be held by a finalizer.
    const waits = isAwaited && (await hasDependents(view.snapshot, tables.values(), object.metadata.uid));
    return { kind: 'delete', policy: waits ? 'Foreground' : undefined };
  }

  /**
   * The uids of those that wait for an object, itself among them: it need not wait for them in turn, or none of a circle
   * would ever go.
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

  /** Undefined when there is no object of that model, name and uid. */
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

/** What is kept of an owner: objects may be large. */
function metadataOnly({ apiVersion, kind, metadata }: ExtensionObject): ExtensionObject {
  return { apiVersion, kind, metadata };
}

function isWaiting({ metadata: { deletionTimestamp, finalizers = [] } }: ExtensionObject): boolean {
  return deletionTimestamp !== undefined && finalizers.includes(FOREGROUND_FINALIZER);
}
