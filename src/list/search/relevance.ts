import { Yielder } from '../../lib/work/yield.js';
import { IdSet } from '../filter/id-set.js';
import { inNameOrder } from '../group-order.js';
import type { ListScope } from '../scope.js';
import type { SortPosition } from '../sort-position.js';
import { TopScores } from './top-scores.js';
import type { TextMatches } from './text-matches.js';

/** Most matches that are sorted at a time. */
const WINDOW = 10_000;
/** Scores that are compared without a break. */
const STEP = 16_384;

/** Matches of a search, to be ordered by their scores. */
export interface Ranking {
  readonly scope: ListScope;
  readonly texts: TextMatches;
  /** Those of the matches that are wanted; undefined for all. */
  readonly among: IdSet | undefined;
  /** Number of the model's objects. */
  readonly objects: number;
  /** Number of first matches that are wanted. */
  readonly most: number;
  /** Only matches after this position. */
  readonly after: SortPosition | undefined;
}

/** The position of a match in the order by relevance, with the statistics of its score. */
export function relevancePosition(
  { ids, scores, basis }: TextMatches,
  id: number,
  name: string,
): SortPosition {
  return { name, keys: [String(scores[ids.indexOf(id)] ?? 0), basis] };
}

/** The statistics of a position, by which scores after it must be computed too: others change with each write. */
export function basisIn(after: SortPosition | undefined): string | undefined {
  return after?.keys[1];
}

/** Ids of the matches, the highest scores first; equal scores by name. */
export async function* byRelevance(ranking: Ranking): AsyncGenerator<number[]> {
  const { after } = ranking;
  const scored = await wantedScores(ranking);
  let below = Infinity;
  if (after !== undefined) {
    below = Number(after.keys[0]);
    yield* byName(ranking, idsWith(scored, below), after.name);
  }
  for (let most = ranking.most; ; most = WINDOW) {
    const top = await topScores(scored, Math.min(Math.max(most, 1), WINDOW), below, ranking);
    const lowest = top.lowest;
    if (lowest === undefined) return;
    for (const { score, ids } of groupsOf(scored, top.sorted())) {
      if (score === lowest) break;
      if (ids.length === 1) yield ids;
      else yield* byName(ranking, IdSet.of(ids), '');
    }
    yield* byName(ranking, idsWith(scored, lowest), '');
    below = lowest;
  }
}

type Scored = Pick<TextMatches, 'ids' | 'scores'>;

async function wantedScores({ texts, among, scope }: Ranking): Promise<Scored> {
  if (among === undefined || among.size === texts.ids.length) return texts;
  const yielder = new Yielder(scope.stats.work);
  const ids = new Float64Array(among.size);
  const scores = new Float64Array(among.size);
  let size = 0;
  for (let i = 0; i < texts.ids.length; i++) {
    const id = texts.ids[i] ?? 0;
    if (among.has(id)) {
      ids[size] = id;
      scores[size++] = texts.scores[i] ?? 0;
    }
    if (i % STEP === 0 && yielder.isDue) await yielder.take();
  }
  return { ids, scores };
}

async function topScores(
  { scores }: Scored,
  most: number,
  below: number,
  { scope }: Ranking,
): Promise<TopScores> {
  const yielder = new Yielder(scope.stats.work);
  const top = new TopScores(scores, Math.min(most, scores.length));
  for (let from = 0; from < scores.length; from += STEP) {
    top.add(from, Math.min(from + STEP, scores.length), below);
    if (yielder.isDue) await yielder.take();
  }
  return top;
}

interface Group {
  readonly score: number;
  readonly ids: number[];
}

/** Neighbours with equal scores. */
function* groupsOf({ ids, scores }: Scored, places: Iterable<number>): Generator<Group> {
  let group: Group | undefined;
  for (const place of places) {
    const score = scores[place] ?? 0;
    if (group?.score !== score) {
      if (group !== undefined) yield group;
      group = { score, ids: [] };
    }
    group.ids.push(ids[place] ?? 0);
  }
  if (group !== undefined) yield group;
}

function idsWith({ ids, scores }: Scored, score: number): IdSet {
  const found: number[] = [];
  for (let i = 0; i < scores.length; i++) if (scores[i] === score) found.push(ids[i] ?? 0);
  return IdSet.of(found);
}

async function* byName(
  { scope, objects, most }: Ranking,
  ids: IdSet,
  after: string,
): AsyncGenerator<number[]> {
  const { view, table, stats } = scope;
  if (ids.size === 0) return;
  if (ids.size === 1 && after === '') {
    yield ids.toArray();
    return;
  }
  const onRead = (names: number): void => stats.addEntries(names);
  yield* inNameOrder({ snapshot: view.snapshot, table, objects, first: most, onRead }, ids, after);
}
