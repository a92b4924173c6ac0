import type { HistoryItem } from '../../service/verbs.js';

/** Selects some of the changes of an object. */
export interface ChangeChoice {
  /** Greatest number; 0 means all. */
  readonly limit: number;
  readonly user: string | undefined;
  /** Milliseconds since 1970. */
  readonly sinceMs: number | undefined;
}

/** The changes of a user, or since a time. @param changes newest first */
export async function* selectChanges(
  changes: AsyncIterable<HistoryItem>,
  { limit, user, sinceMs = -Infinity }: ChangeChoice,
): AsyncGenerator<HistoryItem> {
  let left = limit === 0 ? Infinity : limit;
  for await (const change of changes) {
    if (left === 0 || Date.parse(change.time) < sinceMs) return;
    if (user !== undefined && change.user !== user) continue;
    left -= 1;
    yield change;
  }
}
