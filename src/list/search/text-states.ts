import type { Cache, CacheBudget } from '../../lib/cache-budget.js';
import { Yielder } from '../../lib/work/yield.js';
import type { Snapshot } from '../../store/engine.js';
import { scanChunks } from '../../store/index/scan.js';
import {
  countsKey,
  decodeCounts,
  decodeFresh,
  decodeSegments,
  getFreshRows,
  segmentsKey,
  type TextSegment,
} from '../../store/text/rows.js';
import { SegmentReader } from '../../store/text/segment-reader.js';
import { FreshWords } from './fresh-words.js';
import { partsOf, KeptDocs, withoutObjects, type SegmentPart } from './segment-docs.js';

/** A text index at a moment. */
export interface TextState {
  readonly nextRow: number;
  /** Oldest first. */
  readonly parts: readonly SegmentPart[];
  /** It may have later rows too. */
  readonly fresh: FreshWords;
}

/** A state, and the number of words of all objects. */
export interface CountedState {
  readonly state: TextState;
  readonly words: number;
}

/** The moment of a state. */
interface Moment {
  readonly nextRow: number;
  readonly flushed: number;
  readonly segments: readonly TextSegment[];
}

/** States that are kept for lists whose snapshots are a little older. */
const KEPT_MAX = 4;
const NO_STATES: readonly TextState[] = [];

/**
 * The states of one text index in memory: which docs have the words of which object. They follow the rows of the store. A
 * later state shares with the one before all that is the same.
 */
export class TextStates {
  readonly #kept: Cache<readonly TextState[]>;
  /** Lists that need the same state read it once. */
  #reading: Promise<unknown> | undefined;

  constructor(budget: CacheBudget) {
    this.#kept = budget.cache('text-index');
  }

  clear(): void {
    this.#kept.clear();
  }

  async at(snapshot: Snapshot, indexId: number): Promise<CountedState> {
    const { nextRow, words } = decodeCounts(await snapshot.get(countsKey(indexId)));
    const { flushed, segments } = decodeSegments(await snapshot.get(segmentsKey(indexId)));
    const moment = { nextRow, flushed, segments };
    let known = this.#find(moment);
    while (known === undefined && this.#reading !== undefined) {
      await this.#reading.catch(() => undefined);
      known = this.#find(moment);
    }
    return { state: known ?? (await this.#read(snapshot, indexId, moment)), words };
  }

  #find(moment: Moment): TextState | undefined {
    return this.#states.find((state) => state.nextRow === moment.nextRow && haveSegments(state, moment));
  }

  get #states(): readonly TextState[] {
    return this.#kept.get('') ?? NO_STATES;
  }

  async #read(snapshot: Snapshot, indexId: number, moment: Moment): Promise<TextState> {
    const reading = this.#build(snapshot, indexId, moment);
    this.#reading = reading;
    try {
      const state = await reading;
      this.#keep(state, moment);
      return state;
    } finally {
      if (this.#reading === reading) this.#reading = undefined;
    }
  }

  /** Begins with the latest state that is not later. */
  async #build(snapshot: Snapshot, indexId: number, moment: Moment): Promise<TextState> {
    const states = this.#states;
    const base = states.findLast((state) => state.nextRow <= moment.nextRow && haveSegments(state, moment));
    const { nextRow, flushed } = moment;
    const fresh = base?.fresh ?? new FreshWords(flushed);
    await readFresh(snapshot, indexId, fresh, nextRow);
    if (base !== undefined) {
      const changed = [...fresh.objectsBetween(base.nextRow, nextRow)];
      const parts: SegmentPart[] = [];
      for (const part of base.parts) parts.push(await withoutObjects(part, changed));
      return { nextRow, parts, fresh };
    }
    const known = new Map(
      states.flatMap(({ parts }) => parts.map(({ docs }) => [docs.segment.id, docs] as const)),
    );
    const segments: KeptDocs[] = [];
    for (const segment of moment.segments)
      segments.push(known.get(segment.id) ?? (await readDocs(snapshot, indexId, segment)));
    const objects = new Set(fresh.objectsBetween(flushed, nextRow));
    return { nextRow, parts: await partsOf(segments, (id) => objects.has(id)), fresh };
  }

  /** States with other segments are not kept: they share little memory. */
  #keep(state: TextState, moment: Moment): void {
    const others = this.#states;
    if ((others.at(-1)?.nextRow ?? 0) > state.nextRow) return;
    const alike = others.filter((other) => haveSegments(other, moment));
    const kept = [...alike.slice(1 - KEPT_MAX), state];
    const docs = state.parts.reduce((sum, part) => sum + part.docs.bytes, 0);
    this.#kept.set('', kept, docs + state.fresh.bytes);
  }
}

function haveSegments({ parts, fresh }: TextState, { segments, flushed }: Moment): boolean {
  return (
    fresh.first === flushed &&
    parts.length === segments.length &&
    parts.every(({ docs }, i) => docs.segment.id === segments[i]?.id)
  );
}

async function readDocs(snapshot: Snapshot, indexId: number, segment: TextSegment): Promise<KeptDocs> {
  const { ids, lengths } = await new SegmentReader(snapshot, indexId, segment).docs();
  return new KeptDocs(segment, ids, lengths);
}

/** Adds the fresh rows up to a number (exclusive). */
async function readFresh(
  snapshot: Snapshot,
  indexId: number,
  fresh: FreshWords,
  nextRow: number,
): Promise<void> {
  const yielder = new Yielder();
  const rows = getFreshRows(indexId, fresh.nextRow, nextRow);
  if (fresh.nextRow >= nextRow) return;
  for await (const pairs of scanChunks(snapshot, rows)) {
    for (const { value } of pairs) {
      fresh.add(decodeFresh(value));
      if (yielder.isDue) await yielder.take();
    }
  }
}
