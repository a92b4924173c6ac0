import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { PERSONS, person, startTestServer, type TestServer } from '../helpers/http.js';
import { removeDirectories } from '../helpers/store.js';

/** Answers of one turn of the event loop are sent together; each connection must still get exactly its own. */

let server: TestServer;
const names = Array.from({ length: 20 }, (_, i) => `p${i}`);
const sockets: Socket[] = [];

beforeAll(async () => {
  server = await startTestServer();
  for (const name of names) await server.send('POST', PERSONS, { body: person(name) });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(async () => {
  await server.close();
  removeDirectories();
});

function open(options: { readonly allowHalfOpen?: boolean } = {}): Socket {
  const socket = connect({ port: server.port, host: '127.0.0.1', ...options });
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

/** Everything that a connection receives, until a number of answers have begun and the last is complete. */
function receive(socket: Socket, isComplete: (text: string) => boolean): Promise<string> {
  let text = '';
  return new Promise((resolve) => {
    socket.on('data', (part) => {
      text += part.toString();
      if (isComplete(text)) resolve(text);
    });
    socket.on('close', () => resolve(text));
  });
}

const get = (path: string, ...headers: readonly string[]): string =>
  ['GET ' + path + ' HTTP/1.1', 'Host: 127.0.0.1', ...headers, '', ''].join('\r\n');
const namesIn = (text: string): string[] =>
  [...text.matchAll(/"metadata":\{"name":"(p\d+)"/g)].map(([, name = '']) => name);
const statusesIn = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

it('pipelined requests are answered in their order, whichever is ready first', async () => {
  const socket = open();
  const asked = names.flatMap((name) => [`${PERSONS}/${name}`, `${PERSONS}/nobody`, `${PERSONS}?limit=1`]);
  const answers = receive(socket, (text) => statusesIn(text).length === asked.length && text.endsWith('}'));
  socket.write(asked.map((path) => get(path)).join(''));
  const text = await answers;
  expect(statusesIn(text)).toEqual(asked.map((path) => (path.endsWith('/nobody') ? 404 : 200)));
  expect(namesIn(text)).toEqual(names.flatMap((name) => [name, 'p0']));
});

it('a write and reads in one pipeline are answered in their order, and the connection closes when asked to', async () => {
  const socket = open();
  const all = receive(socket, () => false);
  const body = JSON.stringify({ spec: { age: 33 } });
  const patch = [
    `PATCH ${PERSONS}/p3 HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/merge-patch+json',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
  socket.write(get(`${PERSONS}/p1`) + patch + get(`${PERSONS}/p2`, 'Connection: close'));
  const text = await all;
  expect(statusesIn(text)).toEqual([200, 200, 200]);
  expect(namesIn(text)).toEqual(['p1', 'p3', 'p2']);
  expect(text).toContain('"age":33');
});

it('a client that ends its side after the request gets the whole answer', async () => {
  const socket = open({ allowHalfOpen: true });
  const all = receive(socket, () => false);
  socket.end(get(`${PERSONS}/p4`) + get(PERSONS));
  const text = await all;
  expect(statusesIn(text)).toEqual([200, 200]);
  expect(namesIn(text)).toEqual(['p4', ...names.toSorted()]);
});

it('a client that ends its side after a write gets its answer', async () => {
  const socket = open({ allowHalfOpen: true });
  const all = receive(socket, () => false);
  const body = JSON.stringify(person('half'));
  const head = `POST ${PERSONS} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n`;
  socket.end(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
  expect(statusesIn(await all)).toEqual([201]);
  await server.send('DELETE', `${PERSONS}/half`);
});

it('the watch of a client that ends its side ends, also when nothing changes', async () => {
  const socket = open({ allowHalfOpen: true });
  const all = receive(socket, () => false);
  socket.end(get(`${PERSONS}?watch=true`));
  expect(statusesIn(await all)).toEqual([200]);
});

it('clients that are gone before their answer do not delay or change those of others', async () => {
  for (let round = 0; round < 20; round++) {
    const staying = open();
    await once(staying, 'connect');
    const gone = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const socket = open();
        await once(socket, 'connect');
        return socket;
      }),
    );
    const answer = receive(staying, (text) => text.endsWith('}'));
    for (const socket of gone) {
      socket.write(get(`${PERSONS}/p5`) + get(PERSONS));
      socket.resetAndDestroy();
    }
    staying.write(get(`${PERSONS}/p6`));
    expect(namesIn(await answer)).toEqual(['p6']);
  }
  expect(server.logs.filter(({ level }) => level === 'error')).toEqual([]);
});

it('the answer to HEAD has the length and no body, in the middle of a pipeline', async () => {
  const socket = open();
  const all = receive(socket, () => false);
  const head = get(`${PERSONS}/p7`).replace('GET', 'HEAD');
  socket.write(get(`${PERSONS}/p6`) + head + get(`${PERSONS}/p8`, 'Connection: close'));
  const text = await all;
  expect(statusesIn(text)).toEqual([200, 200, 200]);
  expect(namesIn(text)).toEqual(['p6', 'p8']);
});
