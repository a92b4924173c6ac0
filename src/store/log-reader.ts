import { ServiceError } from '../errors.js';
import type { KeyRange, KeyValue, Snapshot } from './engine.js';
import {
  countKey,
  following,
  LOG,
  logKey,
  objectKey,
  positionInLogKey,
  indexRecordKey,
} from './keys.js';
import { decodeLogEntry, type LogEntry, type LogHead } from './log.js';
import { placeInRow } from './index-record.js';
import type { CurrentView } from './store.js';
import type { Table } from './table.js';
import { decodeCount, decodeObject } from './transaction.js';
import { Change, type ChangeBatch } from './change.js';

/** Entries of the log that one step reads, unless a single revision has more. */
const STEP_ENTRIES = 100;
/** A step ends after the revision in which it has read so many bytes of objects. */
const STEP_BYTES = 4 * 1024 * 1024;

/** What one look at the log found. */
export interface LogStep {
  /** In revision order. */
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
 * Reads the log after a revision: whole revisions only, a bounded part of it.
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
  const { pairs, isEnd } = await scanWhole(view.snapshot, after);
  const byId = new Map([...tables.values()].map((table) => [table.modelId, table]));
  const batches: ChangeBatch[] = [];
  let bytes = 0;
  for (const { revision, entries } of revisionsOf(pairs)) {
    for (const [modelId, own] of byModel(entries, models)) {
      const table = byId.get(modelId);
      if (table === undefined) continue;
      const batch = await resolve(view.snapshot, table, revision, own);
      bytes += batch.byteLength;
      batches.push(batch);
    }
    if (bytes > STEP_BYTES && revision < head.revision) return { batches, until: revision, isEnd: false };
  }
  const last = pairs.at(-1);
  const read = last === undefined ? head.revision : positionInLogKey(last.key).revision;
  return { batches, until: isEnd ? head.revision : read, isEnd };
}

/** Whether none of the models has changed since a revision. */
async function areQuiet(snapshot: Snapshot, models: ReadonlySet<number>, after: number): Promise<boolean> {
  for (const modelId of models) {
    if (decodeCount(await snapshot.get(countKey(modelId))).revision > after) return false;
  }
  return true;
}

/** The entries after a revision, up to the end of a revision. */
async function scanWhole(
  snapshot: Snapshot,
  after: number,
): Promise<{ readonly pairs: readonly KeyValue[]; readonly isEnd: boolean }> {
  let range: KeyRange = { start: logKey(after + 1, 0), end: LOG.end };
  const pairs: KeyValue[] = [];
  for (;;) {
    const more = await snapshot.scan(range, { limit: STEP_ENTRIES });
    pairs.push(...more);
    const last = more.at(-1);
    if (last === undefined || more.length < STEP_ENTRIES) return { pairs, isEnd: true };
    // The last revision may go on; it is left for the next step unless it is all there is.
    const { revision } = positionInLogKey(last.key);
    const whole = pairs.findIndex(({ key }) => positionInLogKey(key).revision === revision);
    if (whole > 0) return { pairs: pairs.slice(0, whole), isEnd: false };
    range = following(range, last.key);
  }
}

function* revisionsOf(
  pairs: readonly KeyValue[],
): Generator<{ readonly revision: number; readonly entries: readonly LogEntry[] }> {
  let revision = 0;
  let entries: LogEntry[] = [];
  for (const { key, value } of pairs) {
    const at = positionInLogKey(key);
    if (at.revision !== revision && entries.length > 0) {
      yield { revision, entries };
      entries = [];
    }
    revision = at.revision;
    entries.push(decodeLogEntry(value));
  }
  if (entries.length > 0) yield { revision, entries };
}

function byModel(
  entries: readonly LogEntry[],
  wanted: ReadonlySet<number>,
): ReadonlyMap<number, readonly LogEntry[]> {
  const models = new Map<number, LogEntry[]>();
  for (const entry of entries) {
    if (!wanted.has(entry.modelId)) continue;
    const known = models.get(entry.modelId);
    if (known === undefined) models.set(entry.modelId, [entry]);
    else known.push(entry);
  }
  return models;
}

/** Puts the states before and after each change to it: they lie in the log or, the latest, in the store. */
async function resolve(
  snapshot: Snapshot,
  table: Table,
  revision: number,
  entries: readonly LogEntry[],
): Promise<ChangeBatch> {
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
    const { type, name, object, next, previousRecord, previousObject } = entry;
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
  return {
    revision,
    table,
    changes,
    byteLength: changes.reduce((sum, { byteLength }) => sum + byteLength, 0),
  };
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
    previousRecord.length === 0 || previousObject.length > 0 ? undefined : placeInRow(previousRecord);
  const isGone = type === 'DELETED';
  return {
    object: object.length > 0 ? undefined : objectKey(modelId, name),
    row: isGone ? undefined : next ? logKey(next.revision, next.position) : indexRecordKey(modelId, name),
    before: before && logKey(before.revision, before.position),
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
