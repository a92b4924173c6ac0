const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

interface Unit {
  /** In seconds. */
  readonly length: number;
  readonly name: string;
}

const SECONDS: Unit = { length: 1, name: 's' };
const MINUTES: Unit = { length: MINUTE, name: 'm' };
const HOURS: Unit = { length: HOUR, name: 'h' };
const DAYS: Unit = { length: DAY, name: 'd' };
const YEARS: Unit = { length: YEAR, name: 'y' };

/**
 * Formats the age of an instant as kubectl does: two units while the smaller one matters (`5m30s`, `3d4h`), otherwise
 * one (`45s`, `12d`). A future instant reads `in 4h`.
 * @param from RFC 3339; empty for an object that is not stored yet, whose age is `<unknown>`
 * @param now milliseconds since the epoch
 */
export function formatAge(from: string, now: number): string {
  if (from === '') return '<unknown>';
  const at = Date.parse(from);
  if (Number.isNaN(at)) return '<invalid>';
  const seconds = Math.floor((now - at) / 1000);
  // Clocks of two machines may differ a little.
  if (seconds >= -1) return spanText(Math.max(0, seconds));
  return `in ${spanText(Math.ceil((at - now) / 1000))}`;
}

function spanText(seconds: number): string {
  if (seconds < 2 * MINUTE) return `${seconds}s`;
  if (seconds < 10 * MINUTE) return two(seconds, MINUTES, SECONDS);
  if (seconds < 3 * HOUR) return one(seconds, MINUTES);
  if (seconds < 8 * HOUR) return two(seconds, HOURS, MINUTES);
  if (seconds < 2 * DAY) return one(seconds, HOURS);
  if (seconds < 8 * DAY) return two(seconds, DAYS, HOURS);
  if (seconds < 2 * YEAR) return one(seconds, DAYS);
  if (seconds < 8 * YEAR) return two(seconds, YEARS, DAYS);
  return one(seconds, YEARS);
}

function one(seconds: number, { length, name }: Unit): string {
  return `${Math.floor(seconds / length)}${name}`;
}

function two(seconds: number, unit: Unit, smaller: Unit): string {
  const rest = seconds % unit.length;
  return rest < smaller.length ? one(seconds, unit) : one(seconds, unit) + one(rest, smaller);
}
