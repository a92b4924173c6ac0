import type { FetchMessage, PageAnswer } from '../../../bridge/messages.js';
import { isObject } from '../../../lib/json.js';
import { decoded } from '../../../lib/links.js';
import { isMethod } from './read-message.js';

export const REQUEST_LIMITS = {
  /** In characters. */
  path: 8_000,
  header: 1_000,
  /** In characters. */
  body: 1024 ** 2,
  /** In bytes. */
  answer: 4 * 1024 ** 2,
  atOnce: 6,
  waiting: 60,
  timeMs: 60_000,
} as const;

const HEADERS_SENT = ['accept', 'content-type', 'if-match', 'if-none-match'];
const HEADERS_RECEIVED = ['content-type', 'etag', 'location', 'warning', 'retry-after'];

/** Users, roles and tokens: a page could create rights that outlive it. */
const ACCESS_GROUP = 'access.platform.run';
const BATCHES = 'batches';
/** Resources of the platform whose answers give access without a sign-in, or contain the whole store. */
const CREDENTIALS = ['watchtickets', 'backups'];

/** A request that is not sent. The message is for the author of the page, in English like those of the service. */
class RefusedRequest extends Error {}

/** Sends a request; the answer is not followed to another address. */
export type SendForPage = (url: string, init: RequestInit) => Promise<Response>;

/** Sends the requests of one page, with limits. */
export class PageRequests {
  readonly #waiting: (() => void)[] = [];
  readonly #ended = new AbortController();
  #running = 0;

  constructor(private readonly send: SendForPage) {}

  /** Ends all requests. */
  close(): void {
    this.#ended.abort();
    for (const go of this.#waiting.splice(0)) go();
  }

  /** @throws Error with a message for the page */
  async fetch(asked: FetchMessage): Promise<PageAnswer> {
    const fault = findRequestFault(asked);
    if (fault !== undefined) throw new RefusedRequest(fault);
    await this.#turn();
    try {
      return await this.#fetch(asked);
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  async #turn(): Promise<void> {
    if (this.#waiting.length >= REQUEST_LIMITS.waiting)
      throw new RefusedRequest(`at most ${REQUEST_LIMITS.waiting} requests may wait`);
    if (this.#running >= REQUEST_LIMITS.atOnce)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
  }

  async #fetch({ path, method, headers, body }: FetchMessage): Promise<PageAnswer> {
    const signal = AbortSignal.any([this.#ended.signal, AbortSignal.timeout(REQUEST_LIMITS.timeMs)]);
    const response = await this.send(path, {
      method,
      headers,
      ...(body !== '' && { body }),
      redirect: 'error',
      signal,
    });
    const received = HEADERS_RECEIVED.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    return {
      status: response.status,
      headers: Object.fromEntries(received),
      body: await readText(response),
    };
  }
}

/** The reason why a request is not sent; undefined when it is. */
export function findRequestFault({
  path,
  method,
  headers,
  body,
}: Omit<FetchMessage, 'kind' | 'id'>): string | undefined {
  if (!isMethod(method)) return `the method "${method}" is not allowed`;
  if (body.length > REQUEST_LIMITS.body) return `the body is longer than ${REQUEST_LIMITS.body} characters`;
  if (body !== '' && (method === 'GET' || method === 'HEAD')) return `a ${method} request has no body`;
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADERS_SENT.includes(name.toLowerCase()))
      return `the header is not one of ${HEADERS_SENT.join(', ')}`;
    if (value.length > REQUEST_LIMITS.header || /[^\x20-\x7e]/.test(value))
      return `the header ${name} is invalid`;
  }
  return findPathFault(path, body);
}

function findPathFault(path: string, body: string): string | undefined {
  if (path.length > REQUEST_LIMITS.path) return `the path is longer than ${REQUEST_LIMITS.path} characters`;
  if (!/^\/apis?\/[^\s\\#]*$/.test(path)) return 'the path must begin with /apis/ or /api/ of this service';
  const [below = '', search = ''] = path.split('?', 2);
  const segments = decoded(below.split('/').slice(1));
  if (segments === undefined) return 'the path is not percent-encoded UTF-8';
  if (segments.some((one) => /^\.{1,2}$|[/\\\0]/.test(one)))
    return 'the path must not contain . or .. as a segment';
  if (isTrue(new URLSearchParams(search), 'watch') || isTrue(new URLSearchParams(search), 'follow'))
    return 'streams are not available to pages; read again instead';
  const [, group = '', , resource = ''] = segments;
  if (group === ACCESS_GROUP) return 'users, roles and tokens are not available to pages';
  if (CREDENTIALS.includes(resource) && group === 'api.platform.run')
    return `${resource} are not available to pages`;
  // A batch must not contain what may not be sent alone.
  return segments.includes(BATCHES) ? findBatchFault(body) : undefined;
}

function findBatchFault(body: string): string | undefined {
  try {
    const batch: unknown = JSON.parse(body);
    const items = isObject(batch) && Array.isArray(batch.items) ? batch.items : [];
    const isRefused = items.some(isOfAccess);
    return isRefused ? 'users, roles and tokens are not available to pages' : undefined;
  } catch {
    return 'a batch must be JSON';
  }
}

function isOfAccess(item: unknown): boolean {
  const parts = isObject(item) ? [item, item.object] : [];
  return parts.some(
    (part) =>
      isObject(part) && typeof part.apiVersion === 'string' && part.apiVersion.startsWith(`${ACCESS_GROUP}/`),
  );
}

function isTrue(search: URLSearchParams, name: string): boolean {
  return search.getAll(name).some((value) => /^(?:true|1)$/i.test(value));
}

/** @throws Error when it is too long */
async function readText(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > REQUEST_LIMITS.answer) {
      await reader.cancel();
      throw new RefusedRequest(
        `the answer is longer than ${REQUEST_LIMITS.answer} bytes; ask for less with size= or limit=`,
      );
    }
    text += decoder.decode(value, { stream: true });
  }
}
