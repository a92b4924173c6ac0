/** The parameters of BM25 (Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009). */
const K1 = 1.2;
const B = 0.75;

/** The share of a word in scores. */
export interface WordWeight {
  readonly idf: number;
  /** Average number of words of an object. */
  readonly averageLength: number;
}

/** @param objects number of all objects @param withWord number of those that have the word */
export function idfOf(objects: number, withWord: number): number {
  return Math.log(1 + (objects - withWord + 0.5) / (withWord + 0.5));
}

/**
 * Adds the share of a word to scores.
 * @param times how often each doc has the word
 * @param lengths numbers of words, by doc
 */
export function weigh(
  { docs, scores }: { readonly docs: Uint32Array; readonly scores: Float64Array },
  times: Uint32Array,
  lengths: Uint32Array,
  { idf, averageLength }: WordWeight,
): void {
  const flat = K1 * (1 - B);
  const slope = (K1 * B) / averageLength;
  for (let i = 0; i < docs.length; i++) {
    const count = times[i] ?? 0;
    const norm = flat + slope * (lengths[docs[i] ?? 0] ?? 0);
    scores[i] = (scores[i] ?? 0) + (idf * count * (K1 + 1)) / (count + norm);
  }
}

/** Splits a double: 40 bits remain (T. J. Dekker, A Floating-Point Technique, 1971). */
const SPLITTER = 2 ** 13 + 1;

/** Rounds scores, so that they do not depend on the order in which the shares of words were added. */
export function roundScores(scores: Float64Array): void {
  for (let i = 0; i < scores.length; i++) {
    const score = scores[i] ?? 0;
    const scaled = score * SPLITTER;
    scores[i] = scaled - (scaled - score);
  }
}
