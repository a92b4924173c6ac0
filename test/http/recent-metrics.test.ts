import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { addSamples, type MetricsSample } from '../../src/http/metrics/metrics-sample.js';
import { RecentMetrics } from '../../src/http/metrics/recent-metrics.js';
import { RequestMetrics } from '../../src/http/metrics/request-metrics.js';
import { ServiceLog } from '../../src/http/metrics/service-log.js';
import { PERSONS, person, startTestServer, type TestServer } from '../helpers/http.js';
import { openTestService } from '../helpers/store.js';

interface Answer {
  readonly intervalSeconds: number;
  readonly latencyBounds: readonly number[];
  readonly samples: readonly MetricsSample[];
}

describe('/metrics/recent', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.close());

  const read = async (query = ''): Promise<Answer> =>
    JSON.parse((await server.get(`/metrics/recent${query}`)).text) as Answer;

  it('ends with a sample of now, in which requests and their durations are counted', async () => {
    const before = (await read()).samples.at(-1);
    await server.send('POST', PERSONS, { body: person('ann') });
    const { samples, latencyBounds, intervalSeconds } = await read();
    const now = samples.at(-1);
    expect(intervalSeconds).toBe(15);
    expect(now).toMatchObject({
      // The request for the metrics is counted on arrival, and answered later.
      requests: (before?.requests ?? 0) + 2,
      revision: (before?.revision ?? 0) + 1,
      answers: expect.any(Number) as number,
    });
    expect(now?.answersWithin).toHaveLength(latencyBounds.length);
    expect(now?.answersWithin.at(-1)).toBe(now?.answers);
    expect(Date.parse(now?.time ?? '')).toBeGreaterThan(Date.now() - 60_000);
  });

  it('counts the answers about each model, and of those without a model none', async () => {
    const before = (await read()).samples.at(-1)?.answersByModel['persons.demo.example.com'] ?? 0;
    await server.get(PERSONS);
    await server.get(`${PERSONS}/nobody`);
    await server.get('/version');
    const { answers = 0, answersByModel = {} } = (await read()).samples.at(-1) ?? {};
    expect(answersByModel['persons.demo.example.com']).toBe(before + 2);
    const ofModels = Object.values(answersByModel).reduce((sum, count) => sum + count, 0);
    expect(ofModels).toBeLessThan(answers);
  });

  it('has only the samples after a time', async () => {
    const { samples } = await read('?since=0s');
    expect(samples).toHaveLength(1);
    expect((await read(`?since=${samples[0]?.time ?? ''}`)).samples).toHaveLength(1);
  });

  it.each(['?since=yesterday', '?since='])('%s is a bad request', async (query) => {
    const { status, text } = await server.get(`/metrics/recent${query}`);
    expect(status).toBe(400);
    expect(text).toContain('since');
  });

  it('can only be read', async () => {
    expect((await server.send('POST', '/metrics/recent')).status).toBe(405);
  });
});

describe('the kept samples', () => {
  afterEach(() => vi.useRealTimers());

  it('are one in 15 seconds, those of one hour, and none after a pause of the process', async () => {
    const test = await openTestService();
    const { service } = test;
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'Date'],
      now: Date.parse('2026-01-31T08:00:07Z'),
    });
    const requests = new Map([['GET', 1]]);
    const durations = new RequestMetrics(
      () => undefined,
      () => undefined,
      new ServiceLog(),
    );
    const recent = new RecentMetrics({ service, requests, durations });
    const times = async (sinceMs: number): Promise<readonly string[]> =>
      (await recent.between(sinceMs, Date.now())).map(({ time }) => time);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await times(0)).toEqual([
      '2026-01-31T08:00:15.000Z',
      '2026-01-31T08:00:30.000Z',
      '2026-01-31T08:00:37.000Z',
    ]);
    expect(await times(Date.parse('2026-01-31T08:00:15Z'))).toEqual([
      '2026-01-31T08:00:30.000Z',
      '2026-01-31T08:00:37.000Z',
    ]);
    requests.set('GET', 5);
    await vi.advanceTimersByTimeAsync(2 * 3_600_000);
    const all = await recent.between(0, Date.now());
    expect(all).toHaveLength(242);
    expect(all[0]).toMatchObject({ time: '2026-01-31T09:00:30.000Z', requests: 5 });
    vi.setSystemTime('2026-01-31T12:00:01Z');
    await vi.advanceTimersByTimeAsync(30_000);
    expect((await times(Date.parse('2026-01-31T11:00:00Z'))).slice(0, 2)).toEqual([
      '2026-01-31T12:00:15.000Z',
      '2026-01-31T12:00:30.000Z',
    ]);
    const timers = vi.getTimerCount();
    await test.close();
    expect(vi.getTimerCount()).toBe(timers - 1);
  });
});

describe('the samples of several processes', () => {
  const sample = (time: string, n: number): MetricsSample => ({
    time,
    requests: n,
    answers: n,
    answerSeconds: n / 2,
    answersWithin: [n, n + 1],
    revision: n,
    watchers: n,
    memoryBytes: n,
    heapBytes: n,
    logBytes: n,
    storeBytes: 7,
    answersByModel: { a: n },
  });

  it('of one time are added, except the numbers of the store', () => {
    const other = { ...sample('b', 10), answersByModel: { a: 10, b: 1 } };
    expect(addSamples([[sample('b', 2), sample('c', 3)], [sample('a', 1), other], []])).toEqual([
      sample('a', 1),
      {
        ...sample('b', 12),
        answersWithin: [12, 14],
        answersByModel: { a: 12, b: 1 },
        revision: 10,
        logBytes: 10,
      },
      sample('c', 3),
    ]);
  });
});
