import { ServiceError } from '../../errors.js';
import { asBuffer } from '../../lib/bytes.js';
import type { KeyValue, Snapshot } from '../engine.js';
import { countKey, LOG, logAfter, logKey, objectKey, revisionInLogKey } from '../index/keys.js';
import { type CommitStamp, decodeLogEntry, isStamped, type LogEntry, type LogHead } from './log.js';
import { decodeRecord } from '../object-record.js';
import type { CurrentView } from '../store.js';
import type { Table } from '../table.js';
import { decodeCount } from '../transaction.js';
import { Change, ChangeBatch } from './change.js';

/** Entries of the log that one step reads. */
const STEP_ENTRIES = 200;
/** A step ends after the entries, or the batch, that exceed this number of bytes of objects. */
const STEP_BYTES = 4 * 1024 * 1024;
/** Changes whose objects are read together; proportionally fewer in a shorter step. */
const RUN_CHANGES_MAX = 50;
/** Bytes of objects in one batch. Each batch is one write to every watch. */
const BATCH_BYTES_MAX = 256 * 1024;

/** The result of one read of the log. */
export interface LogStep {
  /** Batches of one model are in revision order. */
  readonly batches: readonly ChangeBatch[];
  /** Every change up to this revision was read. */
  readonly until: number;
  /** True when the log had no more at that moment. */
  readonly isEnd: boolean;
}

/**
 * Refuses a start after a revision whose later changes are not all known.
 * @throws ServiceError `Expired` when changes after it were removed from the log, and when the store never had it
 */
export function checkStart(head: LogHead, revision: number): void {
  if (revision > head.revision) {
    throw new ServiceError(
      'Expired',
      `resourceVersion ${revision} is newer than the store, which is at ${head.revision}: it comes from another ` +
        `store, or this one was restored; list again`,
    );
  }
  if (revision < head.trimmed) {
    throw new ServiceError(
      'Expired',
      `resourceVersion ${revision} is too old: the log begins after ${head.trimmed}; list again`,
    );
  }
}

/**
 * Reads a bounded part of the log after a revision.
 * @param models ids of the requested models
 * @param bytesMax see {@link STEP_BYTES}; with 0, one entry is read
 * @throws ServiceError as {@link checkStart}
 */
export async function readStep(
  { view, tables }: CurrentView,
  after: number,
  models: ReadonlySet<number>,
  bytesMax = STEP_BYTES,
): Promise<LogStep> {
  const head = await view.logHead();
  checkStart(head, after);
  if (head.revision === after) return { batches: [], until: after, isEnd: true };
  // When only other models changed, the entries are not read at all.
  if (await areQuiet(view.snapshot, models, after)) return { batches: [], until: head.revision, isEnd: true };
  const { timeMs } = (await readStamp(view.snapshot, after + 1)).stamp;
  const pairs: KeyValue[] = [];
  let entryBytes = 0;
  const lastKey = await view.snapshot.scanInPlace(logAfter(after), { limit: STEP_ENTRIES }, (value, key) => {
    const copy = Buffer.from(key.bytes.subarray(key.start, key.end));
    // The memory behind a value may be longer than its length.
    pairs.push({ key: copy, value: Buffer.from(value.subarray(0, value.length)) });
    entryBytes += value.length;
    return entryBytes < bytesMax;
  });
  const byId = new Map([...tables.values()].map((table) => [table.modelId, table]));
  const batches: ChangeBatch[] = [];
  let bytes = 0;
  const runMax = Math.ceil((RUN_CHANGES_MAX * bytesMax) / STEP_BYTES);
  for (const { modelId, entries } of groupByModel(pairs, models, timeMs, runMax)) {
    const table = byId.get(modelId);
    if (table === undefined) continue;
    const batch = await resolve(view.snapshot, table, entries);
    const before = batches.at(-1);
    if (before?.table === table && before.byteLength + batch.byteLength <= BATCH_BYTES_MAX)
      batches[batches.length - 1] = before.and(batch);
    else batches.push(batch);
    bytes += batch.byteLength;
    if (bytes > bytesMax && batch.revision < head.revision)
      return { batches, until: batch.revision, isEnd: false };
  }
  return {
    batches,
    until: lastKey === undefined ? head.revision : revisionInLogKey(lastKey),
    isEnd: lastKey === undefined,
  };
}

/** Above any number of entries in a commit. */
export const COMMIT_ENTRIES_MAX = 1_000_000;

