import { language } from '../language.js';
import { askForToken, session } from '../session/session.js';
import { noteLost } from './connection.js';
import { ApiError, getError, Unreachable } from './errors.js';
import { text } from '../texts.js';

const UNAUTHORIZED = 401;

export interface Sent {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Text goes out as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Reads what a refusal says, where it comes in the form that was asked for; absent: as JSON. */
  readonly parse?: (text: string) => unknown;
  /** Instead of that of the session. */
  readonly token?: string;
}

/**
 * Sends a request.
 * @throws ApiError when the service refuses, Unreachable when it does not answer
 */
export async function send(url: string, sent: Sent = {}): Promise<Response> {
  const { method = 'GET', body, signal } = sent;
  const { isAsked, token: own } = session.get();
  const token = sent.token ?? own;
  // Nothing else is sent while somebody signs in: it would only be refused again.
  if (isAsked && sent.token === undefined) throw new ApiError(UNAUTHORIZED, text.signIn.heading, '');
  // What is wrong with a field comes in the language of the page.
  const headers = new Headers({
    Accept: 'application/json',
    'Accept-Language': language.get(),
    ...sent.headers,
  });
  if (token !== undefined) headers.set('Authorization', `Bearer ${token}`);
  if (body !== undefined && !headers.has('Content-Type')) headers.set('Content-Type', 'application/json');
  const init: RequestInit = { method, headers, credentials: 'omit', ...(signal && { signal }) };
  if (body !== undefined) init.body = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(url, init).catch((error: unknown) => {
    if (signal?.aborted === true) throw error;
    noteLost();
    throw new Unreachable();
  });
  if (response.ok) return response;
  if (response.status === UNAUTHORIZED && sent.token === undefined) askForToken(token);
  const error = getError(response.status, await told(response, sent.parse), retryAfterMs(response));
  if (!isOfProxy(error)) throw error;
  noteLost();
  throw new Unreachable();
}

/** A server in front of the service says that it does not answer; the service itself would give a reason. */
function isOfProxy({ code, reason }: ApiError): boolean {
  return (code === 502 || code === 503 || code === 504) && reason === '';
}

/** Undefined where the service does not say when to come again. */
function retryAfterMs({ headers }: Response): number | undefined {
  const seconds = headers.get('Retry-After') ?? '';
  return /^\d{1,4}$/.test(seconds) ? Number(seconds) * 1_000 : undefined;
}

/** What a refusal says; undefined where that cannot be read. */
async function told(response: Response, parse: (text: string) => unknown = JSON.parse): Promise<unknown> {
  try {
    return parse(await response.text());
  } catch {
    return undefined;
  }
}

/** The answer as JSON. @throws ApiError, Unreachable */
export async function getJson(url: string, signal?: AbortSignal): Promise<unknown> {
  return readJson(await send(url, { signal }));
}

export async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    // It was cut off on its way.
    noteLost();
    throw new Unreachable();
  }
}

/** What an answer warns of (RFC 9111, section 5.5): each text is quoted. */
export function getWarnings({ headers }: Response): readonly string[] {
  // They are in UTF-8, of which the browser makes a character a byte.
  const bytes = Uint8Array.from(headers.get('Warning') ?? '', (character) => character.charCodeAt(0));
  const found = new TextDecoder().decode(bytes).matchAll(/\b299 \S+ "((?:[^"\\]|\\.)*)"/g);
  return [...found].map(([, message = '']) => message.replace(/\\(.)/g, '$1'));
}
