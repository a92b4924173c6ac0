import { Agent, get as httpGet, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpointOf, startEndpointServer, type EndpointServer } from '../../endpoint/server.js';
import { Router } from '../../../src/index.js';
import { Person } from '../../helpers/models.js';

const BASE = '/apis/api.demo.example.com/v1alpha1';
const ANN = '/apis/demo.example.com/v1/persons/ann';
const STREAM_BYTES = 100 * 1024 * 1024;
const PART = Buffer.alloc(64 * 1024, 'x');
/** Generous: a shared machine pauses at times, and the clients run in this process too. */
const SLOWEST_MS_MAX = 5000;
const USUAL_MS_MAX = 100;
/** All three streams, held in memory, would be 300. */
const MEMORY_MIB_MAX = 200;
/** For a client that is meant to be cut off; the others read on after any pause of the machine. */
const STALL_MS = 1500;

let server: EndpointServer;
let released = 0;

async function* large(): AsyncGenerator<Buffer> {
  try {
    for (let bytes = 0; bytes < STREAM_BYTES; bytes += PART.length) yield PART;
  } finally {
    released++;
  }
}

const LARGE = endpointOf((r) => r.GET('/large', () => large()));

beforeAll(async () => {
  server = await startEndpointServer({ handlerTimeoutMs: 30_000 });
  await server.register(Person);
  await server.send('POST', '/apis/demo.example.com/v1/persons', {
    body: { metadata: { name: 'ann' }, spec: {} },
  });
  const router = Router();
  router.get('/throws', () => {
    throw new Error('always');
  });
  router.get('/never', () => undefined);
  server.add('a', [LARGE, { groupVersion: () => 'api.demo.example.com/v1alpha1', endpoint: () => router }]);
});
afterAll(async () => {
  calmAgent.destroy();
  await server.close();
});

/** Of its own, so that no request waits for another one's connection. */
const calmAgent = new Agent({ keepAlive: true });

/** Time that `count` reads of an object take, in milliseconds. */
async function timeGets(count: number): Promise<{ readonly slowest: number; readonly usual: number }> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const begin = performance.now();
    const answer = await open(ANN, calmAgent);
    await text(answer);
    expect(answer.statusCode).toBe(200);
    times.push(performance.now() - begin);
  }
  times.sort((a, b) => a - b);
  return { slowest: times.at(-1) ?? 0, usual: times[Math.floor(count * 0.95)] ?? 0 };
}

function open(path: string, agent: Agent, { port } = server): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    httpGet({ host: '127.0.0.1', port, path, agent }, resolve).on('error', reject);
  });
}

describe('generated routes', () => {
  it('are not disturbed by endpoints that throw, never answer, or stream much to slow clients', async () => {
    const calm = await timeGets(300);
    const memory = process.memoryUsage().rss;
    const agent = new Agent();
    for (let i = 0; i < 50; i++) void open(`${BASE}/never`, agent).catch(() => undefined);
    for (let i = 0; i < 300; i++) void server.send('GET', `${BASE}/throws`);
    const slowReaders = Array.from({ length: 3 }, async () => {
      let bytes = 0;
      for await (const part of await open(`${BASE}/large`, agent)) {
        bytes += (part as Buffer).length;
        if (Math.random() < 0.02) await sleep(1);
      }
      return bytes;
    });
    let peak = 0;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20);
    const busy = await timeGets(300);
    expect(await Promise.all(slowReaders)).toEqual([STREAM_BYTES, STREAM_BYTES, STREAM_BYTES]);
    clearInterval(watch);
    const grown = (peak - memory) / 1024 / 1024;
    agent.destroy();
    const show = ({ usual, slowest }: typeof calm): string =>
      `${usual.toFixed(1)} (${slowest.toFixed(1)}) ms`;
    console.log(
      `95 of 100 GETs (slowest): ${show(calm)} calm, ${show(busy)} busy; ${grown.toFixed(0)} MiB more`,
    );
    expect(busy.usual).toBeLessThan(USUAL_MS_MAX);
    expect(busy.slowest).toBeLessThan(SLOWEST_MS_MAX);
    expect(grown).toBeLessThan(MEMORY_MIB_MAX);
  });

  it('cuts off a client that takes nothing, and lets go of the stream', async () => {
    const impatient = await startEndpointServer({ stallMs: STALL_MS });
    impatient.add('a', [LARGE]);
    const before = released;
    const agent = new Agent();
    const stalled = await open(`${BASE}/large`, agent, impatient);
    stalled.on('error', () => undefined).pause();
    await expect.poll(() => released).toBe(before + 1);
    agent.destroy();
    await impatient.close();
  });
});
