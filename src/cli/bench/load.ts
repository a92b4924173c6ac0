import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

/** A repeated request to a server. */
export interface Load {
  readonly url: string;
  readonly connections: number;
  readonly durationMs: number;
  /** The bytes of the n-th request. */
  readonly request: (n: number) => Buffer;
}

/** The bytes of an HTTP/1.1 request. @param body JSON */
export function requestBytes(
  method: string,
  target: string,
  body?: string,
  type = 'application/json',
): Buffer {
  const head = `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n`;
  if (body === undefined) return Buffer.from(`${head}\r\n`);
  return Buffer.from(
    `${head}Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/**
 * Answers per second; each connection sends the next request after an answer. It writes to sockets directly, because a slower
 * client would measure itself.
 * @throws Error for an answer without success
 */
export async function answersPerSecond({ url, connections, durationMs, request }: Load): Promise<number> {
  let sent = 0;
  let answered = 0;
  const start = performance.now();
  const until = start + durationMs;
  const ask = async (): Promise<void> => {
    const socket = await openSocket(url);
    try {
      await new Promise<void>((resolve, reject) => {
        const reader = new AnswerReader();
        socket.on('error', reject);
        socket.on('close', () => reject(new Error('the service closed a connection')));
        socket.on('data', (part: Buffer) => {
          const answer = reader.read(part);
          if (answer === undefined) return;
          if (answer.status >= 300) {
            reject(new Error(`the service answered ${answer.status}: ${answer.text.slice(0, 300)}`));
          } else if (performance.now() >= until) {
            resolve();
          } else {
            answered += 1;
            socket.write(request(sent++));
          }
        });
        socket.write(request(sent++));
      });
    } finally {
      socket.destroy();
    }
  };
  await Promise.all(Array.from({ length: connections }, ask));
  return (answered * 1000) / durationMs;
}

async function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, 'connect');
  return socket;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');

/** Finds the ends of answers on a connection with one request at a time. */
class AnswerReader {
  #parts: Buffer[] = [];
  #length = 0;
  /** Bytes of the whole answer; undefined while unknown, NaN for a chunked answer. */
  #whole: number | undefined;

  /** @returns the answer when its last part is read */
  read(part: Buffer): { readonly status: number; readonly text: string } | undefined {
    this.#parts.push(part);
    this.#length += part.length;
    this.#whole ??= wholeLength(this.#joined());
    if (this.#whole === undefined) return undefined;
    const isWhole = Number.isNaN(this.#whole)
      ? this.#joined().subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)
      : this.#length >= this.#whole;
    if (!isWhole) return undefined;
    const bytes = this.#joined();
    this.#parts = [];
    this.#length = 0;
    this.#whole = undefined;
    const status = Number(bytes.toString('latin1', 9, 12));
    return { status, text: status < 300 ? '' : bytes.toString() };
  }

  #joined(): Buffer {
    const [first] = this.#parts;
    if (first !== undefined && this.#parts.length === 1) return first;
    const joined = Buffer.concat(this.#parts);
    this.#parts = [joined];
    return joined;
  }
}

function wholeLength(bytes: Buffer): number | undefined {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const length = /\r\ncontent-length: *(\d+)/i.exec(bytes.toString('latin1', 0, end))?.[1];
  return length === undefined ? NaN : end + HEAD_END.length + Number(length);
}
