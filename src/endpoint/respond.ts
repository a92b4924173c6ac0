import { isRecord } from '../lib/json/json.js';
import type { EndpointResponse } from './route.js';

/**
 * Creates an answer with a status and headers: `return respond(201, person, { Location: path })`.
 * @param status 200 to 599
 * @param body sent as JSON. A stream or bytes are sent as they are, and so is a text for which `headers` has a `Content-Type`.
 *   undefined: no body
 * @throws TypeError when the status is not in this range
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
 * True when a value is an answer and not a body: an object with only an HTTP status and optional
 * `headers` and `body`, as {@link respond} creates it. The `status` of model objects is not a number.
 */
export function isAnswer(value: unknown): value is EndpointResponse {
  if (!isRecord(value) || !Object.hasOwn(value, 'status') || !isStatus(value.status)) return false;
  return Object.keys(value).every((member) => MEMBERS.has(member));
}

function isStatus(status: unknown): status is number {
  return typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599;
}
