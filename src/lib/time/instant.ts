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
  const local = findSeconds(match);
  const offsetHours = part(match, 9);
  const offsetMinutes = part(match, 10);
  if (local === undefined || offsetHours > 23 || offsetMinutes > 59) return undefined;
  const offset = (offsetHours * 60 + offsetMinutes) * 60 * (match[8] === '-' ? -1 : 1);
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

/** The seconds of a local time; undefined for a time that does not exist. */
function findSeconds(match: RegExpExecArray): number | undefined {
  const year = part(match, 1) + CYCLE_YEARS;
  const month = part(match, 2);
  const day = part(match, 3);
  const hours = part(match, 4);
  const minutes = part(match, 5);
  const seconds = part(match, 6);
  if (hours > 23 || minutes > 59 || seconds > 59 || month < 1 || month > 12 || day < 1) return undefined;
  if (day > 28 && day > (Date.UTC(year, month, 1) - Date.UTC(year, month - 1, 1)) / DAY_MS) return undefined;
  return (Date.UTC(year, month - 1, day, hours, minutes, seconds) - CYCLE_MS) / 1000;
}

function part(match: RegExpExecArray, index: number): number {
  return Number(match[index] ?? 0);
}
