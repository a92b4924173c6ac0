import { decodeLogHead, encodeLogHead, LOG_HEAD_KEY } from '../../store/log/log.js';
import { countKey, FAMILY, modelIdIn } from '../../store/index/keys.js';
import { decodeCount, encodeCount } from '../../store/transaction.js';
import type { MemoryStore } from '../memory-engine.js';
import type { Key, SortedPairs } from '../sorted-pairs.js';

/** Families that stay as they are: they are about models and processes, not about objects. */
const KEPT = [FAMILY.META, FAMILY.MODEL, FAMILY.LEASE];
/** Families that are written again, beside those that stay. */
const WRITTEN = [FAMILY.COUNT, FAMILY.LOG];

const HEAD = toKey(LOG_HEAD_KEY);

/** The objects of a store at one moment, to which the store can go back. */
export class InitialState {
  readonly #initial: SortedPairs;
  /** Without the families that are written again. */
  readonly #objects: SortedPairs;

  /** The state is the present one. */
  constructor(private readonly store: MemoryStore) {
    this.#initial = store.pairs;
    this.#objects = [...KEPT, ...WRITTEN]
      .flatMap((family) => [...pairsOf(this.#initial, family)])
      .reduce((pairs, [key]) => pairs.without(key), this.#initial);
  }

  /**
   * Goes back at once. Revisions continue, and the log begins after them: watchers of the replaced objects get 410 and
   * list again.
   */
  restore(): void {
    const present = this.store.pairs;
    const head = decodeLogHead(present.get(HEAD));
    const revision = head.revision + 1;
    let next = this.#objects;
    for (const family of KEPT)
      for (const [key, value] of pairsOf(present, family)) next = next.with(key, value);
    next = next.with(HEAD, encodeLogHead({ ...head, revision, trimmed: revision, entries: 0, bytes: 0 }));
    for (const [modelKey] of pairsOf(present, FAMILY.MODEL)) {
      const key = toKey(countKey(modelIdIn(Buffer.from(modelKey, 'latin1'))));
      // Ids are not used again, because caches may know them.
      const { nextId } = decodeCount(present.get(key));
      const { objects } = decodeCount(this.#initial.get(key));
      next = next.with(key, encodeCount({ objects, nextId, revision }));
    }
    this.store.replace(next);
  }
}

function pairsOf(pairs: SortedPairs, family: number): ReadonlyMap<Key, Buffer> {
  const found = new Map<Key, Buffer>();
  const [start, end] = [String.fromCharCode(family), String.fromCharCode(family + 1)];
  pairs.visit({ start, end, reverse: false }, (key, value) => {
    found.set(key, value);
    return true;
  });
  return found;
}

function toKey(bytes: Buffer): Key {
  return bytes.toString('latin1');
}
