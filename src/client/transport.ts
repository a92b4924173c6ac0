import { badRequest, getMessage, unavailable } from '../errors.js';
import { getError } from './status.js';

export interface RemoteOptions {
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string;
  /** Called with the warnings of reads. Warnings of writes are in their results. */
  readonly onWarning?: (text: string) => void;
}

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly query?: URLSearchParams;
  readonly body?: unknown;
  /** Default `application/json`. */
  readonly contentType?: string;
  readonly ifMatch?: readonly string[];
  /** Ends a stream without an error. */
  readonly signal?: AbortSignal;
}

/** A parsed answer. */
export interface Answer {
  readonly body: unknown;
  readonly warnings: readonly string[];
}

/** Requests to one server; failures become `ServiceError`. */
export class Transport {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #onWarning: RemoteOptions['onWarning'];
  /** Warnings of reads. A write that repeats one has nothing to add: it is about the client. */
  readonly #given = new Set<string>();

  /** @throws ServiceError `BadRequest` when the URL is not an HTTP URL */
  constructor(url: string, { token, onWarning }: RemoteOptions = {}) {
    this.#base = getBase(url);
    this.#onWarning = onWarning;
    const authorization = token === undefined || token === '' ? {} : { Authorization: `Bearer ${token}` };
    this.#headers = { Accept: 'application/json', ...authorization };
  }

  /**
   * Sends a request and reads the whole answer.
   * @throws ServiceError the server's error, or `ServiceUnavailable`
   */
  async request(path: string, options: RequestOptions = {}): Promise<Answer> {
    const response = await this.#open(path, options);
    const text = await this.#reading(response.text());
    const warnings = readWarnings(response.headers.get('warning'));
    return { body: this.parse(text), warnings: warnings.filter((one) => !this.#given.has(one)) };
  }

  /** Sends a request and yields the answer's text in parts, as it arrives. */
  async *stream(path: string, options: RequestOptions = {}): AsyncGenerator<string> {
    const decoder = new TextDecoder();
    for await (const part of this.bytes(path, options)) yield decoder.decode(part, { stream: true });
    yield decoder.decode();
  }

  /** Sends a request and yields the answer's bytes in parts, as they arrive. */
  async *bytes(path: string, options: RequestOptions = {}): AsyncGenerator<Uint8Array> {
    const { signal } = options;
    const unlessEnded = (error: unknown): undefined => {
      if (signal?.aborted !== true) throw error;
    };
    const response = await this.#open(path, options).catch(unlessEnded);
    if (response === undefined || response.body === null) return;
    const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
    try {
      for (;;) {
        const part = await this.#reading(reader.read()).catch(unlessEnded);
        if (part === undefined || part.done) return;
        yield part.value;
      }
    } finally {
      // The caller stopped early, so the rest of the answer is discarded.
      await reader.cancel().catch(() => undefined);
    }
  }

  /** The error for an answer in an unexpected form. */
  malformed(what: string): Error {
    return unavailable(`the answer of ${this.#base} is not that of an xsvc server: ${what}`);
  }

  async #open(path: string, options: RequestOptions): Promise<Response> {
    const { method = 'GET', query, body, contentType = 'application/json', ifMatch, signal } = options;
    const search = query === undefined || query.size === 0 ? '' : `?${query.toString()}`;
    const headers: Record<string, string> = { ...this.#headers };
    if (body !== undefined) headers['Content-Type'] = contentType;
    if (ifMatch !== undefined) headers['If-Match'] = ifMatch.map((tag) => `"${tag}"`).join(', ');
    const content = {
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    };
    const response = await this.#reading(
      fetch(`${this.#base}${path}${search}`, { method, headers, ...content }),
    );
    if (response.ok) {
      if (method === 'GET') readWarnings(response.headers.get('warning')).forEach((text) => this.#warn(text));
      return response;
    }
    const text = await this.#reading(response.text());
    throw getError(`${this.#base}${path}`, response.status, text, response.headers.get('retry-after'));
  }

  #warn(text: string): void {
    this.#given.add(text);
    this.#onWarning?.(text);
  }

  async #reading<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw unavailable(`cannot reach ${this.#base}: ${getReason(error)}`);
    }
  }

  /** @throws ServiceError `ServiceUnavailable` for a text that is not JSON */
  parse(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      throw this.malformed('the answer is not JSON');
    }
  }
}

function getBase(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw badRequest(`"${text}" is not the URL of a server; write it like http://127.0.0.1:8090`);
  }
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}`;
}

/** `fetch` hides the reason of a failure behind "fetch failed". */
function getReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof AggregateError && cause.errors.length > 0) return getMessage(cause.errors[0]);
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message;
}

/** The texts of `Warning` headers (RFC 7234), which `fetch` joins with commas. */
export function readWarnings(header: string | null): string[] {
  if (header === null) return [];
  // The texts are UTF-8, but `fetch` decodes each byte as one character.
  const text = Buffer.from(header, 'latin1').toString();
  const found = text.matchAll(/\b\d{3} \S+ "((?:[^"\\]|\\.)*)"/g);
  return [...found].map((match) => (match[1] ?? '').replace(/\\(.)/g, '$1'));
}
