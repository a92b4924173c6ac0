import { once } from 'node:events';
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

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
  const until = performance.now() + durationMs;
  const { hostname, port } = new URL(url);
  const ask = async (): Promise<void> => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, 'connect');
    let answer: Buffer = Buffer.alloc(0);
    try {
      await new Promise<void>((resolve, reject) => {
        socket.on('error', reject);
        socket.on('close', () => reject(new Error('the service closed a connection')));
        socket.on('data', (part: Buffer) => {
          answer = answer.length === 0 ? part : Buffer.concat([answer, part]);
          if (!isWhole(answer)) return;
          const status = Number(answer.toString('latin1', 9, 12));
          if (status >= 300)
            reject(new Error(`the service answered ${status}: ${answer.toString().slice(0, 300)}`));
          answer = Buffer.alloc(0);
          if (performance.now() >= until) {
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

const WRITES_PER_SECOND = 20;

/** Does work while others write, 20 times a second. */
export async function amongWrites<T>(
  write: (n: number) => Promise<void>,
  work: () => Promise<T>,
): Promise<T> {
  let isOver = false;
  const writes = async (): Promise<void> => {
    for (let n = 0; !isOver; n += 1) await Promise.all([write(n), sleep(1000 / WRITES_PER_SECOND)]);
  };
  const [result] = await Promise.all([work().finally(() => (isOver = true)), writes()]);
  return result;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');

/** True for a complete answer, of a stated length or in chunks. */
function isWhole(bytes: Buffer): boolean {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(bytes.toString('latin1', 0, end))?.[1];
  return length === undefined
    ? bytes.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)
    : bytes.length >= end + HEAD_END.length + Number(length);
}

/** The median. */
export function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}
