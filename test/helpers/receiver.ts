import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request of a webhook. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: {
    readonly id: string;
    readonly type: string;
    readonly time: string;
    readonly resourceVersion: string;
    readonly object: { readonly metadata: { readonly name: string }; readonly [member: string]: unknown };
    readonly old?: { readonly [member: string]: unknown };
  };
  readonly atMs: number;
}

/** Answers a request; its body was read. */
export type Answer = (received: Received, response: ServerResponse, request: IncomingMessage) => void;

export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  /** Default: 204. */
  answer: Answer;
  /** The types of the changes with the names of their objects, in the order of their arrival. */
  told(): string[];
  close(): Promise<void>;
}

/** A server on loopback that keeps what it receives. */
export async function startReceiver(port = 0): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => (text += String(part)));
    request.on('end', () => {
      const one: Received = {
        headers: request.headers,
        text,
        body: JSON.parse(text) as Received['body'],
        atMs: performance.now(),
      };
      received.push(one);
      receiver.answer(one, response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${address.port}/hook`,
    port: address.port,
    received,
    answer: answerWith(204),
    told: () => received.map(({ body }) => `${body.type} ${body.object.metadata.name}`),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

/** An answer with a status and headers. */
export function answerWith(status: number, headers: Record<string, string> = {}): Answer {
  return (_received, response) => void response.writeHead(status, headers).end();
}
