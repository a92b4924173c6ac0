import { Readable } from 'node:stream';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import type { Response as ExpressResponse } from 'express';
import { isAnswer } from '../../endpoint/respond.js';
import { drained } from '../answer/drain.js';
import { sendBytes } from '../answer/respond.js';

export interface AnswerOptions {
  /** True when the handler uses the response itself. */
  readonly hasTaken: boolean;
  /** A client that reads nothing of a stream for this time is cut off, in milliseconds. */
  readonly stallMs: number;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: unknown;
}

/**
 * Answers with the value that a handler returned:
 * - nothing: 204, unless the handler uses the response itself;
 * - an answer of `respond()` or an object of its shape, or the web's `Response`: its status, headers and body;
 * - a stream (of node, of the web, or any async iterable of texts and bytes), bytes, a `Blob`: unchanged;
 * - anything else, including null: 200 and JSON, or YAML for a client that prefers it.
 * @throws TypeError for values that JSON cannot represent; any error of a stream. If the answer has begun by then, it
 * must be cut off.
 */
export async function sendAnswer(
  res: ExpressResponse,
  value: unknown,
  { hasTaken, stallMs }: AnswerOptions,
): Promise<void> {
  if (res.headersSent || res.destroyed) {
    discard(value);
    return;
  }
  if (value === undefined) {
    if (!hasTaken) res.writeHead(204).end();
    return;
  }
  const { status, headers, body } = getAnswer(value, res.statusCode);
  const bytes = findBytes(body);
  if (bytes !== undefined) sendWhole(res, status, headers, bytes);
  else if (isStream(body)) await sendStream(res, { status, headers }, body, stallMs);
  else if (body === undefined || status === 204 || status === 304)
    res.writeHead(status, { ...headers }).end();
  else if (typeof body === 'string' && hasType(headers)) sendWhole(res, status, headers, Buffer.from(body));
  else sendBytes(res, status, toJson(body), headers);
}

/** Ends a stream without a reader. */
export function discard(value: unknown): void {
  const body = isAnswer(value) || value instanceof Response ? value.body : value;
  if (isStream(body))
    toReadable(body)
      .on('error', () => undefined)
      .destroy();
}

function getAnswer(value: unknown, statusSet: number): Answer {
  if (isAnswer(value)) return { status: value.status, headers: value.headers ?? {}, body: value.body };
  if (!(value instanceof Response)) return { status: statusSet, headers: {}, body: value };
  const headers: Record<string, string | string[]> = Object.fromEntries(value.headers);
  const cookies = value.headers.getSetCookie();
  if (cookies.length > 0) headers['set-cookie'] = cookies;
  return { status: value.status, headers, body: value.body ?? undefined };
}

function findBytes(body: unknown): Buffer | undefined {
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return body instanceof ArrayBuffer ? Buffer.from(body) : undefined;
}

function typeIn(headers: Answer['headers']): string | undefined {
  const name = Object.keys(headers).find((one) => one.toLowerCase() === 'content-type');
  return name === undefined ? undefined : String(headers[name]);
}

function hasType(headers: Answer['headers']): boolean {
  return typeIn(headers) !== undefined;
}

const BYTES = 'application/octet-stream';

function sendWhole(res: ExpressResponse, status: number, headers: Answer['headers'], bytes: Buffer): void {
  const type = hasType(headers) || res.hasHeader('content-type') ? {} : { 'Content-Type': BYTES };
  res.writeHead(status, { ...type, ...headers, 'Content-Length': bytes.length });
  res.end(res.req.method === 'HEAD' ? undefined : bytes);
}

/** @throws TypeError for values that JSON cannot represent, or would silently lose */
function toJson(value: unknown): Buffer {
  const text = JSON.stringify(value, (key, member: unknown) => {
    if (member instanceof Map || member instanceof Set) {
      throw new TypeError(`a ${member instanceof Map ? 'Map' : 'Set'} at "${key}" cannot be sent as JSON`);
    }
    return member;
  }) as string | undefined;
  if (text === undefined) throw new TypeError(`a ${typeof value} cannot be sent as JSON`);
  return Buffer.from(text);
}

type Source = AsyncIterable<unknown> | NodeReadableStream | Blob;

function isStream(body: unknown): body is Source {
  return typeof body === 'object' && body !== null && (Symbol.asyncIterator in body || body instanceof Blob);
}

function toReadable(source: Source): Readable {
  if (source instanceof Readable) return source;
  if (source instanceof Blob) return Readable.fromWeb(source.stream());
  if (source instanceof ReadableStream) return Readable.fromWeb(source as NodeReadableStream);
  return Readable.from(source);
}

async function sendStream(
  res: ExpressResponse,
  { status, headers }: Omit<Answer, 'body'>,
  source: Source,
  stallMs: number,
): Promise<void> {
  const stream = toReadable(source);
  const blobType = source instanceof Blob && source.type !== '' ? source.type : BYTES;
  const type = hasType(headers) || res.hasHeader('content-type') ? {} : { 'Content-Type': blobType };
  const begin = (): unknown => res.headersSent || res.writeHead(status, { ...type, ...headers });
  const end = (): unknown => stream.destroy();
  res.once('close', end);
  try {
    if (res.req.method === 'HEAD') {
      stream.on('error', () => undefined).destroy();
      begin();
      res.end();
      return;
    }
    // The head waits for the first part, so that a stream that fails before it gives an ordinary error. Listeners for
    // events must learn at once that they are connected.
    if (/^text\/event-stream/i.test(typeIn(headers) ?? String(res.getHeader('content-type')))) {
      begin();
      res.flushHeaders();
    }
    for await (const part of stream) {
      begin();
      if (!(await write(res, getChunk(part), stallMs))) return;
    }
    begin();
    if (!res.writableEnded) res.end();
  } catch (error) {
    if (!res.destroyed) throw error;
  } finally {
    res.off('close', end);
    stream.destroy();
  }
}

function getChunk(part: unknown): string | Uint8Array {
  if (typeof part === 'string' || part instanceof Uint8Array) return part;
  throw new TypeError(`a stream must yield strings or bytes, got ${typeof part}`);
}

/** Resolves with true when more may be sent, with false when the response is closed. */
async function write(res: ExpressResponse, part: string | Uint8Array, stallMs: number): Promise<boolean> {
  if (res.destroyed || res.writableEnded) return false;
  return res.write(part) || drained(res, stallMs);
}
