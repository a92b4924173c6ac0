import type { KeyRange } from '../../store/engine.js';
import { getEntries, entryPrefix, rangeOfRun, runOfPrefix } from '../../store/index/keys.js';
import { beyondRun, type Direction, fromRun } from '../../store/index/scan.js';
import type { TableIndex } from '../../store/table.js';
import { type IdSet, IdSetBuilder } from '../filter/id-set.js';
import { getLeadingValue, type SortPosition } from '../sort-position.js';
import { rankByIndex } from './rank-scan.js';
import { type WalkedIndex, type SortInput, getWalk } from './unsorted.js';
import type { WindowArrays } from './window-arrays.js';

/** Consecutive objects in the order of one field; the unit of a sort. */
export interface Window {
  /** The objects are in `ids`, in the order of the field's entries. Their ranks are in `leadRanks`. */
  readonly arrays: WindowArrays;
  readonly rankMax: number;
  /** Set when a single run is larger than a window; then the arrays have only a part of it. */
  readonly largeRun: Buffer | undefined;
  /** The range after the window. */
  readonly rest: KeyRange | undefined;
}

/** The range of an order by the field: the whole index, or from the first object with the position's value. */
export function getStart({ index, direction }: WalkedIndex, after: SortPosition | undefined): KeyRange {
  const whole = getEntries(index.id);
  return after === undefined ? whole : fromRun(whole, runAt(index, after), direction);
}

/** True when the position is in a run, even if no object has that position any more. */
export function isOfRun({ index }: WalkedIndex, run: Buffer, place: SortPosition): boolean {
  return runAt(index, place).equals(run);
}

function runAt({ id, keyType }: TableIndex, place: SortPosition): Buffer {
  return runOfPrefix(entryPrefix(id, keyType, getLeadingValue(place)), keyType);
}

/** Reads as many whole runs as a window takes, and overwrites the arrays. */
export async function readWindow(
  input: SortInput,
  order: WalkedIndex,
  range: KeyRange,
  arrays: WindowArrays,
): Promise<Window> {
  const reading = new Reading(arrays);
  const walk = rankByIndex(getWalk(input, order), range, (id, rank, run) => reading.add(id, rank, run));
  for await (const _ of walk) if (reading.isFull) break;
  return reading.done(range, order.direction);
}

class Reading {
  private rank = 0;
  /** The last run, the number of its first object, and the rank before it. */
  private run: Buffer | undefined;
  private runStart = 0;
  private rankBefore = 0;
  isFull = false;

  constructor(private readonly arrays: WindowArrays) {
    arrays.ids.clear();
  }

  add(id: number, rank: number, run: Buffer): void {
    if (this.isFull) return;
    const { ids, leadRanks, most } = this.arrays;
    if (this.run !== run) {
      this.run = run;
      this.runStart = ids.size;
      this.rankBefore = this.rank;
    }
    if (ids.size === most) this.isFull = true;
    else leadRanks[ids.add(id)] = this.rank = rank;
  }

  /** An incomplete run is left for the next window, unless it is the only one. */
  done(range: KeyRange, direction: Direction): Window {
    const { arrays, run, runStart, rank: rankMax, rankBefore } = this;
    if (!this.isFull || run === undefined) return { arrays, rankMax, largeRun: undefined, rest: undefined };
    if (runStart === 0) return { arrays, rankMax, largeRun: run, rest: beyondRun(range, run, direction) };
    arrays.ids.cut(runStart);
    return { arrays, rankMax: rankBefore, largeRun: undefined, rest: fromRun(range, run, direction) };
  }
}

/** Ids of the wanted objects that a run places. */
export async function idsOfRun(input: SortInput, lead: WalkedIndex, run: Buffer): Promise<IdSet> {
  const builder = new IdSetBuilder();
  for await (const _ of rankByIndex(getWalk(input, lead), rangeOfRun(run), (id) => builder.add(id)));
  return builder.done();
}
