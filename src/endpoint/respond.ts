import { isRecord } from '../lib/json/json.js';
import type { EndpointResponse } from './route.js';

/**
 * An answer with a status and headers: `return respond(201, person, { Location: path })`.
 * @param status 200 to 599
 * @param body sent as JSON; a stream or bytes as they are, as is a text for which `headers` has a `Content-Type`;
 *   undefined: no body
 * @throws TypeError when the status is no such number
 */
export function respond(
  status: number,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): EndpointResponse {
  if (isStatus(status)) return { status, body, headers };
  throw new TypeError(`respond: the status must be an integer from 200 to 599, got ${String(status)}`);
}

const MEMBERS = new Set(['status', 'headers', 'body']);

/**
 * Whether a value is an answer rather than something to send: an object of nothing but a status of HTTP and perhaps
 * `headers` and `body`, as {@link respond} makes it. The `status` that model objects have is no number.
 */
export function isAnswer(value: unknown): value is EndpointResponse {
  if (!isRecord(value) || !Object.hasOwn(value, 'status') || !isStatus(value.status)) return false;
  return Object.keys(value).every((member) => MEMBERS.has(member));
}

function isStatus(status: unknown): status is number {
  return typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599;
}
