import type { KeyRange } from '../../store/engine.js';
import {
  allEntries,
  beyondGroup,
  entriesIn,
  fromGroup,
  getValueGroup,
  type ValueGroup,
} from '../../store/index/index-reader.js';
import type { Direction } from '../../store/index/scan.js';
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
  /** Set when a single group is larger than a window; then the arrays have only a part of it. */
  readonly largeGroup: ValueGroup | undefined;
  /** The range after the window. */
  readonly rest: KeyRange | undefined;
}

/** The range of an order by the field: the whole index, or from the first object with the position's value. */
export function getStart({ index, direction }: WalkedIndex, after: SortPosition | undefined): KeyRange {
  const whole = allEntries(index);
  return after === undefined
    ? whole
    : fromGroup(whole, getValueGroup(index, getLeadingValue(after)), direction);
}

/** True when the position is in a group, even if no object has that position any more. */
export function isInGroup({ index }: WalkedIndex, group: ValueGroup, place: SortPosition): boolean {
  return getValueGroup(index, getLeadingValue(place)).equals(group);
}

/** Reads as many whole groups as a window takes, and overwrites the arrays. */
export async function readWindow(
  input: SortInput,
  order: WalkedIndex,
  range: KeyRange,
  arrays: WindowArrays,
): Promise<Window> {
  const reading = new Reading(arrays);
  const walk = rankByIndex(getWalk(input, order), range, (id, rank, group) => reading.add(id, rank, group));
  for await (const _ of walk) if (reading.isFull) break;
  return reading.done(range, order.direction);
}

class Reading {
  #rank = 0;
  /** The last group, the number of its first object, and the rank before it. */
  #group: ValueGroup | undefined;
  #groupStart = 0;
  #rankBefore = 0;
  isFull = false;

  constructor(private readonly arrays: WindowArrays) {
    arrays.ids.clear();
  }

  add(id: number, rank: number, group: ValueGroup): void {
    if (this.isFull) return;
    const { ids, leadRanks, most } = this.arrays;
    if (this.#group !== group) {
      this.#group = group;
      this.#groupStart = ids.size;
      this.#rankBefore = this.#rank;
    }
    if (ids.size === most) this.isFull = true;
    else leadRanks[ids.add(id)] = this.#rank = rank;
  }

  /** An incomplete group is left for the next window, unless it is the only one. */
  done(range: KeyRange, direction: Direction): Window {
    const { arrays } = this;
    const group = this.#group;
    if (!this.isFull || group === undefined)
      return { arrays, rankMax: this.#rank, largeGroup: undefined, rest: undefined };
    if (this.#groupStart === 0)
      return { arrays, rankMax: this.#rank, largeGroup: group, rest: beyondGroup(range, group, direction) };
    arrays.ids.cut(this.#groupStart);
    const rest = fromGroup(range, group, direction);
    return { arrays, rankMax: this.#rankBefore, largeGroup: undefined, rest };
  }
}

/** Ids of the wanted objects that a group places. */
export async function idsOfGroup(input: SortInput, lead: WalkedIndex, group: ValueGroup): Promise<IdSet> {
  const builder = new IdSetBuilder();
  for await (const _ of rankByIndex(getWalk(input, lead), entriesIn(group), (id) => builder.add(id)));
  return builder.done();
}
