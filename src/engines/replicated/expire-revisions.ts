import type { Transaction } from '../../store/engine.js';
import { decodeLogHead, encodeLogHead, LOG_HEAD_KEY } from '../../store/log/log.js';

/** More than a store changes in the time that an engine may lose. */
const LOST_MAX = 1_000_000;

/**
 * Makes every revision that was told so far one that is no longer in the log. After the engine has lost commits that
 * were answered, a revision may come to mean another state; so whoever goes on from one is told to begin anew.
 */
export function expireRevisions(tx: Transaction): void {
  const head = decodeLogHead(tx.get(LOG_HEAD_KEY));
  const revision = head.revision + LOST_MAX;
  tx.put(LOG_HEAD_KEY, encodeLogHead({ ...head, revision, trimmed: revision }));
}
