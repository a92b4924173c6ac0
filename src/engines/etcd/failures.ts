import { isRecord } from '../../lib/json/json.js';
import { ServiceError, unavailable } from '../../errors.js';
import { AccessDenied, ConnectionLost, unreachable } from '../replicated/retry-policy.js';

/** etcd understood the request, and has not done it. */
export class Refused extends Error {
  override readonly name: string = 'Refused';

  constructor(
    message: string,
    /** As gRPC numbers them. */
    readonly code: number,
  ) {
    super(message);
  }
}

/** Its quota is used up: nothing is written any more. */
export class Full extends Refused {
  override readonly name = 'Full';
}

/** Who asks must authenticate anew. */
export class StaleToken extends Error {
  override readonly name = 'StaleToken';
}

/** What an operator does when etcd is full. */
export const FULL =
  'the etcd database is full and rejects writes; compact it (etcdctl compaction REVISION) and defragment each member ' +
  '(etcdctl defrag), or start them with a larger --quota-backend-bytes, then: etcdctl alarm disarm';

/** Somebody has to do that first. */
const FULL_RETRY_S = 10;

/** Codes of gRPC for requests that were understood and not done. */
const REFUSED: ReadonlySet<number> = new Set([3, 5, 9, 11, 12, 16]);
const PERMISSION_DENIED = 7;
const RESOURCE_EXHAUSTED = 8;
const UNAUTHENTICATED = 16;

/**
 * The body of an answer.
 * @throws Refused, Denied, StaleToken, or Lost when nobody knows what became of the request
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

/** What callers are told. */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof AccessDenied) return unavailable(error.message, { retryAfterSeconds: 1 });
  if (error instanceof ConnectionLost) return unreachable('etcd', error);
  if (error instanceof Full) return unavailable(FULL, { retryAfterSeconds: FULL_RETRY_S });
  if (error instanceof Refused) return unavailable(`etcd rejected the request: ${error.message}`);
  return error;
}

/** Whether what was asked for is certainly not done. */
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
