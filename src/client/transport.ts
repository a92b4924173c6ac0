import { getMessage } from '../errors.js';
import type { StatedPatchType } from '../service/verbs.js';
import { readWarnings } from './programs/warnings.js';
import { getFailure, parseOrUndefined, type RequestFailure } from './status.js';

export interface RemoteOptions {
  /** Sent as `Authorization: Bearer`. A function is called for each request. */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>) | undefined;
  /** Called with the warnings of reads. Warnings of writes are in their results. */
  readonly onWarning?: ((text: string) => void) | undefined;
}

export interface TransportOptions extends RemoteOptions {
  /** Makes the error of a failure. @param status of the answer; 0 without one */
  readonly toError: (failure: RequestFailure, status: number) => Error;
}

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly query?: URLSearchParams;
  readonly body?: unknown;
  /** Default `application/json`. */
  readonly contentType?: string;
  /** Default `application/json`. */
  readonly accept?: string;
  readonly ifMatch?: readonly string[] | undefined;
  /** Ends a stream without an error, and a request with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

export const PATCH_CONTENT_TYPES: Readonly<Record<StatedPatchType, string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** Most warnings of reads that are remembered. */
const GIVEN_MAX = 1_000;

export interface Answer {
  readonly body: unknown;
  readonly warnings: readonly string[];
}

/** Requests to one server, in Node.js and in browsers. */
export class Transport {
  readonly #base: string;
  readonly #options: TransportOptions;
  /** Warnings of reads. A write that repeats one has nothing to add: it is about the client. */
  readonly #given = new Set<string>();

  /** @throws `BadRequest` when the URL is not an HTTP URL */
  constructor(url: string, options: TransportOptions) {
    this.#options = options;
    this.#base = this.#getBase(url);
  }

  /**
   * Sends a request and reads the whole answer.
   * @throws the server's error, or `ServiceUnavailable`
   */
  async request(path: string, options: RequestOptions = {}): Promise<Answer> {
    const response = await this.open(path, options);
    const text = await this.reading(response.text(), options);
    const warnings = readWarnings(response.headers.get('warning'));
    return { body: this.parse(text), warnings: warnings.filter((one) => !this.#given.has(one)) };
  }

  /** The error for an answer in an unexpected form. */
  malformed(what: string, status = 200): Error {
    return this.#unavailable(`the answer of ${this.#base} is not that of an xsvc server: ${what}`, status);
  }

  /** Sends a request and resolves with the head of its answer. */
  async open(path: string, options: RequestOptions = {}): Promise<Response> {
    const { method = 'GET', query, body, contentType = 'application/json', ifMatch, signal } = options;
    const token =
      typeof this.#options.token === 'function' ? await this.#options.token() : this.#options.token;
    const search = query === undefined || query.size === 0 ? '' : `?${query.toString()}`;
    const headers: Record<string, string> = { Accept: options.accept ?? 'application/json' };
    if (token !== undefined && token !== '') headers.Authorization = `Bearer ${token}`;
    if (body !== undefined) headers['Content-Type'] = contentType;
    if (ifMatch !== undefined) headers['If-Match'] = ifMatch.map((tag) => `"${tag}"`).join(', ');
    const content = {
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    };
    const response = await this.reading(
      fetch(`${this.#base}${path}${search}`, { method, headers, ...content }),
      options,
    );
    if (response.ok) {
      if (method === 'GET') readWarnings(response.headers.get('warning')).forEach((text) => this.#warn(text));
      return response;
    }
    const text = await this.reading(response.text(), options);
    const { status } = response;
    const retryAfter = response.headers.get('retry-after') ?? '';
    const failure = getFailure(`${this.#base}${path}`, status, parseOrUndefined(text), retryAfter);
    throw this.#options.toError(failure, status);
  }

  #warn(text: string): void {
    if (this.#given.size < GIVEN_MAX) this.#given.add(text);
    this.#options.onWarning?.(text);
  }

  #unavailable(message: string, status: number): Error {
    return this.#options.toError({ code: 'ServiceUnavailable', message }, status);
  }

  /** Waits for a part of an answer. @throws `ServiceUnavailable`, or the reason of the signal */
  protected async reading<T>(work: Promise<T>, { signal }: RequestOptions): Promise<T> {
    try {
      return await work;
    } catch (error) {
      signal?.throwIfAborted();
      throw this.#unavailable(`cannot reach ${this.#base}: ${getReason(error)}`, 0);
    }
  }

  /** @throws `ServiceUnavailable` for a text that is not JSON */
  parse(text: string): unknown {
    const value = parseOrUndefined(text);
    if (value === undefined) throw this.malformed('the answer is not JSON');
    return value;
  }

  #getBase(text: string): string {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
      const message = `"${text}" is not the URL of a server; write it like http://127.0.0.1:8090`;
      throw this.#options.toError({ code: 'BadRequest', message }, 0);
    }
    return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}`;
  }
}

/** `fetch` hides the reason of a failure behind "fetch failed". */
function getReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof AggregateError && cause.errors.length > 0) return getMessage(cause.errors[0]);
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message;
}
