import { badRequest, formatExcerpt } from '../../errors.js';
import { parseSince } from '../../lib/time/since.js';
import { single, type Query } from '../routes/parameters.js';

/**
 * Reads an RFC 3339 time or an age from a query, as milliseconds since 1970.
 * @throws ServiceError `BadRequest`
 */
export function readTime(query: Query, name: string, nowMs: number): number | undefined {
  const given = single(query, name);
  if (given === undefined) return undefined;
  const ms = parseSince(given, nowMs);
  if (ms !== undefined) return ms;
  throw badRequest(
    `${name}: "${formatExcerpt(given)}" is neither a time like 2026-01-31T08:00:00Z nor an age like 15m`,
  );
}