/** The stamp of a commit, and its first change that is in the log. */
export interface StampedCommit {
  readonly first: number;
  readonly stamp: CommitStamp;
}

/** Reads the stamp of the commit of a change. It is stored with the commit's first entry. */
export async function readStamp(snapshot: Snapshot, revision: number): Promise<StampedCommit> {
  const range = { start: LOG.start, end: logKey(revision + 1) };
  let stamp: CommitStamp | undefined;
  let first = revision + 1;
  await snapshot.scanInPlace(range, { limit: COMMIT_ENTRIES_MAX, reverse: true }, (value) => {
    first -= 1;
    if (isStamped(value)) stamp = decodeLogEntry(asBuffer(value)).stamp;
    return stamp === undefined;
  });
  return { first, stamp: stamp ?? { timeMs: 0, user: '' } };
}

/** True when none of the models has changed since a revision. */
async function areQuiet(snapshot: Snapshot, models: ReadonlySet<number>, after: number): Promise<boolean> {
  for (const modelId of models) {
    if (decodeCount(await snapshot.get(countKey(modelId))).revision > after) return false;
  }
  return true;
}

interface Logged extends LogEntry {
  readonly revision: number;
  /** Time of the commit, in milliseconds since 1970. */
  readonly timeMs: number;
}

/** Groups consecutive entries of one requested model, up to the size of a run. */
function* groupByModel(
  pairs: readonly KeyValue[],
  wanted: ReadonlySet<number>,
  firstMs: number,
  runMax: number,
): Generator<{ readonly modelId: number; readonly entries: readonly Logged[] }> {
  let entries: Logged[] = [];
  let modelId = 0;
  let timeMs = firstMs;
  for (const { key, value } of pairs) {
    const decoded = decodeLogEntry(value);
    timeMs = decoded.stamp?.timeMs ?? timeMs;
    const entry = { ...decoded, revision: revisionInLogKey(key), timeMs };
    if (!wanted.has(entry.modelId)) continue;
    if (entries.length > 0 && (entry.modelId !== modelId || entries.length >= runMax)) {
      yield { modelId, entries };
      entries = [];
    }
    modelId = entry.modelId;
    entries.push(entry);
  }
  if (entries.length > 0) yield { modelId, entries };
}

/** Adds the states before and after each change. They are in the log or, for the latest one, in the store. */
async function resolve(snapshot: Snapshot, table: Table, entries: readonly Logged[]): Promise<ChangeBatch> {
  const stored = await getWhere(
    snapshot,
    entries.map(({ id, record }) => (record.length > 0 ? undefined : objectKey(table.modelId, id))),
  );
  const earlier = await getWhere(
    snapshot,
    entries.map(({ previous, previousRecord }) =>
      previous === undefined || previousRecord.length > 0 ? undefined : logKey(previous),
    ),
  );
  const changes = entries.map((entry, i) => {
    const { type, revision, id, record, previous, previousRecord, timeMs } = entry;
    const before = (): Buffer => {
      const kept = earlier[i];
      return previousRecord.length > 0 ? previousRecord : ((kept && decodeLogEntry(kept).record) ?? NONE);
    };
    return new Change(table, {
      type,
      revision,
      id,
      record: sound(table, entry, record.length > 0 ? record : (stored[i] ?? NONE)),
      previousRecord: previous === undefined ? undefined : sound(table, entry, before()),
      timeMs,
    });
  });
  return new ChangeBatch(table, changes, entries[0]?.timeMs ?? 0);
}

const NONE = Buffer.alloc(0);

/**
 * Checks a record that must exist.
 * @throws ServiceError when the store is damaged, instead of an incomplete answer: `Expired` for a missing record,
 * `InternalError` for a damaged one
 */
function sound(table: Table, { id, revision }: Logged, record: Buffer): Buffer {
  if (record.length > 0) return decodeRecord(table, id, record).record;
  const message = `the log lacks the state of change ${revision}; list again, and run \`xsvc check\``;
  throw new ServiceError('Expired', message);
}

/** The values of the defined keys, at the same positions. */
async function getWhere(
  snapshot: Snapshot,
  keys: readonly (Uint8Array | undefined)[],
): Promise<(Buffer | undefined)[]> {
  const asked = keys.filter((key) => key !== undefined);
  if (asked.length === 0) return [];
  const values = await snapshot.getMany(asked);
  let at = 0;
  return keys.map((key) => (key === undefined ? undefined : values[at++]));
}
