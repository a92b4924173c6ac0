import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The place to which a browser returns from the issuer. */
export interface AwaitedRedirect {
  readonly url: string;
  /** The address with which the browser returned. */
  readonly received: Promise<URL>;
  close(): Promise<void>;
}

const PATH = '/callback';

/**
 * Waits on this machine for the browser that returns with the state. Requests without it are refused, so that pages of
 * others cannot end the sign-in.
 */
export async function awaitRedirect(state: string, signal: AbortSignal): Promise<AwaitedRedirect> {
  const { promise: received, resolve, reject } = promiseParts<URL>();
  // The caller may fail before it waits.
  received.catch(() => undefined);
  let base = '';
  const server = createServer((req, res) => {
    const url = URL.canParse(req.url ?? '', base) ? new URL(req.url ?? '', base) : undefined;
    if (req.method !== 'GET' || url?.pathname !== PATH) answer(res, 404, 'There is nothing here.');
    else if (url.searchParams.get('state') !== state) answer(res, 400, 'This sign-in was not started here.');
    else {
      answer(res, 200, 'Return to the terminal. You can close this page.');
      resolve(url);
    }
  });
  await new Promise<void>((done, failed) => server.once('error', failed).listen(0, '127.0.0.1', done));
  const address = server.address();
  base = `http://127.0.0.1:${isBound(address) ? address.port : 0}`;
  const stop = (): void => reject(new Error('nobody has signed in'));
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  return {
    url: `${base}${PATH}`,
    received,
    close: () =>
      new Promise((done) => {
        signal.removeEventListener('abort', stop);
        server.close(() => done());
        server.closeIdleConnections();
      }),
  };
}

function isBound(address: ReturnType<ReturnType<typeof createServer>['address']>): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}

function answer(res: ServerResponse, status: number, text: string): void {
  res.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    Connection: 'close',
  });
  res.end(`${text}\n`);
}

interface PromiseParts<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

function promiseParts<T>(): PromiseParts<T> {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  return { promise, resolve, reject };
}
