import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { person, PERSON_REF, PERSONS, startTestServer, type TestServer } from '../helpers/http.js';
import { removeDirectories } from '../helpers/store.js';
import { openStream, type OpenStream } from '../helpers/watching.js';

const OBJECTS = 500;
const CHECKS = '/apis/api.platform.run/v1alpha1/checks';
let server: TestServer;
const streams: OpenStream[] = [];

beforeAll(async () => {
  server = await startTestServer({
    admission: { entriesMax: 1_000, watches: { watchesMax: 3, textMax: 1_000 } },
  });
  const items = Array.from({ length: OBJECTS }, (_, i) => ({
    verb: 'create' as const,
    resource: PERSON_REF,
    object: person(`p${i}`),
  }));
  await server.service.batch(items);
});

afterEach(async () => {
  for (const stream of streams.splice(0)) stream.destroy();
  await expect.poll(() => server.admission.watches.senders).toBe(0);
});

afterAll(async () => {
  await server.close();
  removeDirectories();
});

async function watch(query = ''): Promise<OpenStream> {
  const stream = await openStream(`${server.url}${PERSONS}?watch=true&resourceVersion=1${query}`, {});
  streams.push(stream);
  return stream;
}

const filterOf = (conditions: number): string =>
  encodeURIComponent(Array.from({ length: conditions }, (_, i) => `spec.name == "${i}"`).join(' || '));

describe('watches of one sender', () => {
  it('are refused with 429 and Retry-After beyond their number, until one ends', async () => {
    const [first] = await Promise.all([watch(), watch(), watch()]);
    const refused = await server.get(`${PERSONS}?watch=true`);
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBe('10');
    expect(refused.json()).toMatchObject({ reason: 'TooManyRequests' });
    first.destroy();
    await expect.poll(async () => (await watch()).status).toBe(200);
  });

  it('are refused beyond the length of their filters together', async () => {
    const filter = `&filter=${filterOf(30)}`;
    expect((await watch(filter)).status).toBe(200);
    const refused = await server.get(`${PERSONS}?watch=true${filter}`);
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '10']);
    // Those without a filter cost next to nothing.
    expect((await watch()).status).toBe(200);
  });

  it('leave nothing behind when they are refused for something else', async () => {
    for (let i = 0; i < 5; i++)
      expect((await server.get(`${PERSONS}?watch=true&filter=nothing`)).status).toBe(400);
    expect(server.admission.watches.senders).toBe(0);
  });
});

describe('a watch', () => {
  it('has 200 conditions at most', async () => {
    const other = await startTestServer();
    try {
      const open = await openStream(
        `${other.url}${PERSONS}?watch=true&resourceVersion=1&filter=${filterOf(200)}`,
        {},
      );
      expect(open.status).toBe(200);
      open.destroy();
      const refused = await other.get(`${PERSONS}?watch=true&filter=${filterOf(201)}`);
      expect(refused.status).toBe(400);
      expect(refused.json().message).toBe('a watch may have at most 200 conditions, got 201');
    } finally {
      await other.close();
    }
  });
});

describe('the work of a request', () => {
  it('may read so many entries, and is refused with 413 beyond', async () => {
    const answer = await server.send('POST', CHECKS);
    expect(answer.status).toBe(413);
    expect(answer.json()).toMatchObject({
      reason: 'RequestEntityTooLarge',
      message: expect.stringMatching(/more than 1000 index entries.*--max-read-entries/) as unknown,
    });
  });

  it('is visible in the metrics', async () => {
    const { text } = await server.get('/metrics');
    for (const name of ['xsvc_expensive_running 0', 'xsvc_expensive_waiting 0', 'xsvc_arriving_body_bytes 0'])
      expect(text).toMatch(new RegExp(`^${name}$`, 'm'));
    expect(text).toMatch(/^xsvc_refused_total\{reason="watches"\} [1-9]/m);
  });
});
