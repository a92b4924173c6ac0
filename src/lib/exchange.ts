import { setMaxListeners } from 'node:events';
import {
  request as httpRequest,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { Readable } from 'node:stream';

/** The interim answer (status 1xx) at which a request ends. */
const INTERIM_MAX = 10;
/**
 * Bytes that are parsed at a time: one packet can contain thousands of interim answers, or of parts of a body. Each part
 * counts as this many bytes at least, because it costs time.
 */
const PIECE_BYTES = 1024;

/** A request to a server that is not trusted. */
export interface OutgoingRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  /** Names and values in turn, without those of the host and the length. */
  readonly headers: readonly string[];
  /** A text goes out together with the head. */
  readonly body?: Buffer | string;
  /** The agent, and settings of the connection. */
  readonly connection?: Pick<
    RequestOptions,
    'agent' | 'lookup' | 'ca' | 'servername' | 'checkServerIdentity' | 'allowPartialTrustChain'
  >;
  /** For the whole request, in milliseconds. */
  readonly timeoutMs: number;
  /** Greatest number of bytes of all heads and the body of the answer. */
  readonly bytesMax: number;
  readonly signal?: AbortSignal | undefined;
}

/** The answer of a server. Redirects are not followed. */
export interface ReceivedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The reason why the body is not complete. */
  readonly fault: Error | undefined;
}

/**
 * Sends a request, once more when the server has closed a kept connection while the request began.
 * @throws Error when no final answer begins within the limits
 */
export function exchange(sent: OutgoingRequest): Promise<ReceivedAnswer> {
  return attempt(sent, performance.now() + sent.timeoutMs, true);
}

function attempt(sent: OutgoingRequest, endsAtMs: number, mayRepeat: boolean): Promise<ReceivedAnswer> {
  const { timeoutMs, signal } = sent;
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) throw reasonOf(signal);
    const request = open(sent);
    let answer: IncomingMessage | undefined;
    let reason: Error | undefined;
    const parts: Buffer[] = [];
    const end = (error: Error): void => {
      reason ??= error;
      request.destroy(reason);
    };
    limit(request, sent.bytesMax, end);
    const timeOut = (): void => end(new Error(`no answer within ${timeoutMs} ms`));
    const timer = setTimeout(timeOut, endsAtMs - performance.now());
    const abort = (): void => end(reasonOf(signal));
    // Many requests may share a signal.
    if (signal !== undefined) setMaxListeners(0, signal);
    signal?.addEventListener('abort', abort);
    request.on('error', (error) => {
      // Of several addresses that were tried, the first one's.
      if (answer?.complete !== true) reason ??= error instanceof AggregateError ? firstOf(error) : error;
    });
    request.on('response', (response) => {
      // It may have come in the same packet as what was too much.
      if (reason === undefined) answer = response;
      response.on('data', (part: Buffer) => parts.push(part));
    });
    request.on('close', () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      const closed = new Error('the connection was closed without an answer');
      if (answer !== undefined) {
        const { statusCode: status = 0, headers, complete } = answer;
        const fault = reason ?? (complete ? undefined : closed);
        resolve({ status, headers, body: Buffer.concat(parts), fault });
      } else if (mayRepeat && request.reusedSocket && isReset(reason))
        attempt(sent, endsAtMs, false).then(resolve, reject);
      else reject(reason ?? closed);
    });
    request.end(sent.body);
  });
}

function open({ url, method, headers, body, connection }: OutgoingRequest): ClientRequest {
  const length = body === undefined ? [] : ['content-length', String(Buffer.byteLength(body))];
  return (url.protocol === 'https:' ? httpsRequest : httpRequest)({
    ...connection,
    method,
    host: url.hostname.replace(/^\[(.*)\]$/u, '$1'),
    port: url.port,
    path: `${url.pathname}${url.search}`,
    // As a list, which is much faster than an object.
    headers: ['host', url.host, ...length, ...headers],
  });
}

/**
 * Limits an answer where it enters the process. A kept connection on which a server sends without a request is closed.
 */
function limit(request: ClientRequest, bytesMax: number, end: (error: Error) => void): void {
  let [bytes, interim] = [0, 0];
  const isOpen = (): boolean => !request.destroyed;
  const spend = (count: number): void => {
    bytes += count;
    if (bytes > bytesMax) end(new Error(`its answer is longer than ${bytesMax} bytes`));
  };
  request.on('information', () => {
    interim += 1;
    if (interim === INTERIM_MAX) end(new Error(`it sent ${INTERIM_MAX} interim answers`));
  });
  request.on('response', (response) => {
    response.push = (part: Buffer | null): boolean => {
      if (part === null) return pass(response, part);
      spend(Math.max(0, PIECE_BYTES - part.length));
      return isOpen() && pass(response, part);
    };
  });
  request.on('socket', (socket) => {
    socket.push = (chunk: Buffer | null): boolean => {
      if (chunk === null) return pass(socket, chunk);
      let isMoreWanted = true;
      for (let at = 0; at < chunk.length && isOpen();) {
        const piece = chunk.subarray(at, at + PIECE_BYTES);
        at += piece.length;
        spend(piece.length);
        if (isOpen()) isMoreWanted = pass(socket, piece);
      }
      return isMoreWanted;
    };
    request.on('close', () => {
      socket.push = (chunk: Buffer | null): boolean => {
        if (chunk !== null) socket.destroy();
        return chunk === null && pass(socket, chunk);
      };
    });
  });
}

function pass(stream: Readable, part: Buffer | null): boolean {
  return Readable.prototype.push.call(stream, part);
}

function firstOf({ errors: [first] }: AggregateError): Error {
  return first instanceof Error ? first : new Error('no address can be reached');
}

function reasonOf(signal: AbortSignal | undefined): Error {
  return signal?.reason instanceof Error ? signal.reason : new Error('it was aborted');
}

function isReset(error: Error | undefined): boolean {
  const code = error !== undefined && 'code' in error ? error.code : undefined;
  return code === 'ECONNRESET' || code === 'EPIPE';
}
