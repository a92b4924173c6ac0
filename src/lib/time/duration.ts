import { badRequest } from '../../errors.js';

const DURATION_UNITS: ReadonlyMap<string, number> = new Map([
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
]);

const SIZE_UNITS: ReadonlyMap<string, number> = new Map([
  ['GiB', 1024 ** 3],
  ['MiB', 1024 ** 2],
  ['KiB', 1024],
  ['GB', 1000 ** 3],
  ['MB', 1000 ** 2],
  ['KB', 1000],
  ['kB', 1000],
  ['B', 1],
  ['', 1],
]);

/**
 * Milliseconds of `250ms`, `30s`, `5m`, `24h`, `7d`, of several units like `1h30m`, or of `0`.
 * @throws ServiceError `BadRequest` with the accepted forms
 */
export function parseDuration(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/gy)];
  const read = parts.map((part) => part[0]).join('');
  const ms = parts.reduce((sum, part) => sum + Number(part[1]) * (DURATION_UNITS.get(part[2] ?? '') ?? 0), 0);
  if (text === '0') return 0;
  if (text !== '' && read === text && Number.isSafeInteger(Math.round(ms))) return Math.round(ms);
  throw badRequest(`"${text}" is not a duration; write it like 250ms, 30s, 5m, 24h or 7d`);
}

/** The shortest text that {@link parseDuration} reads as this number of milliseconds: `90s`, `24h` as `1d`. */
export function formatDuration(ms: number): string {
  return format(ms, DURATION_UNITS, 'ms');
}

/**
 * Bytes of `1MiB`, `512KiB`, `1GiB` (powers of 1024), `1MB`, `1KB`, `1GB` (powers of 1000), `1024` or `1024B`.
 * @throws ServiceError `BadRequest` with the accepted forms
 */
export function parseSize(text: string): number {
  const match = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(text);
  const unit = SIZE_UNITS.get(match?.[2] ?? 'none');
  const bytes = unit === undefined ? NaN : Number(match?.[1]) * unit;
  if (Number.isSafeInteger(Math.round(bytes))) return Math.round(bytes);
  throw badRequest(`"${text}" is not a size; write it like 1MiB, 512KiB, 1MB or 1024 (bytes)`);
}

/** Formats a number of bytes in the greatest unit that divides it, binary units first: `1MiB`, `1MB`, `1025B`. */
export function formatSize(bytes: number): string {
  return format(bytes, SIZE_UNITS, 'B');
}

function format(amount: number, units: ReadonlyMap<string, number>, smallest: string): string {
  for (const [unit, size] of units) {
    if (amount >= size && amount % size === 0) return `${amount / size}${unit}`;
  }
  return `${amount}${smallest}`;
}
