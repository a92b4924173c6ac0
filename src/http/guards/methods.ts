import type { ServerResponse } from 'node:http';
import { ServiceError } from '../../errors.js';

const READING: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** True when a request of the method may change data; for custom endpoints, this includes all other methods. */
export function isWrite(method: string | undefined): boolean {
  return !READING.has(method);
}

/** The error for a method that a path does not support; sets `Allow`. */
export function refuseMethod(
  res: ServerResponse,
  method: string | undefined,
  allowed: readonly string[],
  hint = '',
): ServiceError {
  res.setHeader('Allow', allowed.join(', '));
  return new ServiceError(
    'MethodNotAllowed',
    `method ${method ?? ''} is not allowed here; allowed: ${allowed.join(', ')}${hint}`,
  );
}
