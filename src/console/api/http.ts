import { language } from '../language.js';
import { askForToken, session } from '../session/session.js';
import { noteLost } from './connection.js';
import { ApiError, getError, Unreachable } from './errors.js';
import { t } from '../texts.js';

const UNAUTHORIZED = 401;

export interface Sent {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Text is sent as it is, any other value as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Parses a refusal in the requested format; absent: as JSON. */
  readonly parse?: (text: string) => unknown;
  /** Replaces the token of the session. */
  readonly token?: string;
}

/**
 * Sends a request. All functions that send one throw the same errors.
 * @throws ApiError when the service refuses, Unreachable when it does not answer
 */
export async function send(url: string, sent: Sent = {}): Promise<Response> {
  const { method = 'GET', body, signal } = sent;
  const { isAsked, token: own } = session.get();
  const token = sent.token ?? own;
  // During a sign-in no other requests are sent: they would only be refused again.
  if (isAsked && sent.token === undefined) throw new ApiError(UNAUTHORIZED, t`Sign in`, '');
  // Errors of fields are returned in the language of the page.
  const headers = new Headers({
    Accept: 'application/json',
    'Accept-Language': language.get(),
    ...sent.headers,
  });
  if (token !== undefined) headers.set('Authorization', `Bearer ${token}`);
  if (body !== undefined && !headers.has('Content-Type')) headers.set('Content-Type', 'application/json');
  const init: RequestInit = {
    method,
    headers,
    credentials: credentialsFor(token),
    ...(signal && { signal }),
  };
  if (body !== undefined) init.body = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(url, init).catch((error: unknown) => {
    if (signal?.aborted === true) throw error;
    noteLost();
    throw new Unreachable();
  });
  if (response.ok) return response;
  if (response.status === UNAUTHORIZED && sent.token === undefined) askForToken(token);
  const error = getError(response.status, await readBody(response, sent.parse), retryAfterMs(response));
  if (!isOfProxy(error)) throw error;
  noteLost();
  throw new Unreachable();
}

/** Without a token, a request has the cookie of a sign-in, if there is one. */
export function credentialsFor(token: string | undefined): RequestCredentials {
  return token === undefined ? 'same-origin' : 'omit';
}

/** True for an error of a proxy in front of the service; the service itself would give a reason. */
function isOfProxy({ code, reason }: ApiError): boolean {
  return (code === 502 || code === 503 || code === 504) && reason === '';
}

/** Undefined when the service does not state a time. */
function retryAfterMs({ headers }: Response): number | undefined {
  const seconds = headers.get('Retry-After') ?? '';
  return /^\d{1,4}$/.test(seconds) ? Number(seconds) * 1_000 : undefined;
}

/** The content of a refusal; undefined when it cannot be parsed. */
async function readBody(response: Response, parse: (text: string) => unknown = JSON.parse): Promise<unknown> {
  try {
    return parse(await response.text());
  } catch {
    return undefined;
  }
}

export async function getJson(url: string, signal?: AbortSignal): Promise<unknown> {
  return readJson(await send(url, { signal }));
}

/** Sends JSON. Resolves with the response as JSON. */
export async function postJson(url: string, body: unknown, signal?: AbortSignal): Promise<unknown> {
  return readJson(await send(url, { method: 'POST', body, signal }));
}

export async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    // The response was interrupted.
    noteLost();
    throw new Unreachable();
  }
}
