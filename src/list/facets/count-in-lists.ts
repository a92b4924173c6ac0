import type { KeyRange } from '../../store/engine.js';
import { IdSet } from '../filter/id-set.js';
import type { PostingLists } from '../filter/posting-lists.js';
import type { CountedRun } from './counted-run.js';

/** Ids in one step. */
const IDS_CHUNK = 50_000;
/** Cost of a value in addition to its ids, in ids. */
const VALUE_LOOKS = 100;

/** Like `countInEntries`, but reads posting lists; the values come in no particular order. */
export function* countInLists(
  lists: PostingLists,
  range: KeyRange,
  matches: IdSet | undefined,
): Generator<CountedRun[]> {
  let runs: CountedRun[] = [];
  let seen = 0;
  for (const { key, ids } of lists.valuesIn(range)) {
    let count = 0;
    let id = 0;
    seen += VALUE_LOOKS;
    for (const part of iterateParts(ids)) {
      const counted = getCount(part, matches);
      if (count === 0) id = counted.first;
      count += counted.count;
      seen += counted.looks;
      if (seen < IDS_CHUNK) continue;
      yield runs;
      runs = [];
      seen = 0;
    }
    if (count > 0) runs.push({ key, count, id });
  }
  yield runs;
}

function* iterateParts(ids: Uint32Array | IdSet): Generator<Uint32Array | IdSet> {
  if (ids instanceof IdSet) yield ids;
  else for (let at = 0; at < ids.length; at += IDS_CHUNK) yield ids.subarray(at, at + IDS_CHUNK);
}

interface Counted {
  readonly count: number;
  /** The first counted id, if any. */
  readonly first: number;
  readonly looks: number;
}

function getCount(ids: Uint32Array | IdSet, matches: IdSet | undefined): Counted {
  if (ids instanceof IdSet) {
    const set = matches === undefined ? ids : ids.and(matches);
    return { count: set.size, first: set.any ?? 0, looks: ids.size };
  }
  if (matches === undefined) return { count: ids.length, first: ids[0] ?? 0, looks: 1 };
  return { ...matches.countAmong(ids), looks: ids.length };
}
