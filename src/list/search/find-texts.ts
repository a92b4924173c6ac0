import { Yielder } from '../../lib/work/yield.js';
import type { Word } from '../../model/words.js';
import type { SearchText } from '../../query/search/search-text.js';
import { SegmentReader } from '../../store/text/segment-reader.js';
import type { TableIndex } from '../../store/table.js';
import type { ListScope } from '../scope.js';
import { idfOf } from './bm25.js';
import { Candidates } from './candidates.js';
import { followedBy } from './positions.js';
import { FreshSearch, SegmentSearch, type FoundTerm, type SearchTerm, type TextPart } from './text-part.js';
import {
  collectMatches,
  type PartMatches,
  type TermCount,
  type TextMatches,
  type TextStatistics,
} from './text-matches.js';
import type { CountedState } from './text-states.js';

export interface TextSearch {
  readonly scope: ListScope;
  readonly index: TableIndex;
  readonly state: CountedState;
  /** Number of the model's objects. */
  readonly objects: number;
  /** The `basis` of the first part of the list; undefined for that part. */
  readonly basis: string | undefined;
}

/** Finds the objects that a search is about, and their scores. */
export async function findTexts(
  { scope: { view, stats }, index, state: { state, words }, objects, basis }: TextSearch,
  text: SearchText,
): Promise<TextMatches> {
  stats.begin({ for: 'search' });
  const work = { stats, yielder: new Yielder(stats.work) };
  const parts = state.parts.map(
    (part) => new SegmentSearch(part, new SegmentReader(view.snapshot, index.id, part.docs.segment), work),
  );
  const all: TextPart[] = [...parts, new FreshSearch(state.fresh, state.nextRow, work)];
  const present = { objects, averageLength: words / Math.max(1, objects), terms: [] };
  const first = basis === undefined ? undefined : (JSON.parse(basis) as TextStatistics);
  const found = await findTerms(all, text, first);
  const { matches, statistics } = await withAllTerms(found, present, first);
  for (const { part, candidates } of matches) {
    for (const phrase of text.phrases) {
      const has = await withPhrase(part, candidates.docs, phrase);
      candidates.filter((i) => has[i] === 1);
    }
    for (const excluded of text.excluded) await exclude(part, candidates, excluded);
  }
  return collectMatches(matches, statistics, stats.work);
}

interface TermDocs extends TermCount {
  readonly parts: readonly { readonly part: TextPart; readonly found: FoundTerm }[];
}

/** The terms of a search in the order of the statistics, without any the rarest one first. */
async function findTerms(
  parts: readonly TextPart[],
  { words, prefix }: SearchText,
  first: TextStatistics | undefined,
): Promise<TermDocs[]> {
  const terms = words.map((word): SearchTerm => ({ word, isPrefix: false }));
  if (prefix !== undefined) terms.push({ word: prefix, isPrefix: true });
  const all: TermDocs[] = [];
  for (const [place, term] of terms.entries()) {
    const found: { part: TextPart; found: FoundTerm }[] = [];
    for (const part of parts) found.push({ part, found: await part.find(term) });
    all.push({ place, count: found.reduce((sum, one) => sum + one.found.count, 0), parts: found });
  }
  if (first === undefined) return all.sort((a, b) => a.count - b.count);
  return first.terms.flatMap(({ place }) => all[place] ?? []);
}

interface SearchedPart extends PartMatches {
  readonly part: TextPart;
}

/** The docs that have all terms, with their scores by the first statistics, or by the present ones. */
async function withAllTerms(
  terms: readonly TermDocs[],
  present: TextStatistics,
  first: TextStatistics | undefined,
): Promise<{ matches: readonly SearchedPart[]; statistics: TextStatistics }> {
  const matches = new Map<TextPart, Candidates>();
  const { objects, averageLength } = first ?? present;
  const counts: TermCount[] = [];
  for (const [i, { place, parts }] of terms.entries()) {
    const known = first?.terms[i]?.count;
    let withTerm = 0;
    for (const { part, found } of parts) {
      const candidates = matches.get(part);
      if (candidates?.size === 0 && (found.isExact || known !== undefined)) {
        withTerm += found.count;
        continue;
      }
      const list = await found.docs();
      withTerm += list.size;
      if (i === 0) matches.set(part, new Candidates(list));
      else candidates?.keep(list);
    }
    const count = known ?? withTerm;
    counts.push({ place, count });
    if ([...matches.values()].every(({ size }) => size === 0)) return { matches: [], statistics: present };
    const idf = idfOf(objects, count);
    for (const [part, candidates] of matches) candidates.score(part.lengths, { idf, averageLength });
  }
  return {
    matches: [...matches].map(([part, candidates]) => ({ part, candidates })),
    statistics: { objects, averageLength, terms: counts },
  };
}

/** 1 for each of the docs that has a phrase. */
async function withPhrase(part: TextPart, docs: Uint32Array, phrase: readonly Word[]): Promise<Uint8Array> {
  const has = new Uint8Array(docs.length);
  const [first, ...others] = phrase;
  if (docs.length === 0 || first === undefined) return has;
  let begins = await part.positions(first, docs);
  for (const [i, word] of others.entries())
    begins = followedBy(begins, await part.positions(word, docs), i + 1);
  for (let i = 0; i < docs.length; i++) if ((begins.starts[i + 1] ?? 0) > (begins.starts[i] ?? 0)) has[i] = 1;
  return has;
}

async function exclude(part: TextPart, candidates: Candidates, excluded: readonly Word[]): Promise<void> {
  const [word = '', ...others] = excluded;
  if (candidates.size === 0) return;
  if (others.length === 0) {
    const found = await part.find({ word, isPrefix: false });
    candidates.remove(await found.docs());
  } else {
    const has = await withPhrase(part, candidates.docs, excluded);
    candidates.filter((i) => has[i] === 0);
  }
}
