import { language } from '../language.js';
import { Writing } from '../texts/writing.js';

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** For the current language of the page. */
let writing = new Writing('en');

function written(): Writing {
  if (writing.language !== language.get()) writing = new Writing(language.get());
  return writing;
}

export function formatCount(count: number): string {
  return written().number(count);
}

export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), BYTE_UNITS.length - 1);
  const value = bytes / 1024 ** power;
  return `${written().fixed(value, value >= 100 || power === 0 ? 0 : 1)} ${BYTE_UNITS[power] ?? ''}`;
}

/** A number with a fixed number of decimals. It may be a year or a code, so thousands are not separated. */
export function formatFixed(value: number, decimals: number): string {
  return written().plain(value, decimals);
}

/** A measured number with three significant digits. */
export function formatNumber(value: number): string {
  return written().measured(value);
}

/** A measured duration: `12 ms`. */
export function formatSeconds(seconds: number): string {
  return written().seconds(seconds);
}

/** The time of day. */
export function formatTime(timeMs: number): string {
  return written().clock(timeMs);
}

/** Day and time in the reader's time zone. */
export function formatMoment(time: string): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? time : written().moment(at);
}

/** A day in the reader's time zone: `26 Jun 2026`. A date without a time is that day in every zone. */
export function formatDay(time: string): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? time : written().day(at, /^\d{4}-\d\d-\d\d$/.test(time));
}

/** The time since then, in the largest unit and as short as possible: `3m`. */
export function formatShortAge(time: string, nowMs: number): string {
  const ageMs = nowMs - Date.parse(time);
  return Number.isNaN(ageMs) ? time : written().duration(wholeSeconds(ageMs));
}

/** The age of a time, in the largest unit: `3m`. */
export function formatAge(time: string, nowMs: number): string {
  const ageMs = nowMs - Date.parse(time);
  return Number.isNaN(ageMs) ? time : written().ago(wholeSeconds(ageMs));
}

function wholeSeconds(ms: number): number {
  return Math.max(0, Math.floor(ms / 1_000));
}

/** A time relative to now: `in 3 min.`. */
export function formatDistance(time: string, nowMs: number): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? time : written().distance(Math.round((at - nowMs) / 1_000));
}

/** A value of an object as one line of text. */
export function formatValue(value: unknown): string {
  if (value === undefined || value === null) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
