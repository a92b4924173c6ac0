import { badRequest } from '../../errors.js';
import { parseDuration } from '../../lib/time/duration.js';

/** A server of a shared store. */
export interface ServerPlace {
  readonly host: string;
  readonly port: number;
}

/** The outcome of an append is known within a minute, so its records must be kept for longer. */
const RETAIN_MS = 10 * 60_000;
const RETAIN_MS_MIN = 60_000;
const PLACE = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/iu;

/** Reads `HOST[:PORT]`. @throws ServiceError `BadRequest` */
export function readServer(text: string, defaultPort: number): ServerPlace {
  const [, bracketed, plain, port] = PLACE.exec(text) ?? wrongAddress('has a server that is not HOST[:PORT]');
  const number = port === undefined ? defaultPort : Number(port);
  if (number < 1 || number > 65_535) wrongAddress('has an invalid port; use 1 to 65535');
  return { host: bracketed ?? plain ?? '', port: number };
}

/** Reads the retention of records, in milliseconds. @throws ServiceError `BadRequest` */
export function readRetain(text: string | null): number {
  if (text === null) return RETAIN_MS;
  const ms = parseDuration(text);
  if (ms < RETAIN_MS_MIN) wrongAddress('has an invalid value for retain; use at least 1m');
  return ms;
}

/** @throws ServiceError `BadRequest` for unknown options */
export function checkOptions(given: URLSearchParams, known: readonly string[]): void {
  for (const name of given.keys())
    if (!known.includes(name))
      wrongAddress(`has the unknown option ${name}; known options: ${known.join(', ')}`);
}

export function wrongAddress(message: string): never {
  throw badRequest(`the address of the store ${message}`);
}
