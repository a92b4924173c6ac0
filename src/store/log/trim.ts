import type { Engine, Snapshot, Transaction } from '../engine.js';
import { LOG, logKey, revisionInLogKey } from '../index/keys.js';
import { withSnapshot } from '../with-snapshot.js';
import {
  type CommitStamp,
  decodeLogEntry,
  decodeLogHead,
  encodeLogEntry,
  encodeLogHead,
  LOG_HEAD_KEY,
} from './log.js';

/**
 * The entries that the log keeps: the last `count`, all younger than `ageMs`, and all after `unread`, whichever is more; but
 * never more than `bytesMax`.
 */
export interface Retention {
  readonly count: number;
  readonly ageMs: number;
  /** Default: no limit. */
  readonly bytesMax?: number;
  /** The revision up to which all readers have read the log that must see each change. Default: no such reader. */
  readonly unread?: number | undefined;
}

/** Most entries that a commit removes; small, so that writers are not blocked. */
const STEP = 500;
/** Most bytes that a commit removes. The state in an entry is written again with the next entry of its object. */
const STEP_BYTES = 1024 * 1024;

/** @returns the number of removed entries */
export async function trimLog(engine: Engine, retention: Retention, nowMs: number): Promise<number> {
  let removed = 0;
  for (;;) {
    const step = await trimStep(engine, retention, nowMs);
    if (step === 0) return removed;
    removed += step;
  }
}

async function trimStep(engine: Engine, retention: Retention, nowMs: number): Promise<number> {
  const old = await withSnapshot(engine, (snapshot) => superfluous(snapshot, retention, nowMs));
  const last = old.keys.at(-1);
  if (last === undefined) return 0;
  return engine.commit((tx) => {
    // Another process may trim at the same time.
    const present = old.keys.filter((key) => tx.get(key) !== undefined);
    // From the newest, so that a state moved from one entry is not moved again with the next one.
    const freed = present.reverse().reduce((sum, key) => sum + takeOut(tx, key), 0);
    const head = decodeLogHead(tx.get(LOG_HEAD_KEY));
    const trimmed = Math.max(head.trimmed, revisionInLogKey(last));
    const entries = head.entries - present.length;
    const bytes = head.bytes - freed + (present.length === 0 ? 0 : stampNext(tx, trimmed, old.stamp));
    tx.put(LOG_HEAD_KEY, encodeLogHead({ ...head, entries, trimmed, bytes }));
    return present.length;
  });
}

/**
 * Moves the stamp of a commit to the first of its remaining entries.
 * @returns the bytes by which the log grew
 */
function stampNext(tx: Transaction, trimmed: number, stamp: CommitStamp): number {
  const key = logKey(trimmed + 1);
  const stored = tx.get(key);
  const entry = stored && decodeLogEntry(stored);
  if (stored === undefined || entry === undefined || entry.stamp !== undefined) return 0;
  const grown = encodeLogEntry({ ...entry, stamp });
  tx.put(key, grown);
  return grown.length - stored.length;
}

/** The first entries of the log. */
interface OldEntries {
  readonly keys: readonly Buffer[];
  /** The stamp of the last entry's commit. */
  readonly stamp: CommitStamp;
}

/** Keys of the first entries that need not be kept, oldest first, at most those of one step. */
async function superfluous(
  snapshot: Snapshot,
  { count, ageMs, bytesMax = Infinity, unread = Infinity }: Retention,
  nowMs: number,
): Promise<OldEntries> {
  const { entries, bytes } = decodeLogHead(await snapshot.get(LOG_HEAD_KEY));
  const excess = bytes - bytesMax;
  const spare = entries - count;
  const limit = Math.min(STEP, excess > 0 ? entries : spare);
  let stamp: CommitStamp = { timeMs: 0, user: '' };
  if (limit <= 0) return { keys: [], stamp };
  const oldest: Entry[] = [];
  await snapshot.scanInPlace(LOG, { limit }, (value, key) => {
    stamp = decodeLogEntry(Buffer.from(value.buffer, value.byteOffset, value.length)).stamp ?? stamp;
    const copy = Buffer.from(key.bytes.subarray(key.start, key.end));
    oldest.push({ key: copy, stamp, bytes: value.length });
    return true;
  });
  const old = Math.min(spare, firstWithinRetention(oldest, nowMs - ageMs), countRead(oldest, unread));
  const taken = oldest.slice(
    0,
    Math.min(Math.max(old, countEntries(oldest, excess)), countEntries(oldest, STEP_BYTES)),
  );
  return { keys: taken.map(({ key }) => key), stamp: taken.at(-1)?.stamp ?? stamp };
}

interface Entry {
  readonly key: Buffer;
  readonly stamp: CommitStamp;
  readonly bytes: number;
}

/**
 * The number of first entries that are too old. An entry is at most as young as those after it, so a clock that was
 * ahead for a while does not protect the entries of that time.
 */
function firstWithinRetention(entries: readonly Entry[], timeMs: number): number {
  const last = entries.findLastIndex((entry) => entry.stamp.timeMs < timeMs);
  return last + 1;
}

/** The number of first entries up to a revision. */
function countRead(entries: readonly Entry[], revision: number): number {
  return entries.findLastIndex(({ key }) => revisionInLogKey(key) <= revision) + 1;
}

/** The number of first entries whose total size reaches a number of bytes. */
function countEntries(entries: readonly Entry[], bytes: number): number {
  let left = bytes;
  let count = 0;
  for (const entry of entries) {
    if (left <= 0) return count;
    left -= entry.bytes;
    count++;
  }
  return count;
}

/**
 * Removes an entry. The next change of the same object keeps the state that only this entry had.
 * @returns the bytes by which the log shrank
 */
function takeOut(tx: Transaction, key: Buffer): number {
  const value = tx.get(key);
  tx.remove(key);
  if (value === undefined) return 0;
  const { next, record } = decodeLogEntry(value);
  if (next === undefined) return value.length;
  const nextKey = logKey(next);
  const follower = tx.get(nextKey);
  if (follower === undefined) return value.length;
  const grown = encodeLogEntry({ ...decodeLogEntry(follower), previousRecord: record });
  tx.put(nextKey, grown);
  return value.length - (grown.length - follower.length);
}
