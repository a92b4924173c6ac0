import type { Engine, Snapshot, Transaction } from '../engine.js';
import type { Table } from '../table.js';
import { removeRange, withSnapshot } from '../with-snapshot.js';
import { readFresh, writeFresh } from './flush.js';
import { mergeSegments } from './merge.js';
import {
  countsKey,
  decodeCounts,
  decodeSegments,
  encodeSegments,
  getFreshRows,
  getSegmentRows,
  segmentsKey,
  type TextSegment,
  type Segments,
  type TextCounts,
} from './rows.js';
import { SegmentReader } from './segment-reader.js';
import { SegmentWriter } from './segment-writer.js';

/** The sizes at which rows of text indexes are written again. */
export interface TextLimits {
  /** Fresh rows that become a segment, at least. */
  readonly rows: number;
  /** Their size, in bytes: the same. */
  readonly bytes: number;
  /** Segments of about one size that become one. */
  readonly segments: number;
}

const LIMITS: TextLimits = { rows: 4_096, bytes: 4 * 1024 * 1024, segments: 8 };

/** A segment takes at most this multiple of the limit. */
const BEHIND_MAX = 4;

export interface KeepOptions {
  readonly limits?: TextLimits;
  /** The work ends soon after it is aborted; a later one does it. */
  readonly signal?: AbortSignal;
}

type Kept = KeepOptions & Required<Pick<KeepOptions, 'limits'>>;

/** Another process has begun the same work again, or the work must end. */
class GivenUp extends Error {}

const running = new WeakMap<Engine, Promise<void>>();

/**
 * Writes the fresh rows of text indexes into segments, merges segments, and removes rows that nobody needs. It changes no
 * result. It may be interrupted anywhere, and run in several processes at once: then one of them does the work.
 */
export async function keepTexts(
  engine: Engine,
  tables: readonly Pick<Table, 'textIndex'>[],
  { limits = LIMITS, signal }: KeepOptions = {},
): Promise<void> {
  const ids = tables.flatMap(({ textIndex }) => (textIndex === undefined ? [] : [textIndex.id]));
  if (ids.length === 0) return;
  const before = running.get(engine) ?? Promise.resolve();
  const work = before
    .catch(() => undefined)
    .then(() => keepAll(engine, ids, { limits, ...(signal && { signal }) }));
  running.set(engine, work);
  await work;
}

async function keepAll(engine: Engine, ids: readonly number[], options: Kept): Promise<void> {
  for (const id of ids) {
    try {
      await new Keeper(engine, id, options).run();
    } catch (error) {
      if (!(error instanceof GivenUp)) throw error;
    }
  }
}

/** The state of a text index. */
interface State {
  readonly counts: TextCounts;
  readonly segments: Segments;
}

async function readState(snapshot: Snapshot, indexId: number): Promise<State> {
  const [counts, segments] = await snapshot.getMany([countsKey(indexId), segmentsKey(indexId)]);
  return { counts: decodeCounts(counts), segments: decodeSegments(segments) };
}

class Keeper {
  constructor(
    private readonly engine: Engine,
    private readonly indexId: number,
    private readonly options: Kept,
  ) {}

  get limits(): TextLimits {
    return this.options.limits;
  }

  async run(): Promise<void> {
    let isFirst = true;
    while (this.options.signal?.aborted !== true) {
      const { counts, segments } = await withSnapshot(this.engine, (snapshot) =>
        readState(snapshot, this.indexId),
      );
      if (isFirst && segments.begun.length > 0) await this.#drop(segments.begun);
      else if (segments.dropped.length > 0) await this.#sweep(segments.dropped);
      else if (this.#isFlushDue(counts, segments)) await this.#flush(counts, segments);
      else if (this.#mergeFrom(segments) !== undefined) await this.#merge(segments);
      else return;
      isFirst = false;
    }
  }

  #isFlushDue({ nextRow, bytes }: TextCounts, { flushed, flushedBytes }: Segments): boolean {
    return nextRow - flushed >= this.limits.rows || bytes - flushedBytes >= this.limits.bytes;
  }

  async #flush({ nextRow }: TextCounts, { flushed }: Segments): Promise<void> {
    const to = Math.min(nextRow, flushed + this.limits.rows * BEHIND_MAX);
    const bytesMax = this.limits.bytes * BEHIND_MAX;
    const fresh = await withSnapshot(this.engine, (snapshot) =>
      readFresh(snapshot, this.indexId, { from: flushed, to, bytesMax }),
    );
    const writer = await this.#begin();
    await writeFresh(fresh.rows, writer.rows);
    await writer.end((segments, segment) => ({
      ...segments,
      flushed: fresh.end,
      flushedBytes: segments.flushedBytes + fresh.bytes,
      segments: [...segments.segments, segment],
    }));
    await removeRange(this.engine, getFreshRows(this.indexId, flushed, fresh.end));
  }

