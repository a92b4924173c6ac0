const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

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
  if (seconds < 10 * MINUTE) return two(seconds, MINUTE, 'm', 1, 's');
  if (seconds < 3 * HOUR) return one(seconds, MINUTE, 'm');
  if (seconds < 8 * HOUR) return two(seconds, HOUR, 'h', MINUTE, 'm');
  if (seconds < 2 * DAY) return one(seconds, HOUR, 'h');
  if (seconds < 8 * DAY) return two(seconds, DAY, 'd', HOUR, 'h');
  if (seconds < 2 * YEAR) return one(seconds, DAY, 'd');
  if (seconds < 8 * YEAR) return two(seconds, YEAR, 'y', DAY, 'd');
  return one(seconds, YEAR, 'y');
}

function one(seconds: number, unit: number, name: string): string {
  return `${Math.floor(seconds / unit)}${name}`;
}

function two(seconds: number, unit: number, name: string, smaller: number, smallerName: string): string {
  const rest = Math.floor((seconds % unit) / smaller);
  return rest === 0 ? one(seconds, unit, name) : `${one(seconds, unit, name)}${rest}${smallerName}`;
}
