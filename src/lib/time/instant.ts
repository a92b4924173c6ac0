/** A point in time with nanosecond precision, between the years 0000 and 9999 in UTC. */
export interface Instant {
  /** Whole seconds since 1970-01-01T00:00:00Z, rounded down; negative before. */
  readonly seconds: number;
  /** 0 to 999,999,999, always forward from `seconds`. */
  readonly nanos: number;
}

const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;
const SECONDS_MIN = -62_167_219_200; // 0000-01-01T00:00:00Z
const SECONDS_MAX = 253_402_300_799; // 9999-12-31T23:59:59Z

/**
 * Reads an RFC 3339 timestamp. `undefined` for any other text, a day that does not exist, a leap second, more than 9
 * fractional digits, or a time outside the years 0000 to 9999 in UTC.
 */
export function parseInstant(text: string): Instant | undefined {
  // Validation and indexing read the same text one after the other.
  if (text !== lastRead.text) lastRead = { text, instant: readInstant(text) };
  return lastRead.instant;
}

let lastRead: { readonly text: string; readonly instant: Instant | undefined } = {
  text: '',
  instant: undefined,
};

function readInstant(text: string): Instant | undefined {
  const match = RFC_3339.exec(text);
  if (!match) return undefined;
  const part = (index: number): number => Number(match[index] ?? 0);
  const local = findSeconds(part(1), part(2), part(3), part(4), part(5), part(6));
  if (local === undefined || part(9) > 23 || part(10) > 59) return undefined;
  const offset = (part(9) * 60 + part(10)) * 60 * (match[8] === '-' ? -1 : 1);
  const seconds = local - offset;
  if (seconds < SECONDS_MIN || seconds > SECONDS_MAX) return undefined;
  return { seconds, nanos: Number((match[7] ?? '').padEnd(9, '0')) };
}

/** The instant of a Date; `undefined` for an invalid one or a year outside 0000 to 9999. */
export function instantOfDate(date: Date): Instant | undefined {
  const millis = date.getTime();
  const seconds = Math.floor(millis / 1000);
  if (!(seconds >= SECONDS_MIN && seconds <= SECONDS_MAX)) return undefined;
  return { seconds, nanos: (millis - seconds * 1000) * 1_000_000 };
}

/** RFC 3339 in UTC. Three fractional digits, more only where needed, so that equal instants have equal texts. */
export function formatInstant(instant: Instant): string {
  const whole = new Date(instant.seconds * 1000).toISOString().slice(0, 19);
  const digits = String(instant.nanos).padStart(9, '0');
  const fraction = digits.slice(0, 3) + digits.slice(3).replace(/(?<!0)0+$/, '');
  return `${whole}.${fraction}Z`;
}

const DAY_MS = 86_400_000;
/** The calendar repeats every 400 years. `Date.UTC` reads the years 0 to 99 as 1900 to 1999, but not later ones. */
const CYCLE_YEARS = 400;
const CYCLE_MS = 146_097 * DAY_MS;

function findSeconds(y: number, mo: number, d: number, h: number, mi: number, s: number): number | undefined {
  if (h > 23 || mi > 59 || s > 59 || mo < 1 || mo > 12 || d < 1) return undefined;
  const year = y + CYCLE_YEARS;
  if (d > 28 && d > (Date.UTC(year, mo, 1) - Date.UTC(year, mo - 1, 1)) / DAY_MS) return undefined;
  return (Date.UTC(year, mo - 1, d, h, mi, s) - CYCLE_MS) / 1000;
}