  /** The position of the oldest segment to merge with all newer ones; undefined when there are few. */
  #mergeFrom({ segments }: Segments): number | undefined {
    for (let size = this.limits.rows; ; size *= this.limits.segments) {
      const larger = segments.findLastIndex(({ docs }) => docs >= size * this.limits.segments);
      if (segments.length - (larger + 1) >= this.limits.segments) return larger + 1;
      if (larger < 0) return undefined;
    }
  }

  async #merge(segments: Segments): Promise<void> {
    const from = this.#mergeFrom(segments) ?? 0;
    const { length } = segments.segments;
    const merged = new Set(segments.segments.slice(from).map(({ id }) => id));
    const writer = await this.#begin();
    await withSnapshot(this.engine, (snapshot) => {
      const all = segments.segments.map((segment) => new SegmentReader(snapshot, this.indexId, segment));
      return mergeSegments({ all, from, to: length }, writer.rows);
    });
    await writer.end((now, segment) => ({
      ...now,
      segments: now.segments.flatMap((one, i) => (i === from ? [segment] : merged.has(one.id) ? [] : [one])),
      dropped: [...now.dropped, ...merged],
    }));
  }

  async #begin(): Promise<BegunSegment> {
    const { engine, indexId } = this;
    const segment = await this.#update((segments) => ({
      ...segments,
      nextId: segments.nextId + 1,
      begun: [...segments.begun, segments.nextId],
    })).then(({ nextId }) => nextId - 1);
    const stillMine = (tx: Transaction): void => {
      if (this.options.signal?.aborted === true) throw new GivenUp();
      if (!decodeSegments(tx.get(segmentsKey(indexId))).begun.includes(segment)) throw new GivenUp();
    };
    const rows = new SegmentWriter({ engine, indexId, segment, stillMine });
    return {
      rows,
      end: async (next) => {
        const written = await rows.end();
        await engine.commit((tx) => {
          stillMine(tx);
          const segments = decodeSegments(tx.get(segmentsKey(indexId)));
          const begun = segments.begun.filter((id) => id !== segment);
          tx.put(segmentsKey(indexId), encodeSegments(next({ ...segments, begun }, written)));
        });
      },
    };
  }

  #drop(begun: readonly number[]): Promise<Segments> {
    return this.#update((segments) => ({
      ...segments,
      begun: segments.begun.filter((id) => !begun.includes(id)),
      dropped: [...new Set([...segments.dropped, ...begun])],
    }));
  }

  async #sweep(dropped: readonly number[]): Promise<void> {
    for (const id of dropped)
      for (const rows of getSegmentRows(this.indexId, id)) await removeRange(this.engine, rows);
    await this.#update((segments) => ({
      ...segments,
      dropped: segments.dropped.filter((id) => !dropped.includes(id)),
    }));
  }

  #update(change: (segments: Segments) => Segments): Promise<Segments> {
    const key = segmentsKey(this.indexId);
    return this.engine.commit((tx) => {
      const next = change(decodeSegments(tx.get(key)));
      tx.put(key, encodeSegments(next));
      return next;
    });
  }
}

/** A segment that is being written. */
interface BegunSegment {
  readonly rows: SegmentWriter;
  /** Writes the rest of it, and makes it a part of the index. */
  readonly end: (next: (segments: Segments, segment: TextSegment) => Segments) => Promise<void>;
}
