import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceLog, type ServiceLogEntry } from '../../src/http/metrics/service-log.js';
import { SILENT } from '../../src/lib/log/logger.js';
import { PERSONS, startTestServer, type TestServer } from '../helpers/http.js';

interface Answer {
  readonly keptSince: string;
  readonly entries: readonly ServiceLogEntry[];
}

const all = (log: ServiceLog): readonly ServiceLogEntry[] => log.between(0, Number.MAX_SAFE_INTEGER);
const messages = (log: ServiceLog): readonly string[] => all(log).map(({ message }) => message);

describe('the kept log of the service', () => {
  it('has warnings and errors up to the first colon, which values of objects may follow', () => {
    const log = new ServiceLog();
    const logger = log.follow(SILENT);
    logger.debug('a detail');
    logger.info('a start');
    logger.warn('a list of persons took 812 ms: spec.email=ann@example.com', { ms: 812 });
    logger.error('request failed: the password is abc', { id: '17', stack: 'Error: abc' });
    expect(all(log)).toMatchObject([
      { level: 'warn', message: 'a list of persons took 812 ms' },
      { level: 'error', message: 'request failed (id 17)' },
    ]);
  });

  it('has no lines of plugins, which need another right', () => {
    const log = new ServiceLog();
    log.follow(SILENT).error('the mail server refused ann', { plugin: 'mailer' });
    expect(all(log)).toEqual([]);
  });

  it('has slow and failed requests, but no watches that were open for long', () => {
    const log = new ServiceLog();
    const request = { route: '/apis/a/v1/things/{name}', verb: 'get', code: 200, seconds: 0.1 };
    log.note(request);
    log.note({ ...request, code: 404 });
    log.note({ ...request, verb: 'watch', seconds: 900 });
    log.note({ ...request, seconds: 0.8124 });
    log.note({ ...request, code: 429 });
    log.note({ ...request, code: 503, seconds: 2 });
    expect(all(log)).toMatchObject([
      { level: 'info', message: 'get /apis/a/v1/things/{name} was answered with 200 after 812 ms' },
      { level: 'warn', message: 'get /apis/a/v1/things/{name} was answered with 429 after 100 ms' },
      { level: 'error', message: 'get /apis/a/v1/things/{name} was answered with 503 after 2000 ms' },
    ]);
  });

  it('is bounded, and says since when it has all entries', () => {
    const log = new ServiceLog();
    const began = log.keptSinceMs;
    const logger = log.follow(SILENT);
    for (let i = 0; i < 2_000; i++) logger.warn(`warning ${i}`);
    expect(log.keptSinceMs).toBe(began);
    logger.warn('one more');
    expect(messages(log)).toHaveLength(2_000);
    expect(messages(log)[0]).toBe('warning 1');
    expect(log.keptSinceMs).toBeGreaterThan(began);
  });

  it('has at most 60 requests a minute, so that failures do not drop all other entries', () => {
    const log = new ServiceLog();
    for (let i = 0; i < 200; i++) log.note({ route: '/livez', verb: 'get', code: 503, seconds: 0 });
    expect(messages(log)).toHaveLength(60);
  });
});

describe('/metrics/log', () => {
  let server: TestServer;
  const log = new ServiceLog();
  beforeAll(async () => {
    server = await startTestServer({ serviceLog: log });
  });
  afterAll(() => server.close());

  const read = async (query = ''): Promise<Answer> =>
    JSON.parse((await server.get(`/metrics/log${query}`)).text) as Answer;

  it('has the entries between two times', async () => {
    log.follow(SILENT).warn('cannot determine the leader: no reason');
    await server.get(PERSONS);
    const { entries, keptSince } = await read();
    expect(entries).toMatchObject([{ level: 'warn', message: 'cannot determine the leader' }]);
    const [{ time } = { time: '' }] = entries;
    expect(Date.parse(keptSince)).toBeLessThanOrEqual(Date.parse(time));
    expect((await read(`?from=${time}&to=${time}`)).entries).toHaveLength(1);
    expect((await read('?from=1h&to=30m')).entries).toEqual([]);
    expect((await read('?from=1h&to=0s')).entries).toHaveLength(1);
  });

  it.each(['from', 'to'])('%s must be a time or an age', async (name) => {
    const { status, text } = await server.get(`/metrics/log?${name}=yesterday`);
    expect(status).toBe(400);
    expect(text).toContain(`${name}: \\"yesterday\\" is neither a time like`);
  });
});
