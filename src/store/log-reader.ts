import { ServiceError } from '../errors.js';
import type { KeyValue, Snapshot } from './engine.js';
import { countKey, LOG, logKey, objectKey, revisionInLogKey, indexRecordKey } from './keys.js';
import { decodeLogEntry, type LogEntry, type LogHead } from './log.js';
import { revisionInRecord } from './index-record.js';
import type { CurrentView } from './store.js';
import type { Table } from './table.js';
import { decodeCount, decodeObject } from './transaction.js';
import { Change, ChangeBatch } from './change.js';

/** Entries of the log that one step reads. */
const STEP_ENTRIES = 200;
/** A step ends after the batch in which it has read so many bytes of objects. */
const STEP_BYTES = 4 * 1024 * 1024;
/** Changes that are handed over together. */
const BATCH_CHANGES_MAX = 50;

/** What one look at the log found. */
export interface LogStep {
  /** Those of one model are in revision order. */
  readonly batches: readonly ChangeBatch[];
  /** Every change up to this revision has been read. */
  readonly until: number;
  /** Whether the log had no more at that moment. */
  readonly isEnd: boolean;
}

/**
 * Refuses to begin after a revision that changes cannot be told from.
 * @throws ServiceError `Expired` when changes after it were taken out of the log, and when the store never had it
 */
export function checkStart(head: LogHead, revision: number): void {
  if (revision > head.revision) {
    throw new ServiceError(
      'Expired',
      `resourceVersion ${revision} is newer than the store, which is at ${head.revision}: it was given by another ` +
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
 * @param models whose changes are asked for, by id
 * @throws ServiceError as {@link checkStart}
 */
export async function readStep(
  { view, tables }: CurrentView,
  after: number,
  models: ReadonlySet<number>,
): Promise<LogStep> {
  const head = await view.logHead();
  checkStart(head, after);
  if (head.revision === after) return { batches: [], until: after, isEnd: true };
  // What others changed need not even be read past.
  if (await areQuiet(view.snapshot, models, after)) return { batches: [], until: head.revision, isEnd: true };
  const range = { start: logKey(after + 1), end: LOG.end };
  const pairs = await view.snapshot.scan(range, { limit: STEP_ENTRIES });
  const byId = new Map([...tables.values()].map((table) => [table.modelId, table]));
  const batches: ChangeBatch[] = [];
  let bytes = 0;
  for (const { modelId, entries } of runsOf(pairs, models)) {
    const table = byId.get(modelId);
    if (table === undefined) continue;
    const batch = await resolve(view.snapshot, table, entries);
    batches.push(batch);
    bytes += batch.byteLength;
    if (bytes > STEP_BYTES && batch.revision < head.revision)
      return { batches, until: batch.revision, isEnd: false };
  }
  const last = pairs.at(-1);
  const isEnd = last === undefined || pairs.length < STEP_ENTRIES;
  return { batches, until: isEnd ? head.revision : revisionInLogKey(last.key), isEnd };
}

/** Whether none of the models has changed since a revision. */
async function areQuiet(snapshot: Snapshot, models: ReadonlySet<number>, after: number): Promise<boolean> {
  for (const modelId of models) {
    if (decodeCount(await snapshot.get(countKey(modelId))).revision > after) return false;
  }
  return true;
}

interface Logged extends LogEntry {
  readonly revision: number;
}

/** Entries of the wanted models: those of one model that follow one another are together, as far as a batch goes. */
function* runsOf(
  pairs: readonly KeyValue[],
  wanted: ReadonlySet<number>,
): Generator<{ readonly modelId: number; readonly entries: readonly Logged[] }> {
  let entries: Logged[] = [];
  let modelId = 0;
  for (const { key, value } of pairs) {
    const entry = { ...decodeLogEntry(value), revision: revisionInLogKey(key) };
    if (!wanted.has(entry.modelId)) continue;
    if (entries.length > 0 && (entry.modelId !== modelId || entries.length === BATCH_CHANGES_MAX)) {
      yield { modelId, entries };
      entries = [];
    }
    modelId = entry.modelId;
    entries.push(entry);
  }
  if (entries.length > 0) yield { modelId, entries };
}

/** Puts the states before and after each change to it: they lie in the log or, the latest, in the store. */
async function resolve(snapshot: Snapshot, table: Table, entries: readonly Logged[]): Promise<ChangeBatch> {
  const places = entries.map((entry) => placesOf(table, entry));
  const objects = await getWhere(
    snapshot,
    places.map(({ object }) => object),
  );
  const rows = await getWhere(
    snapshot,
    places.map(({ row }) => row),
  );
  const befores = await getWhere(
    snapshot,
    places.map(({ before }) => before),
  );
  const changes = entries.map((entry, i) => {
    const { type, revision, name, object, next, previousRecord, previousObject } = entry;
    const isAdded = previousRecord.length === 0;
    const before = (): Buffer =>
      previousObject.length > 0 ? previousObject : present(befores[i], objectOf, entry);
    return new Change({
      type,
      revision,
      name,
      bytes: object.length > 0 ? object : present(objects[i], decodedObject, entry),
      row: type === 'DELETED' ? undefined : present(rows[i], next === undefined ? same : rowBefore, entry),
      previousRecord: isAdded ? undefined : previousRecord,
      previousBytes: isAdded ? undefined : before(),
    });
  });
  return new ChangeBatch(table, changes, entries[0]?.timeMs ?? 0);
}

const same = (bytes: Buffer): Buffer => bytes;
const decodedObject = (record: Buffer): Buffer => decodeObject(record).bytes;
const rowBefore = (entry: Buffer): Buffer => decodeLogEntry(entry).previousRecord;
const objectOf = (entry: Buffer): Buffer => decodeLogEntry(entry).object;

/** What the layout says is there. @throws ServiceError `Expired` when the store is damaged, rather than tell half of it */
function present(stored: Buffer | undefined, take: (bytes: Buffer) => Buffer, { name }: LogEntry): Buffer {
  const bytes = stored && take(stored);
  if (bytes !== undefined && bytes.length > 0) return bytes;
  throw new ServiceError(
    'Expired',
    `the log has lost a state of "${name}"; list again, and run \`xsvc check\``,
  );
}

/** Keys of what an entry does not hold itself; undefined for what is not to be looked up. */
function placesOf(
  { modelId }: Table,
  { type, name, object, next, previousRecord, previousObject }: LogEntry,
): Record<'object' | 'row' | 'before', Uint8Array | undefined> {
  const before =
    previousRecord.length === 0 || previousObject.length > 0 ? undefined : revisionInRecord(previousRecord);
  const isGone = type === 'DELETED';
  return {
    object: object.length > 0 ? undefined : objectKey(modelId, name),
    row: isGone ? undefined : next === undefined ? indexRecordKey(modelId, name) : logKey(next),
    before: before === undefined ? undefined : logKey(before),
  };
}

/** What is stored under the keys that there are; in their places. */
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
