import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { badRequest, getMessage, unavailable } from '../../errors.js';
import { EXIT } from '../exit.js';
import { stopped } from './stopped.js';
import type { KnownFlags, ProgramFlags } from './program-flags.js';

/** The store is in the process of the control plane, so that this one only answers that it is healthy. */
export const ETCD_FLAGS: KnownFlags = {
  used: ['listen-client-urls'],
  ignored: ['advertise-client-urls', 'data-dir', 'listen-peer-urls', 'unsafe-no-fsync'],
};

const DEFAULT_URLS = 'http://127.0.0.1:2379';

const ANSWERS: Readonly<Record<string, object>> = {
  '/health': { health: 'true', reason: '' },
  '/version': { etcdserver: '3.6.0', etcdcluster: '3.6.0' },
};

/**
 * Answers the requests that envtest sends to etcd, until the process is asked to stop.
 * @throws ServiceError for addresses that it cannot listen on
 */
export async function runEtcd(flags: ProgramFlags, stop: AbortSignal): Promise<number> {
  const urls = (flags.get('listen-client-urls') ?? DEFAULT_URLS).split(',');
  const servers = await Promise.all(urls.map(listenOn));
  await stopped(stop);
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  return EXIT.done;
}

async function listenOn(text: string): Promise<Server> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:') throw badRequest(`--listen-client-urls: "${text}" is no URL with http://`);
  const server = createServer((req, res) => {
    const answer = ANSWERS[req.url ?? ''];
    res.writeHead(answer === undefined ? 404 : 200, { 'Content-Type': 'application/json' });
    res.end(JSON.stringify(answer ?? {}));
  });
  server.listen(Number(url.port), url.hostname.replace(/^\[|\]$/g, ''));
  await once(server, 'listening').catch((error: unknown) => {
    throw unavailable(`cannot listen on ${text}: ${getMessage(error)}`);
  });
  return server;
}
