import type { Work } from '../../lib/work/work.js';
import { countYielding } from '../../lib/work/yield.js';
import { IdSetBuilder, type IdSet } from '../filter/id-set.js';
import { roundScores } from './bm25.js';
import type { Candidates } from './candidates.js';
import type { TextPart } from './text-part.js';

/** Counts of all objects, on which the scores of each object depend. */
export interface TextStatistics {
  /** Number of the model's objects. */
  readonly objects: number;
  /** Average number of words of an object. */
  readonly averageLength: number;
  /** In the order in which the shares of terms are added. */
  readonly terms: readonly TermCount[];
}

/** The number of objects that have a term. */
export interface TermCount {
  /** The place of the term in the search: its words, and then its prefix. */
  readonly place: number;
  readonly count: number;
}

export interface TextMatches {
  readonly set: IdSet;
  /** In no particular order. */
  readonly ids: Float64Array;
  /** In the order of the ids. */
  readonly scores: Float64Array;
  /** {@link TextStatistics} as JSON. */
  readonly basis: string;
}

export interface PartMatches {
  readonly part: Pick<TextPart, 'ids'>;
  readonly candidates: Candidates;
}

export async function collectMatches(
  parts: readonly PartMatches[],
  statistics: TextStatistics,
  work: Work,
): Promise<TextMatches> {
  const size = parts.reduce((sum, { candidates }) => sum + candidates.size, 0);
  const ids = new Float64Array(size);
  const scores = new Float64Array(size);
  const builder = new IdSetBuilder();
  let before = 0;
  for (const { part, candidates } of parts) {
    const { docs } = candidates;
    const start = before;
    scores.set(candidates.scores, start);
    const add = (i: number): void => {
      const id = part.ids[docs[i] ?? 0] ?? 0;
      ids[start + i] = id;
      builder.add(id);
    };
    await countYielding(docs.length, add, work);
    before += docs.length;
  }
  roundScores(scores);
  return { set: builder.done(), ids, scores, basis: JSON.stringify(statistics) };
}
