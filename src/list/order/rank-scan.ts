import { yieldBetween } from '../../lib/work/yield.js';
import type { KeyPlace, KeyRange } from '../../store/engine.js';
import {
  beyondGroup,
  entryId,
  groupAt,
  isCutValue,
  type ValueGroup,
} from '../../store/index/index-reader.js';
import { visitChunks } from '../../store/index/scan.js';
import { sortEntriesOfCutGroup } from '../index-scan.js';
import { compareKeys, compareSortPositions } from '../sort-position.js';
import { isWanted, type Walk } from '../walk.js';

/** Entries in one read. They take little time, but more until the code is compiled. */
const CHUNK = 1_000;

/** @param group of this rank, or of several ranks when their values are cut */
export type VisitRank = (id: number, rank: number, group: ValueGroup) => void;

/**
 * Visits every wanted object in a part of an index that begins and ends between groups, group by group in the walk's
 * direction. The callback receives the rank of the deciding value: 1 for the first, one more for each different
 * value. Objects of one rank come in any order. Yields regularly so that other work can run; the caller may stop
 * there.
 */
export async function* rankByIndex(walk: Walk, range: KeyRange, visit: VisitRank): AsyncGenerator<void> {
  const ranking = new Ranking(walk, visit);
  for await (const entries of yieldBetween(ranking.over(range))) {
    walk.onRead?.(entries);
    yield;
  }
}

class Ranking {
  #rank = 0;
  #group: ValueGroup | undefined;
  /** The group of cut values at which the scan stopped: its entries do not give the order. */
  #cutGroup: ValueGroup | undefined;
  #entries = 0;

  constructor(
    private readonly walk: Walk,
    private readonly visit: VisitRank,
  ) {}

  /** Yields the number of entries read, chunk by chunk. */
  async *over(range: KeyRange): AsyncGenerator<number> {
    const { snapshot, direction } = this.walk;
    const options = { limit: CHUNK, reverse: direction === 'desc' };
    for (let left = range; ;) {
      for await (const _ of visitChunks(snapshot, left, options, (_value, place) => this.#see(place))) {
        yield this.#entries;
        this.#entries = 0;
        if (this.#cutGroup !== undefined) break;
      }
      const cutGroup = this.#cutGroup;
      if (cutGroup === undefined) return;
      left = beyondGroup(left, cutGroup, direction);
      await this.#rankCutGroup(cutGroup);
      this.#cutGroup = undefined;
    }
  }

  /** @returns false when the scan must stop */
  #see(place: KeyPlace): boolean {
    this.#entries++;
    const { walk } = this;
    const id = entryId(place);
    if (!isWanted(walk, id, place)) return true;
    const group = groupAt(walk.index, place, this.#group);
    if (group !== this.#group) {
      this.#group = group;
      if (isCutValue(walk.index, group)) {
        this.#cutGroup = group;
        return false;
      }
      this.#rank++;
    }
    this.visit(id, this.#rank, group);
    return true;
  }

  async #rankCutGroup(group: ValueGroup): Promise<void> {
    const { index, direction } = this.walk;
    const refs = await sortEntriesOfCutGroup(this.walk, group, [{ indexId: index.id, direction }]);
    refs.sort(compareSortPositions([{ indexId: index.id, direction: 'asc' }]));
    if (direction === 'desc') refs.reverse();
    for (const [i, { id, keys }] of refs.entries()) {
      if (i === 0 || compareKeys(refs[i - 1]?.keys[0], keys[0]) !== 0) this.#rank++;
      this.visit(id, this.#rank, group);
    }
  }
}
