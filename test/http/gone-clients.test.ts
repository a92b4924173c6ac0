import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { person, PERSON_REF, PERSONS, startTestServer, type TestServer } from '../helpers/http.js';
import { removeDirectories } from '../helpers/store.js';

const BATCH = 10_000;
/** A list of so many is expensive: it has more than the turns that each may have. */
const OBJECTS = 3 * BATCH;
const LISTS = 20;
const WAITING_MAX = 18;
let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({
    admission: { places: { perSender: 2, waitingPerSender: WAITING_MAX } },
  });
  for (let from = 0; from < OBJECTS; from += BATCH) {
    const items = Array.from({ length: BATCH }, (_, i) => ({
      verb: 'create' as const,
      resource: PERSON_REF,
      object: person(`p${from + i}`),
    }));
    await server.service.batch(items);
  }
});

afterAll(async () => {
  await server.close();
  removeDirectories();
});

/** Of many conditions, none of which another list has. */
function listWith(marker: string): string {
  const conditions = Array.from({ length: 50 }, (_, i) => `metadata.name.contains("${marker}-${i}")`);
  return `${PERSONS}?size=1&filter=${encodeURIComponent(conditions.join(' || '))}`;
}

/** On a connection of its own. */
function answerTo(path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(server.url + path, { agent: false }, (answer) => {
      answer.resume().once('end', () => resolve(answer));
    })
      .on('error', reject)
      .end();
  });
}

function begin(path: string): ClientRequest {
  const sent = request(server.url + path, { agent: false });
  sent.on('error', () => undefined).end();
  return sent;
}

it('lists end when their clients go, whether they run or wait', async () => {
  const before = server.admission.entries;
  const clients = Array.from({ length: LISTS }, (_, i) => begin(listWith(`gone${i}`)));
  await expect.poll(() => server.admission.places.waiting, { interval: 1 }).toBeGreaterThan(LISTS / 2);
  for (const client of clients) client.destroy();
  await expect.poll(() => server.admission.running).toBe(0);
  expect([server.admission.places.running, server.admission.places.waiting]).toEqual([0, 0]);
  // To their ends they would have read every name, each of them.
  expect(server.admission.entries - before).toBeLessThan((LISTS * OBJECTS) / 2);
  expect((await server.get(listWith('after'))).status).toBe(200);
});

it('many lists of one sender wait for each other, and all are answered', async () => {
  const answers = await Promise.all(
    Array.from({ length: LISTS }, (_, i) => server.get(listWith(`waiting${i}`))),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

it('beyond those that may wait, lists are refused with 429 and Retry-After', async () => {
  const answers = await Promise.all(
    Array.from({ length: 2 + WAITING_MAX + 10 }, (_, i) => answerTo(listWith(`many${i}`))),
  );
  const statuses = answers.map(({ statusCode }) => statusCode);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  for (const { statusCode, headers } of answers)
    if (statusCode === 429) expect(headers['retry-after']).toBe('5');
  expect(server.admission.running).toBe(0);
});
