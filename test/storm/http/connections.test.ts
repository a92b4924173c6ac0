import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rawAnswer, startTestServer, type TestServer } from '../../helpers/http.js';
import { removeDirectories } from '../../helpers/store.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await server.close();
  removeDirectories();
});

it('a head that comes too slowly is answered with 408, a connection on which nothing comes is closed', async () => {
  const texts = await Promise.all(
    ['GET /livez HTTP/1.1\r\nHost: ', ''].map(
      (bytes) =>
        new Promise<string>((resolve) => {
          let text = '';
          const socket = connect(server.port, '127.0.0.1');
          socket.on('data', (part) => (text += part.toString())).on('close', () => resolve(text));
          socket.write(bytes);
        }),
    ),
  );
  const { status, body } = rawAnswer(texts[0] ?? '');
  expect([status, JSON.parse(body)]).toMatchObject([408, { kind: 'Status', reason: 'Timeout' }]);
  expect(texts[1]).toBe('');
});

/** A server of Node as it comes answers a request; resolves when it has closed the idle connection. */
async function untilNodeClosesOne(): Promise<void> {
  const plain = createServer((_, answer) => void answer.end()).listen(0, '127.0.0.1');
  await once(plain, 'listening');
  const socket = connect((plain.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  socket.resume();
  await once(socket, 'close');
  plain.close();
}

it('a connection waits for its next request for as long as proxies keep it', async () => {
  const socket = connect(server.port, '127.0.0.1');
  let text = '';
  socket.on('data', (part) => (text += part.toString()));
  const ask = async (answers: number): Promise<void> => {
    socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await expect.poll(() => text.match(/HTTP\/1\.1 200/g)?.length).toBe(answers);
  };
  await ask(1);
  expect(text).toMatch(/^Keep-Alive: timeout=(6[1-9]|[7-9]\d)\r$/m);
  await untilNodeClosesOne();
  await ask(2);
  socket.destroy();
});
