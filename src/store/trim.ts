import type { Engine, KeyValue, Transaction } from './engine.js';
import { LOG, logKey, revisionInLogKey } from './keys.js';
import { decodeLogEntry, decodeLogHead, encodeLogEntry, encodeLogHead, LOG_HEAD_KEY } from './log.js';

/** What the log keeps: the last `count` entries, and all younger than `ageMs`; whichever is more. */
export interface Retention {
  readonly count: number;
  readonly ageMs: number;
}

/** Entries a commit takes out: small enough that writers are not held up. */
const STEP = 500;

/** @returns how many entries were taken out */
export async function trimLog(engine: Engine, retention: Retention, nowMs: number): Promise<number> {
  let removed = 0;
  for (;;) {
    const step = await trimStep(engine, retention, nowMs);
    removed += step;
    if (step < STEP) return removed;
  }
}

async function trimStep(engine: Engine, { count, ageMs }: Retention, nowMs: number): Promise<number> {
  const snapshot = engine.snapshot();
  let old: Buffer[];
  try {
    const { entries } = decodeLogHead(await snapshot.get(LOG_HEAD_KEY));
    const spare = Math.min(STEP, entries - count);
    if (spare <= 0) return 0;
    const oldest = await snapshot.scan(LOG, { limit: spare });
    old = olderThan(oldest, nowMs - ageMs);
  } finally {
    snapshot.close();
  }
  const last = old.at(-1);
  if (last === undefined) return 0;
  return engine.commit((tx) => {
    // Another process may trim at the same time.
    const present = old.filter((key) => tx.get(key) !== undefined);
    // From the newest, so that what an entry hands on is not handed on again by the next one.
    for (const key of present.reverse()) takeOut(tx, key);
    const head = decodeLogHead(tx.get(LOG_HEAD_KEY));
    const trimmed = Math.max(head.trimmed, revisionInLogKey(last));
    tx.put(LOG_HEAD_KEY, encodeLogHead({ ...head, entries: head.entries - present.length, trimmed }));
    return present.length;
  });
}

/**
 * Keys of the first entries, as far as they are old. An entry is at most as young as those after it: a clock that ran
 * ahead for a while and was set back does not keep what it wrote.
 */
function olderThan(oldest: readonly KeyValue[], timeMs: number): Buffer[] {
  let young = oldest.length;
  let earliest = Infinity;
  for (let i = oldest.length - 1; i >= 0; i--) {
    const pair = oldest[i];
    if (pair !== undefined) earliest = Math.min(earliest, decodeLogEntry(pair.value).timeMs);
    if (earliest < timeMs) break;
    young = i;
  }
  return oldest.slice(0, young).map(({ key }) => key);
}

/** Removes an entry. The next change of the same object keeps the state that only this entry had. */
function takeOut(tx: Transaction, key: Buffer): void {
  const value = tx.get(key);
  tx.remove(key);
  if (value === undefined) return;
  const { next, object } = decodeLogEntry(value);
  if (next === undefined) return;
  const nextKey = logKey(next);
  const follower = tx.get(nextKey);
  if (follower === undefined) return;
  tx.put(nextKey, encodeLogEntry({ ...decodeLogEntry(follower), previousObject: object }));
}
