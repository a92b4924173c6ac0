import { formatInstant, parseInstant } from '../lib/time/instant.js';

const SECOND = 1_000_000_000n;

const UNITS: Readonly<Record<string, number>> = {
  h: 3_600_000_000_000,
  m: 60_000_000_000,
  s: 1_000_000_000,
  ms: 1_000_000,
  us: 1_000,
  µs: 1_000,
  ns: 1,
};
const DURATION = /^([+-]?)((?:(?:\d+(?:\.\d*)?|\.\d+)(?:h|ms|m|s|us|µs|ns))+|0)$/;
const DURATION_PART = /(\d*)(?:\.(\d*))?(h|ms|m|s|us|µs|ns)/gy;
/** Longer texts are refused unread: no realistic time or duration has this length. */
export const TIME_LENGTH_MAX = 64;

/** ISO 8601, without years and months, which have no fixed length. */
const ISO_DURATION = /^P(?:(\d+)W|(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d{1,9}))?S)?)?)$/;

/** Nanoseconds since 1970 of an RFC 3339 text; undefined for any other text. */
export function readTime(text: string): bigint | undefined {
  const instant = text.length > TIME_LENGTH_MAX ? undefined : parseInstant(text);
  return instant && BigInt(instant.seconds) * SECOND + BigInt(instant.nanos);
}

/** Nanoseconds of `90s`, `1h30m`, `-1.5h`, `250ms`; undefined for any other text. */
export function readDuration(text: string): bigint | undefined {
  const match = text.length > TIME_LENGTH_MAX ? null : DURATION.exec(text);
  if (match === null) return undefined;
  let nanos = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of (match[2] ?? '').matchAll(DURATION_PART)) {
    const size = BigInt(UNITS[unit] ?? 0);
    nanos += BigInt(whole || '0') * size + (BigInt(fraction || '0') * size) / 10n ** BigInt(fraction.length);
  }
  return match[1] === '-' ? -nanos : nanos;
}

/** Nanoseconds of `PT1H30M`, the form of durations in JSON Schema; undefined for any other text. */
export function readIsoDuration(text: string): bigint | undefined {
  const match = text.length > TIME_LENGTH_MAX ? null : ISO_DURATION.exec(text);
  if (match === null || text === 'P') return undefined;
  const [, weeks, days, hours, minutes, seconds, fraction = ''] = match;
  const count = (digits: string | undefined): bigint => BigInt(digits ?? '0');
  const allDays = count(weeks) * 7n + count(days);
  const whole = ((allDays * 24n + count(hours)) * 60n + count(minutes)) * 60n + count(seconds);
  return whole * SECOND + BigInt(fraction.padEnd(9, '0'));
}

/** RFC 3339 in UTC, with as many fractional digits as needed. */
export function formatTime(nanos: bigint): string {
  const rest = ((nanos % SECOND) + SECOND) % SECOND;
  const text = formatInstant({ seconds: Number((nanos - rest) / SECOND), nanos: Number(rest) });
  const [whole = '', fraction = ''] = text.slice(0, -1).split('.');
  const digits = withoutLastZeros(fraction);
  return digits === '' ? `${whole}Z` : `${whole}.${digits}Z`;
}

/** In seconds: `90s`, `-1.5s`. */
export function formatDuration(nanos: bigint): string {
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = withoutLastZeros(String(size % SECOND).padStart(9, '0'));
  const text = `${nanos < 0n ? '-' : ''}${size / SECOND}`;
  return fraction === '' ? `${text}s` : `${text}.${fraction}s`;
}

function withoutLastZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}
