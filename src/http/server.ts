import cluster from 'node:cluster';
import {
  createServer,
  IncomingMessage,
  ServerResponse,
  STATUS_CODES,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type Server,
} from 'node:http';
import { createServer as createTlsServer, Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { SecureContextOptions, TlsOptions } from 'node:tls';
import type { Express } from 'express';
import { HTTP_STATUS, badRequest, ServiceError, unavailable } from '../errors.js';
import { SYSTEM_CLOCK } from '../lib/time/clock.js';
import { LogLimit } from '../lib/log/log-limit.js';
import type { Logger } from '../lib/log/logger.js';
import {
  BROWSER_HEADERS,
  hasBrowserHeaders,
  requireTls,
  setBrowserHeaders,
} from './guards/browser-headers.js';
import { closeServer, getConnections } from './closing.js';
import type { FollowedResponse } from './answer/followed.js';
import { isClosing } from './answer/respond.js';
import { getStatus } from './answer/status.js';

export interface ListenOptions {
  readonly host: string;
  /** 0 selects a free one. */
  readonly port: number;
  /** Enables TLS, and disables plain HTTP. Both files in PEM. */
  readonly tls?: TlsFiles | undefined;
  /** Most open connections; further ones are closed at once. Default: no limit. */
  readonly maxConnections?: number;
  /** Receives warnings about connections that were closed because of the limit. */
  readonly logger?: Logger;
}

export interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** The issuers of certificates of clients, in PEM. Default: clients are not asked for one. */
  readonly clientCa?: Buffer | undefined;
}

/**
 * Ciphers that every TLS 1.2 client of the last ten years supports, with forward secrecy and authenticated
 * encryption. TLS 1.3 has only such ciphers.
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

function secureOptions({ cert, key, clientCa: ca }: TlsFiles): SecureContextOptions {
  return { cert, key, ciphers: CIPHERS, minVersion: 'TLSv1.2', ...(ca && { ca }) };
}

/** The app refuses wrong certificates, so that their clients get an answer with the reason. */
function clientOptions({ clientCa }: TlsFiles): TlsOptions {
  return clientCa === undefined ? {} : { requestCert: true, rejectUnauthorized: false };
}

export interface RunningServer {
  /** `http://HOST:PORT`, or `https:`, with the actual port. */
  readonly url: string;
  /** Uses these files for new TLS connections; has no effect without TLS. */
  renewTls(files: TlsFiles): void;
  /** Accepts no new requests, waits for those in progress up to the deadline, then cuts off the rest. */
  close(deadlineMs: number): Promise<void>;
}

/** Longest request head: a URL of `URL_LENGTH_MAX`, and headers; longer ones are cut off during reading. */
const HEAD_BYTES_MAX = 128 * 1024;
/**
 * Longest time for a request's head, and the interval of the check, in milliseconds. Bodies have a separate limit.
 */
const HEAD_MS_MAX = 30_000;
const HEAD_CHECK_MS = 5_000;
/**
 * Proxies keep idle connections for up to 60 s: a connection closed earlier could lose their next request. In
 * milliseconds.
 */
const IDLE_MS_MAX = 75_000;

/**
 * Starts the server.
 * @throws ServiceError `ServiceUnavailable` when it cannot listen on the address
 */
