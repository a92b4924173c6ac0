const NUMBER = /^-?(0|[1-9]\d*)(\.\d*)?([eE][+-]?\d+)?$/;

/** Parses a typed number: integers keep all digits. Input that is not a number remains text, so that nothing is lost. */
export function getNumber(typed: string): bigint | number | string {
  if (/^-?\d+$/.test(typed)) return BigInt(typed);
  const value = Number(typed);
  return NUMBER.test(typed) && Number.isFinite(value) ? value : typed;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i;
const MINUTE_MS = 60_000;

/** A time in the local time zone for an input; undefined when it is not a time. */
export function inLocalTime(value: unknown): string | undefined {
  const at = typeof value === 'string' && TIME.test(value) ? new Date(value) : undefined;
  if (at === undefined || Number.isNaN(at.getTime())) return undefined;
  const shifted = new Date(at.getTime() - at.getTimezoneOffset() * MINUTE_MS);
  return shifted.toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length);
}

/** Converts an input's time to the service's format. */
export function findUtcTime(local: string): string | undefined {
  const at = new Date(local);
  return local === '' || Number.isNaN(at.getTime()) ? undefined : at.toISOString().replace('.000Z', 'Z');
}

/** The text of an input. Objects have no input. */
export function formatText(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value);
    default:
      return '';
  }
}

export const orNothing = (typed: string): string | undefined => (typed === '' ? undefined : typed);

/** Numbers of the text may be long integers, those of the schema are not. */
export function sameValue(a: unknown, b: unknown): boolean {
  return (typeof a === 'string') === (typeof b === 'string') && formatText(a) === formatText(b);
}
