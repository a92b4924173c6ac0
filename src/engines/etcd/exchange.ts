import type { ClientRequest, IncomingMessage } from 'node:http';

/** Limit for an answer. The caller reduces a request whose answer is longer. */
const ANSWER_BYTES_MAX = 32 * 1024 * 1024;

/** The error for an answer above the limit. */
export class TooLong extends Error {
  override readonly name = 'TooLong';
}

/** True when a connection exists, so that the request may have been sent. */
export function getConnection(request: ClientRequest, isTls: boolean): { readonly isMade: boolean } {
  const connection = { isMade: false };
  request.once('socket', (socket) => {
    if (socket.connecting) socket.once(isTls ? 'secureConnect' : 'connect', () => (connection.isMade = true));
    else connection.isMade = true;
  });
  return connection;
}

export function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.on('error', reject);
    request.once('close', () => reject(new Error('the connection was closed')));
  });
}

/** @throws TooLong */
export async function textIn(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    parts.push(part);
    length += part.length;
    if (length <= ANSWER_BYTES_MAX) continue;
    answer.destroy();
    throw new TooLong();
  }
  return Buffer.concat(parts).toString();
}
