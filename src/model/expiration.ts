import type { Cause } from '../errors.js';
import { isRecord } from '../lib/json/json.js';
import { parseDuration } from '../lib/time/duration.js';
import { formatInstant, instantOfDate, parseInstant, type Instant } from '../lib/time/instant.js';
import type { ObjectDraft } from './object.js';
import { formatValue } from './validate/violation.js';

/** The annotation with the time at which an object expires. */
export const EXPIRES_AT = 'xsvc.platform.run/expires-at';
/** The annotation with the time from the creation of an object to its end. */
export const TTL = 'xsvc.platform.run/ttl';
/** The index of every model with the time at which its objects expire. */
export const EXPIRATION = 'metadata.expirationTimestamp';

const TTL_MS_MIN = 30_000;
const TTL_MS_MAX = 10_000 * 3_600_000;
/** Longer texts are no durations of this range that anybody writes. */
const TTL_LENGTH_MAX = 64;

/** The metadata that determines when an object expires. Its annotations may come unchecked. */
interface ExpiringMetadata {
  readonly creationTimestamp: string;
  readonly annotations?: unknown;
}

/**
 * The time at which an object expires, in RFC 3339: the earlier one of its two annotations. Undefined for an object that
 * does not expire. A wrong annotation, from before they were checked, means nothing.
 */
export function findExpiration({ creationTimestamp, annotations }: ExpiringMetadata): string | undefined {
  if (!isRecord(annotations)) return undefined;
  const { [EXPIRES_AT]: at, [TTL]: ttl } = annotations;
  if (at === undefined && ttl === undefined) return undefined;
  const ends = [readTime(at), endOfLife(creationTimestamp, ttl)].flatMap((end) => end ?? []);
  const [first] = ends.sort((a, b) => a.seconds - b.seconds || a.nanos - b.nanos);
  return first && formatInstant(first);
}

/** The same in milliseconds since 1970; Infinity for an object that does not expire. */
export function getExpirationMs({ metadata }: { readonly metadata: ExpiringMetadata }): number {
  const time = findExpiration(metadata);
  return time === undefined ? Infinity : Date.parse(time);
}

/** Causes for wrong values of the two annotations. Values of a wrong type are left to the schema. */
export function checkExpiration({ metadata }: ObjectDraft): Cause[] {
  const annotations: unknown = metadata?.annotations;
  if (!isRecord(annotations)) return [];
  const { [EXPIRES_AT]: at, [TTL]: ttl } = annotations;
  return [
    ...(typeof at === 'string' && readTime(at) === undefined ? [fault(EXPIRES_AT, TIME_RULE, at)] : []),
    ...(typeof ttl === 'string' && readTtl(ttl) === undefined ? [fault(TTL, TTL_RULE, ttl)] : []),
  ];
}

const TIME_RULE = 'must be a time in RFC 3339 with a zone, such as 2026-01-31T08:00:00Z';
const TTL_RULE = 'must be a duration from 30s to 10000h, such as 90m';

function fault(key: string, rule: string, given: string): Cause {
  const message = `${rule}, got ${formatValue(given)}`;
  return { field: `metadata.annotations.${key}`, reason: 'FieldValueInvalid', message };
}

function readTime(text: unknown): Instant | undefined {
  return typeof text === 'string' ? parseInstant(text) : undefined;
}

function endOfLife(created: string, ttl: unknown): Instant | undefined {
  const [from, ms] = [parseInstant(created), readTtl(ttl)];
  if (from === undefined || ms === undefined) return undefined;
  return instantOfDate(new Date(from.seconds * 1_000 + from.nanos / 1e6 + ms));
}

/** In milliseconds; undefined for no duration, or one out of range. */
function readTtl(text: unknown): number | undefined {
  if (typeof text !== 'string' || text.length > TTL_LENGTH_MAX) return undefined;
  try {
    const ms = parseDuration(text);
    return ms >= TTL_MS_MIN && ms <= TTL_MS_MAX ? ms : undefined;
  } catch {
    return undefined;
  }
}