export async function listen(app: Express, listening: ListenOptions): Promise<RunningServer> {
  const { host, port, tls, maxConnections, logger } = listening;
  const limits = {
    maxHeaderSize: HEAD_BYTES_MAX,
    headersTimeout: HEAD_MS_MAX,
    connectionsCheckingInterval: HEAD_CHECK_MS,
    keepAliveTimeout: IDLE_MS_MAX,
    requestTimeout: 0,
    // The app's guard refuses a request without a Host, because node's own refusal has no body.
    requireHostHeader: false,
  };
  const options = { ...classesFor(app, tls !== undefined), ...limits };
  const secure =
    tls === undefined
      ? undefined
      : createTlsServer({ ...options, ...secureOptions(tls), ...clientOptions(tls) }, app);
  const server = secure ?? createServer(options, app);
  answerHalfClosed(server);
  const connections = getConnections(server);
  server.on('clientError', refuseMalformed);
  if (maxConnections !== undefined) limitConnections(server, maxConnections, logger);
  await new Promise<void>((resolve, reject) => {
    const fail = (reason: string): void => reject(unavailable(`cannot listen on ${host}:${port}: ${reason}`));
    server.once('error', (error) => fail(error.message));
    // A worker asks the process that started it to listen; that process may end before it answers.
    const orphaned = (): void => fail('the primary process has ended');
    if (cluster.isWorker && !process.connected) orphaned();
    process.once('disconnect', orphaned);
    server.listen(port, host, () => {
      process.off('disconnect', orphaned);
      resolve();
    });
  });
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  const scheme = tls === undefined ? 'http' : 'https';
  return {
    url: `${scheme}://${name}:${address.port}`,
    renewTls: (files) => secure?.setSecureContext(secureOptions(files)),
    close: (deadlineMs) => closeServer(server, connections, deadlineMs),
  };
}

/**
 * Express gives every request and response its own prototypes, which costs V8's inline caches and most of node's
 * speed. It leaves objects unchanged that are created with the right prototype.
 */
function classesFor(
  app: Express,
  isSecure: boolean,
): {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse;
} {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse implements FollowedResponse {
    onHead: FollowedResponse['onHead'] = undefined;

    /** The heads of all answers pass here, including those of Express and of plugins. */
    override writeHead(status: number, reason?: string | Heads, heads?: Heads): this {
      this.onHead?.(status);
      const text = typeof reason === 'string' ? reason : undefined;
      const all = typeof reason === 'object' ? reason : heads;
      if (!hasBrowserHeaders(all)) setBrowserHeaders(this);
      if (isSecure) requireTls(this);
      return super.writeHead(status, text, all);
    }
  }
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  Object.defineProperty(app, 'request', { value: AppRequest.prototype, writable: true });
  Object.defineProperty(app, 'response', { value: AppResponse.prototype, writable: true });
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse as typeof ServerResponse };
}

/** Time for the answers to a client that has ended its side of the connection, in milliseconds. */
const HALF_CLOSED_MS_MAX = 1_000;

/**
 * Answers requests of clients that end their side of the connection after them. Clients that leave look the same until something
 * is sent to them, so their watches end after a moment.
 */
function answerHalfClosed(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true });
  const follow = (socket: Socket): void => {
    socket.once('end', () => {
      const ending = setTimeout(() => socket.destroy(), HALF_CLOSED_MS_MAX);
      socket.once('close', () => clearTimeout(ending));
    });
  };
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', follow);
}

type Heads = OutgoingHttpHeaders | OutgoingHttpHeader[];

function limitConnections(server: Server, max: number, logger: Logger | undefined): void {
  server.maxConnections = max;
  const limit = new LogLimit(SYSTEM_CLOCK, 1);
  server.on('drop', () =>
    limit.write((heldBack) =>
      logger?.warn(
        `${max} connections are open; further ones are closed immediately, see --max-connections`,
        heldBack === 0 ? {} : { heldBack },
      ),
    ),
  );
}

/** A request that node's parser refuses never reaches the app, but gets the same form of error. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  // A client that has sent nothing expects no answer.
  if (!socket.writable || socket.bytesRead === 0) {
    socket.destroy();
    return;
  }
  if (isClosing(socket)) return;
  const refusal = getRefusal(error.code);
  const body = JSON.stringify(getStatus(refusal));
  const status = HTTP_STATUS[refusal.code];
  const heads = Object.entries(BROWSER_HEADERS).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nContent-Type: application/json\r\n` +
      heads.join('') +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function getRefusal(code: string | undefined): ServiceError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ServiceError(
      'Timeout',
      `the head of the request did not arrive within ${HEAD_MS_MAX / 1000} s`,
    );
  const isTooLong = code === 'HPE_HEADER_OVERFLOW';
  return badRequest(
    isTooLong ? `the head of the request is longer than ${HEAD_BYTES_MAX} bytes` : 'malformed HTTP request',
  );
}
