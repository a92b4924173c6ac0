import { isIP } from 'node:net';
import { isRecord } from './json/json.js';
import { parseDuration, parseSize } from './time/duration.js';

/** Parses one value of a setting; the message of its error completes the setting's name. */
export type ParseValue<T> = (value: unknown) => T;

export function text(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new Error(`must be text, not ${show(value)}`);
}

/** Parses a text of one line for people. @param max the largest number of characters */
export function label(max: number): ParseValue<string> {
  return (value) => {
    const given = text(value).trim();
    // Without control characters, and without marks that change the direction of what follows.
    if (
      given !== '' &&
      Array.from(given).length <= max &&
      !/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(given)
    )
      return given;
    throw new Error(`must be one line of at most ${max} characters, not ${show(value)}`);
  };
}

export function integer(min: number, max: number, otherwise = ''): ParseValue<number> {
  return (value) => {
    const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
    if (typeof number === 'number' && Number.isSafeInteger(number) && number >= min && number <= max)
      return number;
    const range = max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`;
    throw new Error(`must be an integer ${range}${otherwise}, not ${show(value)}`);
  };
}

/** More than a machine with one store can use; each takes some of the store's slots for readers. */
const WORKERS_MAX = 128;

export function workerCount(value: unknown): number | 'auto' {
  return value === 'auto' ? value : integer(1, WORKERS_MAX, ', or auto')(value);
}

export function flag(value: unknown): boolean {
  if (value === true || value === 'true' || value === '1') return true;
  if (value === false || value === 'false' || value === '0') return false;
  throw new Error(`must be true or false, not ${show(value)}`);
}

/** Parses several texts: a list, or one text that the separator divides. */
export function list(separator: string): ParseValue<readonly string[]> {
  return (value) => {
    const items: readonly unknown[] = Array.isArray(value) ? value : text(value).split(separator);
    return items.map(text);
  };
}

/** Parses several origins, in the form of browsers. */
export function origins(value: unknown): readonly string[] {
  return list(',')(value).map((text) => {
    const known = text === '*' ? text : findOrigin(text);
    if (known !== undefined) return known;
    throw new Error(`must be origins like https://app.example.com, or *, not ${show(text)}`);
  });
}

/** Parses an origin, in the form of browsers. */
export function origin(value: unknown): string {
  const known = findOrigin(text(value));
  if (known !== undefined) return known;
  throw new Error(`must be an origin without a path, like http://127.0.0.1:8091, not ${show(value)}`);
}

/** Undefined for a text that is not an origin of HTTP. */
function findOrigin(given: string): string | undefined {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  return isHttp && url.href === `${url.origin}/` && !given.includes('*') ? url.origin : undefined;
}

/** Addresses with the same first bits. */
export interface Subnet {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** Parses subnets like `10.0.0.0/8`; an address alone is a subnet of one. */
export function subnets(value: unknown): readonly Subnet[] {
  return list(',')(value).map((item) => {
    const [address = '', bits, ...rest] = item.split('/');
    const version = isIP(address);
    const longest = version === 4 ? 32 : 128;
    const prefix = bits === undefined ? longest : /^\d{1,3}$/.test(bits) ? Number(bits) : NaN;
    if (version !== 0 && rest.length === 0 && prefix <= longest)
      return { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' };
    throw new Error(`must be subnets like 10.0.0.0/8 or ::1/128, not ${show(item)}`);
  });
}

export function oneOf<const T extends string>(choices: readonly T[]): ParseValue<T> {
  return (value) => {
    const known = choices.find((choice) => choice === value);
    if (known !== undefined) return known;
    throw new Error(`must be one of ${choices.join(', ')}, not ${show(value)}`);
  };
}

/** Choices with `on` and `off` among them. Also accepts the booleans that YAML parses from these words. */
export function switchOf<const T extends string>(choices: readonly T[]): ParseValue<T> {
  const read = oneOf(choices);
  return (value) => read(typeof value === 'boolean' ? (value ? 'on' : 'off') : value);
}

export const onOrOff = switchOf(['on', 'off']);

export function size(value: unknown): number {
  const bytes = typeof value === 'number' ? value : parseSize(text(value));
  if (Number.isSafeInteger(bytes) && bytes > 0) return bytes;
  throw new Error(`must be a size like 1MiB, not ${show(value)}`);
}

export function duration(value: unknown): number {
  return parseDuration(value === 0 ? '0' : text(value));
}

/** The longest delay of a timer. */
const DELAY_MS_MAX = 2 ** 31 - 1;

/** Parses a duration that a timer can wait. */
export function delay(value: unknown): number {
  const ms = duration(value);
  if (ms > 0 && ms <= DELAY_MS_MAX) return ms;
  throw new Error(`must be longer than 0 and at most 24d, not ${show(value)}`);
}

export function mapping(value: unknown): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value;
  throw new Error(`must be a mapping, not ${show(value)}`);
}

function show(value: unknown): string {
  return JSON.stringify(value).slice(0, 100);
}
