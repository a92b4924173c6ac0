import { get, type ClientRequest } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Admission } from '../../src/http/admission/admission.js';
import { person, PERSON_REF, PERSONS, startTestServer, type TestServer } from '../helpers/http.js';
import { removeDirectories } from '../helpers/store.js';

const OBJECTS = 2_000;
const CONDITIONS = 40;
const SENDER = 'address 127.0.0.1';
let server: TestServer;
let admission: Admission;
const clients: ClientRequest[] = [];

beforeAll(start);

async function start(): Promise<void> {
  server = await startTestServer({
    // All that yields needs the only place.
    admission: { freeTurns: 0, places: { perSender: 1, waitingPerSender: 40, waitMs: 600_000 } },
  });
  ({ admission } = server);
  const items = Array.from({ length: OBJECTS }, (_, i) => ({
    verb: 'create' as const,
    resource: PERSON_REF,
    object: person(`p${i}`),
  }));
  await server.service.batch(items);
  // It is never given back, so that no list can end by itself.
  await admission.places.take(SENDER, new AbortController().signal);
}

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await expect.poll(() => admission.running).toBe(0);
});

afterAll(async () => {
  await server.close();
  removeDirectories();
});

/** Each one is another list, so that none is answered by what another has found. */
function listOf(number: number): string {
  const conditions = Array.from({ length: CONDITIONS }, (_, i) => `spec.name.contains("x${number}y${i}")`);
  return `${PERSONS}?size=1&filter=${encodeURIComponent(conditions.join(' || '))}`;
}

function begin(target: string): ClientRequest {
  const client = get(`${server.url}${target}`).on('error', () => undefined);
  clients.push(client);
  return client;
}

async function beginLists(count: number): Promise<ClientRequest[]> {
  const begun = Array.from({ length: count }, (_, i) => begin(listOf(i)));
  await expect.poll(() => admission.places.waiting, { timeout: 10_000 }).toBe(count);
  return begun;
}

describe('expensive lists', () => {
  it('end when their clients have gone', async () => {
    const begun = await beginLists(40);
    expect(admission.running).toBe(40);
    for (const client of begun) client.destroy();
    await expect.poll(() => [admission.running, admission.places.waiting]).toEqual([0, 0]);
    // Only the one of the test is taken.
    expect(admission.places.running).toBe(1);
  });

  it('are refused with 429 and Retry-After when too many of a sender wait; other requests are answered', async () => {
    await beginLists(40);
    const refused = await server.get(listOf(40));
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '5']);
    expect(refused.json()).toMatchObject({ reason: 'TooManyRequests' });
    expect((await server.get(`${PERSONS}/p1`)).status).toBe(200);
    expect((await server.send('POST', PERSONS, { body: person('q') })).status).toBe(201);
  });

  it('end with 503 when the service stops', async () => {
    const answers = [0, 1, 2].map((number) => server.get(listOf(100 + number)));
    await expect.poll(() => admission.places.waiting).toBe(3);
    await admission.close();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([503, 503, 503]);
    expect(admission.running).toBe(0);
    expect((await server.get(listOf(103))).status).toBe(503);
  });
});

describe('an expensive list', () => {
  it('goes on when there is a place, one after another', async () => {
    await server.close();
    await start();
    await beginLists(5);
    const answer = server.get(listOf(5));
    await expect.poll(() => admission.places.waiting).toBe(6);
    admission.places.giveBack(SENDER);
    expect((await answer).json()).toMatchObject({ total: 0 });
    await expect.poll(() => [admission.running, admission.places.running]).toEqual([0, 0]);
  });
});

describe('a list that would read too much', () => {
  it('is refused with 413 before anything of it is sent', async () => {
    const small = await startTestServer({ admission: { entriesMax: 100 } });
    try {
      await small.service.batch(
        Array.from({ length: 200 }, (_, i) => ({
          verb: 'create' as const,
          resource: PERSON_REF,
          object: person(`p${i}`),
        })),
      );
      const answer = await small.get(`${PERSONS}?size=0`);
      expect(answer.status).toBe(413);
      expect(answer.json()).toMatchObject({
        reason: 'RequestEntityTooLarge',
        message: expect.stringContaining('--max-read-entries') as unknown,
      });
      expect((await small.get(`${PERSONS}?limit=50`)).status).toBe(200);
    } finally {
      await small.close();
    }
  });
});
