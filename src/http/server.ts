import { createServer, IncomingMessage, ServerResponse, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SecureContextOptions } from 'node:tls';
import type { Express } from 'express';
import { ServiceError, unavailable } from '../errors.js';
import { statusOf } from './status.js';

export interface ListenOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Speak TLS only. Both in PEM. */
  readonly tls?: TlsFiles | undefined;
}

export interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/**
 * What every TLS 1.2 client of the last ten years knows: with forward secrecy and authenticated encryption. TLS 1.3 has
 * nothing else.
 */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

function secureOptions({ cert, key }: TlsFiles): SecureContextOptions {
  return { cert, key, ciphers: CIPHERS, minVersion: 'TLSv1.2' };
}

export interface RunningServer {
  /** `http://HOST:PORT`, or `https:`, with the port that was picked. */
  readonly url: string;
  /** Speaks TLS with these from the next connection on; nothing where no TLS is spoken. */
  renewTls(files: TlsFiles): void;
  /** Takes no new requests, waits for those under way up to the deadline, then cuts the rest off. */
  close(deadlineMs: number): Promise<void>;
}

/** Longest request head: what `URL_LENGTH_MAX` allows, and headers; longer ones are cut off while read. */
const HEAD_BYTES_MAX = 128 * 1024;

/**
 * Starts answering.
 * @throws ServiceError `ServiceUnavailable` when the address cannot be listened on
 */
export async function listen(app: Express, { host, port, tls }: ListenOptions): Promise<RunningServer> {
  // A request without a Host is refused by the app's guard, for node's own refusal has no body.
  const limits = { maxHeaderSize: HEAD_BYTES_MAX, requireHostHeader: false };
  const options = { ...classesFor(app), ...limits };
  const secure = tls === undefined ? undefined : createTlsServer({ ...options, ...secureOptions(tls) }, app);
  const server = secure ?? createServer(options, app);
  server.on('clientError', refuseMalformed);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(unavailable(`cannot listen on ${host}:${port}: ${error.message}`)),
    );
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  const scheme = tls === undefined ? 'http' : 'https';
  return {
    url: `${scheme}://${name}:${address.port}`,
    renewTls: (files) => secure?.setSecureContext(secureOptions(files)),
    close: (deadlineMs) => close(server, deadlineMs),
  };
}

/**
 * Express gives every request and response its own prototypes, which costs V8's inline caches and most of
 * node's speed. Objects that are made with the right prototype already are left as they are.
 */
function classesFor(app: Express): {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse;
} {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse {}
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  Object.defineProperty(app, 'request', { value: AppRequest.prototype, writable: true });
  Object.defineProperty(app, 'response', { value: AppResponse.prototype, writable: true });
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse as typeof ServerResponse };
}

/** What node's parser refuses never reaches the app; it gets the same shape of error all the same. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const tooLong = error.code === 'HPE_HEADER_OVERFLOW';
  const message = tooLong
    ? `the head of the request is longer than ${HEAD_BYTES_MAX} bytes`
    : 'malformed HTTP request';
  const body = JSON.stringify(statusOf(new ServiceError('BadRequest', message)));
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

const IDLE_CHECK_MS = 50;

async function close(server: Server, deadlineMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Connections whose last answer was under way become idle later, and would be kept for a next request.
  server.closeIdleConnections();
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const aborter = new AbortController();
  const late = sleep(deadlineMs, 'late' as const, { signal: aborter.signal }).catch(() => 'late' as const);
  if ((await Promise.race([closed, late])) === 'late') server.closeAllConnections();
  await closed;
  clearInterval(idle);
  aborter.abort();
}
