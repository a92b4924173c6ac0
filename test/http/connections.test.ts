import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Router } from '../../src/index.js';
import { endpointOf, startEndpointServer, type EndpointServer } from '../endpoint/server.js';
import { PERSONS, PERSON_REF, person, rawAnswer, startTestServer, type TestServer } from '../helpers/http.js';
import { removeDirectories } from '../helpers/store.js';

const BODY_MS = 600;
const BASE = '/apis/api.demo.example.com/v1alpha1';

let server: TestServer;
let custom: EndpointServer;

beforeAll(async () => {
  server = await startTestServer({ bodyTimeoutMs: BODY_MS, maxConnections: 5 });
  custom = await startEndpointServer({ bodyTimeoutMs: BODY_MS });
  const router = Router();
  router.use(express.json());
  router.post('/routed', (req, res) => void res.json(req.body));
  custom.add('a', [
    endpointOf((r) =>
      r
        .POST('/parsed', ({ body }) => body)
        .POST('/raw', async ({ raw }) => {
          for await (const _ of raw);
          return {};
        }),
    ),
    { groupVersion: () => 'api.demo.example.com/v1alpha1', endpoint: () => router },
  ]);
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(async () => {
  await server.close();
  await custom.close();
  removeDirectories();
});

const sockets: Socket[] = [];

interface Connection {
  readonly socket: Socket;
  readonly text: string;
  /** Resolves with what was sent when the other side closes. */
  readonly closed: Promise<string>;
}

function open(port: number): Connection {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  let text = '';
  socket.on('data', (part) => (text += part.toString()));
  socket.on('error', () => undefined);
  return {
    socket,
    get text() {
      return text;
    },
    closed: new Promise((resolve) => socket.on('close', () => resolve(text))),
  };
}

const head = (method: string, target: string, type = 'application/json'): string =>
  `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: 1000\r\n\r\n`;

/** Sends a head, and then a byte now and again until nobody is there any more. */
async function trickle({ socket, closed }: Connection, start: string): Promise<string> {
  socket.write(start);
  const timer = setInterval(() => socket.writable && socket.write(' '), 20);
  try {
    return await closed;
  } finally {
    clearInterval(timer);
  }
}

describe('a body that comes too slowly', () => {
  it.each([
    ['POST', PERSONS],
    ['PUT', `${PERSONS}/ann`],
    ['DELETE', `${PERSONS}/ann`],
    ['POST', '/apis/api.platform.run/v1alpha1/batches'],
    ['POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'],
  ])('ends %s %s with 408', async (method, target) => {
    const began = performance.now();
    const { status, body } = rawAnswer(await trickle(open(server.port), head(method, target)));
    expect([status, JSON.parse(body)]).toMatchObject([408, { kind: 'Status', reason: 'Timeout' }]);
    expect(performance.now() - began).toBeGreaterThanOrEqual(BODY_MS);
    expect(await server.service.count(PERSON_REF)).toBe(0);
    await expect.poll(() => server.admission.bodies.used).toBe(0);
  });

  it.each([
    ['/parsed', 'application/json'],
    ['/raw', 'application/octet-stream'],
    ['/routed', 'application/json'],
  ])('ends a request for the custom endpoint %s with 408', async (target, type) => {
    const answer = await trickle(open(custom.port), head('POST', BASE + target, type));
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 408']);
    expect(JSON.parse(rawAnswer(answer).body)).toMatchObject({ reason: 'Timeout' });
    expect(custom.logs.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('is cut off when its request was answered without it', async () => {
    const answer = await trickle(open(server.port), head('GET', PERSONS));
    expect(answer).toMatch(/^HTTP\/1\.1 200/);
  });

  it('has nothing to do with one that is there in time', async () => {
    const connection = open(server.port);
    const text = JSON.stringify(person('ann'));
    const bytes = head('POST', PERSONS).replace('1000', String(text.length));
    connection.socket.write(bytes + text.slice(0, 5));
    await sleep(BODY_MS / 3);
    connection.socket.write(text.slice(5));
    await expect.poll(() => rawAnswer(connection.text).status).toBe(201);
    await sleep(BODY_MS * 1.5);
    connection.socket.write(head('DELETE', `${PERSONS}/ann`).replace('1000', '0'));
    await expect
      .poll(() => connection.text.match(/HTTP\/1\.1 \d+/g))
      .toEqual(['HTTP/1.1 201', 'HTTP/1.1 200']);
  });
});

describe('more connections than there may be', () => {
  it('are closed with a warning in the log; earlier ones stay open', async () => {
    await expect.poll(() => answers(open(server.port)), { interval: 100 }).toBe(true);
    for (const socket of sockets.splice(0)) socket.destroy();
    const kept = Array.from({ length: 5 }, () => open(server.port));
    expect(await Promise.all(kept.map(answers))).toEqual([true, true, true, true, true]);
    const more = open(server.port);
    expect(await more.closed).toBe('');
    expect(server.logs.filter(({ level }) => level !== 'debug')).toMatchObject([
      { level: 'warn', message: expect.stringMatching(/5 connections .* --max-connections/) as unknown },
    ]);
    expect(await answers(kept[0] ?? more)).toBe(true);
    kept[0]?.socket.destroy();
    await expect.poll(() => answers(open(server.port))).toBe(true);
  });
});

/** True when a request on the connection is answered. */
async function answers(connection: Connection): Promise<boolean> {
  const before = connection.text.length;
  connection.socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const answered = async (): Promise<boolean> => {
    while (connection.text.length === before) await sleep(5);
    return true;
  };
  return Promise.race([answered(), connection.closed.then(() => false)]);
}
