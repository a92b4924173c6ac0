const NUMBER = /^-?(0|[1-9]\d*)(\.\d*)?([eE][+-]?\d+)?$/;

/** What was typed as a number: integers keep all of their digits. What is none stays a text, so that nothing is lost. */
export function getNumber(typed: string): bigint | number | string {
  if (/^-?\d+$/.test(typed)) return BigInt(typed);
  const value = Number(typed);
  return NUMBER.test(typed) && Number.isFinite(value) ? value : typed;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i;
const MINUTE_MS = 60_000;

/** A time as the clock of this place has it, for an input; undefined where it is no time. */
export function inLocalTime(value: unknown): string | undefined {
  const at = typeof value === 'string' && TIME.test(value) ? new Date(value) : undefined;
  if (at === undefined || Number.isNaN(at.getTime())) return undefined;
  const shifted = new Date(at.getTime() - at.getTimezoneOffset() * MINUTE_MS);
  return shifted.toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length);
}

/** What an input says of a time, as the service has it. */
export function findUtcTime(local: string): string | undefined {
  const at = new Date(local);
  return local === '' || Number.isNaN(at.getTime()) ? undefined : at.toISOString().replace('.000Z', 'Z');
}
