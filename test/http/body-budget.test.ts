import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SYSTEM_CLOCK } from '../../src/lib/time/clock.js';
import { person, PERSONS, rawAnswer, startTestServer, type TestServer } from '../helpers/http.js';
import { removeDirectories } from '../helpers/store.js';

const BODY_BYTES = 100_000;
const BODY_MS = 60_000;
let server: TestServer;
let passedMs = 0;
const connections: Connection[] = [];

beforeAll(async () => {
  server = await startTestServer({
    bodyTimeoutMs: BODY_MS,
    admission: {
      // Room for two of the bodies, and an eighth besides for small ones.
      bodies: { bytesMax: 256 * 1024, clock: { ...SYSTEM_CLOCK, now: () => passedMs } },
    },
  });
});

afterEach(async () => {
  for (const { socket } of connections.splice(0)) socket.destroy();
  await expect.poll(() => server.admission.bodies.used).toBe(0);
  await server.clear();
});

afterAll(async () => {
  await server.close();
  removeDirectories();
});

interface Connection {
  readonly socket: Socket;
  readonly text: string;
}

/** A body of a person, as large as is asked for. */
function bodyOf(name: string, bytes: number): string {
  const text = JSON.stringify(person(name));
  return text + ' '.repeat(bytes - text.length);
}

/** Sends all of a request but the last byte of its body. */
async function begin(bytes = BODY_BYTES): Promise<Connection> {
  const socket = connect(server.port, '127.0.0.1');
  const connection = { socket, text: '' };
  socket.on('data', (part) => (connection.text += part.toString()));
  socket.on('error', () => undefined);
  connections.push(connection);
  socket.write(
    `POST ${PERSONS} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`,
  );
  const { bodies } = server.admission;
  const [used, refused] = [bodies.used, bodies.refused];
  socket.write(bodyOf('slow', bytes).slice(0, -1));
  await expect.poll(() => bodies.used !== used || bodies.refused !== refused).toBe(true);
  return connection;
}

describe('bodies in arrival', () => {
  it('take the memory that they say they are long', async () => {
    await begin();
    expect(server.admission.bodies.used).toBe(BODY_BYTES);
  });

  it('get 503 with Retry-After when all of them take too much, and those that were there go on', async () => {
    const first = await begin();
    await begin();
    const third = await begin();
    await expect.poll(() => rawAnswer(third.text).status).toBe(503);
    expect(third.text).toMatch(/^Retry-After: 1\r$/m);
    expect(JSON.parse(rawAnswer(third.text).body)).toMatchObject({
      reason: 'ServiceUnavailable',
      message: expect.stringMatching(/all incoming bodies together may use 256KiB/) as unknown,
    });
    first.socket.write(' ');
    await expect.poll(() => rawAnswer(first.text).status).toBe(201);
    expect(server.admission.bodies.used).toBe(BODY_BYTES);
  });

  it('leave room for small ones', async () => {
    await begin();
    await begin();
    const small = await begin(30_000);
    small.socket.write(' ');
    await expect.poll(() => rawAnswer(small.text).status).toBe(201);
  });

  it('are ended when they make no progress and others need their memory', async () => {
    const first = await begin();
    const second = await begin();
    passedMs += 2_000;
    const third = await begin();
    await expect.poll(() => rawAnswer(first.text).status).toBe(503);
    expect(rawAnswer(first.text).body).toMatch(/arrived too slowly/);
    for (const { socket } of [second, third]) socket.write(' ');
    await expect
      .poll(() => [second, third].map(({ text }) => rawAnswer(text).status).sort())
      .toEqual([201, 409]);
  });

  it('give their memory back when they break off, are refused, or are done', async () => {
    const broken = await begin();
    broken.socket.destroy();
    await expect.poll(() => server.admission.bodies.used).toBe(0);
    const done = await begin();
    done.socket.write(' ');
    await expect.poll(() => rawAnswer(done.text).status).toBe(201);
    expect(server.admission.bodies.used).toBe(0);
    // Its length is not known before.
    const tooLarge = await server.send('POST', PERSONS, {
      body: ' '.repeat(1024 * 1024 + 1),
      chunked: true,
    });
    expect(tooLarge.status).toBe(503);
    await expect.poll(() => server.admission.bodies.used).toBe(0);
  });
});
