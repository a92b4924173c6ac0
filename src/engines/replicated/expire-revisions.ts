import type { Transaction } from '../../store/engine.js';
import { decodeLogHead, encodeLogHead, LOG_HEAD_KEY } from '../../store/log/log.js';

/** More than the number of changes in a period that an engine may lose. */
const LOST_MAX = 1_000_000;

/**
 * Marks every revision up to now as removed from the log. After the engine has lost completed commits, a revision may
 * later denote another state. A client that continues from an old revision must therefore start again.
 */
export function expireRevisions(tx: Transaction): void {
  const head = decodeLogHead(tx.get(LOG_HEAD_KEY));
  const revision = head.revision + LOST_MAX;
  tx.put(LOG_HEAD_KEY, encodeLogHead({ ...head, revision, trimmed: revision }));
}
