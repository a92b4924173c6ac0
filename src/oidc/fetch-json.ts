import { isRecord } from '../lib/json/json.js';

const TIMEOUT_MS = 5_000;
const BYTES_MAX = 1024 * 1024;

/**
 * Reads a JSON object of an issuer. Redirects are refused: the answer must be of this address.
 * @throws Error with a reason that completes "cannot read URL: "
 */
export async function fetchJson(url: string): Promise<Record<string, unknown>> {
  const response = await request(url);
  const text = await readText(response);
  if (response.status !== 200) throw new Error(`its status is ${response.status}`);
  const value: unknown = JSON.parse(text);
  if (!isRecord(value)) throw new Error('it is not a JSON object');
  return value;
}

/** A kept connection may end just when the next request is sent on it, so a broken one is tried again (RFC 9112, section 9.3.1). */
async function request(url: string): Promise<Response> {
  const options: RequestInit = {
    redirect: 'error',
    headers: { Accept: 'application/json' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  };
  try {
    return await fetch(url, options);
  } catch (error) {
    if (!isBroken(error)) throw error;
    return fetch(url, options);
  }
}

const BROKEN = new Set<unknown>(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

function isBroken(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && BROKEN.has(cause.code);
}

/** Ends a body that is too long early. */
async function readText({ body }: Response): Promise<string> {
  if (body === null) return '';
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(parts).toString();
    parts.push(value);
    bytes += value.length;
    if (bytes <= BYTES_MAX) continue;
    await reader.cancel();
    throw new Error(`it is longer than ${BYTES_MAX} bytes`);
  }
}
