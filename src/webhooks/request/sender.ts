import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { getMessage } from '../../errors.js';
import type { AddressGuard } from './addresses.js';
import { readRetryAfter } from './backoff.js';

/** The interval of checks for requests that take too long, in milliseconds. */
const CHECK_MS = 100;
/** Bytes of an answer that are read, so that its connection can be used again. */
const ANSWER_BYTES_MAX = 64 * 1024;

/** A request with a body. */
export interface Sent {
  readonly url: URL;
  /** Names and values in turn, without those of the length and the host. */
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** For the whole request, in milliseconds. */
  readonly timeoutMs: number;
}

/** The result of a request: an answer, or the reason why there is none. */
export type Outcome =
  | { readonly status: number; readonly retryAfterMs?: number | undefined; readonly error?: undefined }
  | { readonly error: string; readonly status?: undefined };

interface Running {
  readonly endsAtMs: number;
  readonly timeOut: () => void;
}

/** Sends requests on connections that are kept. Follows no redirects. */
export class Sender {
  readonly #agents = {
    'http:': new HttpAgent({ keepAlive: true }),
    'https:': new HttpsAgent({ keepAlive: true }),
  };
  readonly #running = new Set<Running>();
  readonly #checking = setInterval(() => this.#endLate(), CHECK_MS).unref();

  constructor(private readonly guard: AddressGuard) {}

  /** Always resolves, at the latest a moment after the time limit. */
  send(sent: Sent): Promise<Outcome> {
    const refusal = this.guard.refusalOf(sent.url.hostname);
    if (refusal !== undefined) return Promise.resolve({ error: refusal });
    return new Promise((resolve) => this.#start(sent, resolve, true));
  }

  /** Ends all requests; they resolve. */
  close(): void {
    clearInterval(this.#checking);
    for (const { timeOut } of [...this.#running]) timeOut();
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  #start(sent: Sent, resolve: (outcome: Outcome) => void, mayRepeat: boolean): void {
    const { url, headers, body, timeoutMs } = sent;
    const isTls = url.protocol === 'https:';
    let answer: IncomingMessage | undefined;
    let request: ClientRequest | undefined;
    let isOver = false;
    const finish = (error: string): void => {
      if (isOver) return;
      isOver = true;
      this.#running.delete(running);
      resolve(answer === undefined ? { error } : outcomeOf(answer));
    };
    const running: Running = {
      endsAtMs: performance.now() + timeoutMs,
      timeOut: () => {
        finish(`no answer within ${timeoutMs} ms`);
        request?.destroy();
      },
    };
    this.#running.add(running);
    try {
      request = (isTls ? httpsRequest : httpRequest)({
        method: 'POST',
        agent: this.#agents[isTls ? 'https:' : 'http:'],
        host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
        port: url.port,
        path: `${url.pathname}${url.search}`,
        // As a list, which is much faster than an object.
        headers: ['host', url.host, 'content-length', String(body.length), ...headers],
        lookup: this.guard.lookup,
      });
    } catch (error) {
      finish(getMessage(error));
      return;
    }
    const used = request;
    used.on('error', (error) => {
      // The receiver closed a kept connection while this request began.
      if (!isOver && mayRepeat && used.reusedSocket && answer === undefined && isReset(error)) {
        isOver = true;
        this.#running.delete(running);
        this.#start(sent, resolve, false);
      } else finish(getMessage(error));
    });
    // Also after the end of an answer.
    used.on('close', () => finish('the connection was closed without an answer'));
    used.on('response', (response) => {
      answer = response;
      let bytes = 0;
      response.on('data', (part: Buffer) => {
        bytes += part.length;
        if (bytes > ANSWER_BYTES_MAX) used.destroy();
      });
    });
    // Text goes out together with the head.
    used.end(body.toString());
  }

  #endLate(): void {
    if (this.#running.size === 0) return;
    const now = performance.now();
    for (const { endsAtMs, timeOut } of this.#running) if (endsAtMs <= now) timeOut();
  }
}

function outcomeOf({ statusCode = 0, headers }: IncomingMessage): Outcome {
  return { status: statusCode, retryAfterMs: readRetryAfter(headers['retry-after'], Date.now()) };
}

function isReset(error: Error): boolean {
  const code = 'code' in error ? error.code : undefined;
  return code === 'ECONNRESET' || code === 'EPIPE';
}
