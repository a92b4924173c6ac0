import type { CustomFetchOptions } from 'openid-client';
import { exchange } from '../lib/exchange.js';
import { isRecord } from '../lib/json/json.js';

const TIMEOUT_MS = 5_000;
/** Of the whole answer, with its heads. */
const BYTES_MAX = 1024 * 1024;

/**
 * Reads a JSON object of an issuer. Redirects are refused: the answer must be of this address.
 * @throws Error with a reason that completes "cannot read URL: "
 */
export async function fetchJson(url: string): Promise<Record<string, unknown>> {
  const { status, body, fault } = await exchange({
    url: new URL(url),
    method: 'GET',
    headers: ['accept', 'application/json'],
    timeoutMs: TIMEOUT_MS,
    bytesMax: BYTES_MAX,
  });
  if (fault !== undefined) throw fault;
  if (status !== 200) throw new Error(`its status is ${status}`);
  const value: unknown = JSON.parse(body.toString());
  if (!isRecord(value)) throw new Error('it is not a JSON object');
  return value;
}

/** The requests of the sign-in library, for its `customFetch`. */
export async function issuerFetch(url: string, options: CustomFetchOptions): Promise<Response> {
  const { method, headers, body, signal } = options;
  const answer = await exchange({
    url: new URL(url),
    method: method === 'POST' ? 'POST' : 'GET',
    headers: Object.entries(headers).flat(),
    ...(body instanceof URLSearchParams && { body: body.toString() }),
    timeoutMs: 2 * TIMEOUT_MS,
    bytesMax: BYTES_MAX,
    signal,
  });
  if (answer.fault !== undefined) throw answer.fault;
  const { status } = answer;
  const hasBody = status !== 204 && status !== 205 && status !== 304;
  const shown = Object.entries(answer.headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return new Response(hasBody ? answer.body : null, { status, headers: shown });
}
