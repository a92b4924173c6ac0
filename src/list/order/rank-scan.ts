import { yieldBetween } from '../../lib/work/yield.js';
import type { KeyPlace, KeyRange } from '../../store/engine.js';
import { afterKey, idInEntry, isCut, isInRun, rangeOfRun, valueGroup } from '../../store/index/keys.js';
import { beyondRun } from '../../store/index/scan.js';
import { sortEntriesOfCutRun } from '../index-scan.js';
import { compareKeys, compareSortPositions } from '../sort-position.js';
import { isWanted, type Walk } from '../walk.js';

/** Entries in one read. They take little time, but more until the code is compiled. */
const CHUNK = 1_000;

/** @param run the common prefix of the entries of this rank, or of several ranks when their values are cut */
export type VisitRank = (id: number, rank: number, run: Buffer) => void;

/**
 * Visits every wanted object in a part of an index that begins and ends between runs, run by run in the walk's
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
  private rank = 0;
  private run: Buffer | undefined;
  /** The run of cut values at which the scan stopped: its entries do not give the order. */
  private cutRun: Buffer | undefined;
  private entries = 0;

  constructor(
    private readonly walk: Walk,
    private readonly visit: VisitRank,
  ) {}

  /** Yields the number of entries read, chunk by chunk. */
  async *over(range: KeyRange): AsyncGenerator<number> {
    const { snapshot, direction } = this.walk;
    const options = { limit: CHUNK, reverse: direction === 'desc' };
    for (let left = range; ;) {
      this.entries = 0;
      const last = await snapshot.scanInPlace(left, options, (_value, key) => this.see(key));
      yield this.entries;
      if (last === undefined) return;
      left = this.cutRun === undefined ? afterKey(left, last) : beyondRun(left, this.cutRun, direction);
      if (this.cutRun !== undefined) await this.rankCutRun(this.cutRun);
      this.cutRun = undefined;
    }
  }

  /** @returns false when the scan must stop */
  private see(key: KeyPlace): boolean {
    this.entries++;
    const id = idInEntry(key.bytes, key.end);
    if (!isWanted(this.walk, id, key)) return true;
    const { keyType } = this.walk.index;
    if (this.run === undefined || !isInRun(key, this.run, keyType)) {
      const entry = Buffer.from(key.bytes.subarray(key.start, key.end));
      this.run = valueGroup(entry, keyType);
      if (isCut(entry, keyType)) {
        this.cutRun = this.run;
        return false;
      }
      this.rank++;
    }
    this.visit(id, this.rank, this.run);
    return true;
  }

  private async rankCutRun(run: Buffer): Promise<void> {
    const { index, direction } = this.walk;
    const refs = await sortEntriesOfCutRun(this.walk, rangeOfRun(run), [{ indexId: index.id, direction }]);
    refs.sort(compareSortPositions([{ indexId: index.id, direction: 'asc' }]));
    if (direction === 'desc') refs.reverse();
    for (const [i, { id, keys }] of refs.entries()) {
      if (i === 0 || compareKeys(refs[i - 1]?.keys[0], keys[0]) !== 0) this.rank++;
      this.visit(id, this.rank, run);
    }
  }
}
