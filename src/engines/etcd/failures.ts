import { isRecord } from '../../lib/json/json.js';
import { ServiceError, unavailable } from '../../errors.js';
import { AccessDenied, ConnectionLost, unreachable } from '../replicated/retry-policy.js';

/** The error of a request that etcd understood and did not execute. */
export class Refused extends Error {
  override readonly name: string = 'Refused';

  constructor(
    message: string,
    /** A status code of gRPC. */
    readonly code: number,
  ) {
    super(message);
  }
}

/** The quota of etcd is used up: nothing can be written. */
export class Full extends Refused {
  override readonly name = 'Full';
}

/** The client must authenticate again. */
export class StaleToken extends Error {
  override readonly name = 'StaleToken';
}

/** Instructions for an operator when etcd is full. */
export const FULL =
  'the etcd database is full and rejects writes; compact it (etcdctl compaction REVISION) and defragment each member ' +
  '(etcdctl defrag), or start them with a larger --quota-backend-bytes, then: etcdctl alarm disarm';

/** Long, because an operator must act first. */
const FULL_RETRY_S = 10;

/** Status codes of gRPC for requests that were understood and not executed. */
const REFUSED: ReadonlySet<number> = new Set([3, 5, 9, 11, 12, 16]);
const PERMISSION_DENIED = 7;
const RESOURCE_EXHAUSTED = 8;
const UNAUTHENTICATED = 16;

/**
 * Parses the body of an answer.
 * @throws Refused, AccessDenied, StaleToken, or ConnectionLost when the result of the request is unknown
 */
export function parseAnswer(status: number, text: string): unknown {
  const body = parse(text);
  if (status === 200 && isRecord(body)) return body;
  if (!isRecord(body) || typeof body['code'] !== 'number')
    throw new Refused(`the server is not etcd 3.4 or later with a JSON gateway (HTTP ${status})`, 0);
  const { code } = body;
  const message = String(body['error'] ?? body['message']).replace(/^etcdserver: /u, '');
  if (code === UNAUTHENTICATED || message.includes('revision of auth store is old'))
    throw new StaleToken(message);
  if (code === RESOURCE_EXHAUSTED && message.includes('space exceeded')) throw new Full(message, code);
  if (code === PERMISSION_DENIED)
    throw denied(`${message}; the user needs readwrite permission on all keys below PREFIX/ of the store`);
  if (message === 'user name is empty') throw denied(`${message}; add user=USER to the address`);
  if (REFUSED.has(code)) throw new Refused(message, code);
  throw new ConnectionLost(message);
}

export function denied(message: string): AccessDenied {
  return new AccessDenied(`etcd rejected the request: ${message}`);
}

/** Converts an error to one for callers. */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof AccessDenied) return unavailable(error.message, { retryAfterSeconds: 1 });
  if (error instanceof ConnectionLost) return unreachable('etcd', error);
  if (error instanceof Full) return unavailable(FULL, { retryAfterSeconds: FULL_RETRY_S });
  if (error instanceof Refused) return unavailable(`etcd rejected the request: ${error.message}`);
  return error;
}

/** True when the request certainly had no effect. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Refused || error instanceof ServiceError;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
