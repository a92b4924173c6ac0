import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import express from 'express';
import { afterAll, it } from 'vitest';
import { listen } from '../../src/http/server.js';
import { Authority } from '../helpers/certificates.js';
import { removeDirectories } from '../helpers/store.js';

afterAll(removeDirectories);

const HOST = '127.0.0.1';
const NEVER_MS = 600_000;

/** A server that speaks TLS. */
function listenSecurely() {
  const { certFile, keyFile } = new Authority().sign('server');
  const tls = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
  return listen(express(), { host: HOST, port: 0, tls });
}

it('a server that ends does not wait for connections that have sent nothing', async () => {
  const server = await listen(express(), { host: HOST, port: 0 });
  const silent = connect(Number(new URL(server.url).port), HOST).on('error', () => undefined);
  await once(silent, 'connect');
  // The server has taken it when it has answered on a later one.
  await (await fetch(server.url)).text();
  const closed = once(silent.resume(), 'close');
  await server.close(NEVER_MS);
  await closed;
});

it('a server that ends does not wait for connections with TLS that have sent nothing', async () => {
  const server = await listenSecurely();
  const silent = connectTls({
    port: Number(new URL(server.url).port),
    host: HOST,
    rejectUnauthorized: false,
  }).on('error', () => undefined);
  // The server agrees last, and sends a ticket then.
  await once(silent, 'session');
  const closed = once(silent.resume(), 'close');
  await server.close(NEVER_MS);
  await closed;
});

it('a server that ends waits no longer than its deadline for TLS that is never agreed on', async () => {
  const server = await listenSecurely();
  const [fragment, port] = [Buffer.from([0x16, 0x03, 0x01]), Number(new URL(server.url).port)];
  const half = connect(port, HOST).on('error', () => undefined);
  await once(half, 'connect');
  half.write(fragment);
  const other = connectTls({ port, host: HOST, rejectUnauthorized: false }).on('error', () => undefined);
  await once(other, 'session');
  other.destroy();
  const closed = once(half.resume(), 'close');
  await server.close(100);
  await closed;
});
