import type { Cache, CacheBudget } from '../../lib/cache-budget.js';
import type { IndexRecord } from '../../store/index/index-record.js';
import type { RecordChange } from '../../store/log/record-changes.js';
import type { ListScope } from '../scope.js';
import { type All, type Leaf, predicate } from './evaluate.js';
import type { IdSet } from './id-set.js';

interface Kept {
  /** Never changed, because lists in progress may still read it. */
  readonly set: IdSet;
  readonly revision: number;
}

/**
 * The matches of conditions as sets of object ids, by the conditions' canonical texts. Sets of single conditions are
 * brought up to date with later changes; sets of composed conditions are kept for the next page of the same list.
 * Only complete sets are kept: a list that stops early leaves nothing in the cache. Nothing is stored on disk.
 */
export class FilterSetCache {
  readonly #single: Cache<Kept>;
  readonly #composed: Cache<Kept>;

  /** @param bytesMax largest set that is kept, in bytes */
  constructor(
    budget: CacheBudget,
    private readonly bytesMax: number,
  ) {
    this.#single = budget.cache('filter-sets');
    this.#composed = budget.cache('filter-sets');
  }

  clear(): void {
    this.#single.clear();
    this.#composed.clear();
  }

  /** The matches of a composed condition in the scope's snapshot; undefined when they are not in the cache. */
  findComposed({ revision }: ListScope, key: string): IdSet | undefined {
    const known = this.#composed.get(key);
    return known?.revision === revision ? known.set : undefined;
  }

  keepComposed({ revision }: ListScope, key: string, set: IdSet): void {
    if (set.bytes <= this.bytesMax) this.#composed.set(key, { set, revision }, set.bytes);
  }

  /** The matches of a single condition in the scope's snapshot; undefined when they are not in the cache. */
  find(scope: ListScope, key: string, condition: Leaf | All): IdSet | undefined {
    const known = this.#single.get(key);
    if (known === undefined || known.revision > scope.revision) return undefined;
    const changes = scope.feed.between(known.revision, scope.revision);
    if (changes === undefined) return undefined;
    return changed(known.set, changes, () => predicate(scope.table, condition));
  }

  /** True when the matches of a single condition are in the cache; concurrent lists may still evict them. */
  isCurrent(scope: ListScope, key: string): boolean {
    const known = this.#single.get(key);
    if (known === undefined || known.revision > scope.revision) return false;
    return scope.feed.between(known.revision, scope.revision) !== undefined;
  }

  /** The last known number of matches of a single condition; undefined when it is not in the cache. */
  findSize(key: string): number | undefined {
    return this.#single.get(key)?.set.size;
  }

  /** Keeps the matches of a single condition, unless the cache has those of a later snapshot. */
  keep({ revision }: ListScope, key: string, set: IdSet): void {
    if ((this.#single.get(key)?.revision ?? 0) > revision) return;
    if (set.bytes <= this.bytesMax) this.#single.set(key, { set, revision }, set.bytes);
    else this.#single.delete(key);
  }
}

function changed(
  set: IdSet,
  changes: readonly RecordChange[],
  getPredicate: () => (record: IndexRecord) => boolean,
): IdSet {
  if (changes.length === 0) return set;
  const holds = getPredicate();
  const next = set.clone();
  for (const { before, after } of changes) {
    if (before !== undefined) next.delete(before.id);
    if (after !== undefined && holds(after)) next.add(after.id);
  }
  return next;
}
