import { parseSince } from '../../lib/time/since.js';
import { MOMENT, parseMoment, type Moment } from '../../service/read/moment.js';
import { UsageError } from '../exit.js';

/**
 * Parses a revision, an RFC 3339 time, or an age.
 * @throws UsageError
 */
export function readMoment(flag: string, text: string, nowMs: number): Moment {
  const moment = parseMoment(text, nowMs);
  if (moment === undefined) throw new UsageError(`${flag} ${text}: it must be ${MOMENT}`);
  return moment;
}

/**
 * Parses the start of a period: an RFC 3339 time, or an age.
 * @returns milliseconds since 1970
 * @throws UsageError also for a time in the future
 */
export function readSince(text: string, nowMs: number): number {
  const ms = parseSince(text, nowMs);
  if (ms === undefined)
    throw new UsageError(
      `--since ${text}: it must be a time like 2026-01-31T08:00:00Z, or 1h for an hour ago`,
    );
  if (ms > nowMs) throw new UsageError(`--since ${text} is in the future`);
  return ms;
}
