import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readWarnings } from '../../src/client/programs/warnings.js';
import { run } from '../../src/cli/program.js';
import { testIo } from '../cli/helpers.js';
import { PERSONS, person, startTestServer, type HttpRequest, type TestServer } from '../helpers/http.js';

const TEXT = 'this service needs no token, and did not check the one in the request (--auth none)';
const TOKEN = { authorization: 'Bearer anything' };

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
  await server.send('POST', PERSONS, { body: person('ann') });
});

afterAll(() => server.close());

async function warnings(
  method: string,
  target: string,
  request: HttpRequest = {},
): Promise<readonly string[]> {
  const { headers } = await server.send(method, target, { ...request, headers: TOKEN });
  const header = headers.warning;
  return readWarnings(Array.isArray(header) ? header.join(', ') : (header ?? null));
}

describe('a token sent to a service that needs none', () => {
  it.each([
    ['GET', `${PERSONS}/ann`, undefined],
    ['HEAD', `${PERSONS}/ann`, undefined],
    ['GET', `${PERSONS}?size=1`, undefined],
    ['GET', PERSONS, undefined],
    ['GET', '/version', undefined],
    ['POST', PERSONS, { body: person('bob') }],
    ['GET', `${PERSONS}/nobody`, undefined],
    ['GET', '/nothing/here', undefined],
    ['DELETE', `${PERSONS}/bob`, undefined],
  ])('is answered with a warning: %s %s', async (method, target, request) => {
    expect(await warnings(method, target, request)).toContain(TEXT);
  });

  it('does not replace the other warnings of an answer', async () => {
    expect(await warnings('GET', `${PERSONS}?pgae=1`)).toEqual([
      TEXT,
      'unknown query parameter "pgae", did you mean "page"?',
    ]);
  });

  it('is named once by a command, whatever number of requests it sends', async () => {
    const io = testIo({ env: { XSVC_SERVER: server.url, XSVC_TOKEN: 'anything' } });
    expect(await run(['get', 'person', 'ann', '-o', 'name'], io)).toBe(0);
    expect([io.stdout.text, io.stderr.text]).toEqual(['persons/ann\n', `warning: ${TEXT}\n`]);
    const writing = testIo({ env: { XSVC_SERVER: server.url, XSVC_TOKEN: 'anything' } });
    expect(await run(['label', 'person', 'ann', 'floor=2'], writing)).toBe(0);
    expect([writing.stdout.text, writing.stderr.text]).toEqual([
      'persons/ann labeled\n',
      `warning: ${TEXT}\n`,
    ]);
  });

  it('is not expected without a token', async () => {
    const { headers } = await server.send('GET', `${PERSONS}/ann`);
    expect(headers.warning).toBeUndefined();
  });
});
