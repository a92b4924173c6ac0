import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHECKS } from '../../src/http/platform/checks.js';
import { PERSON_REF, person, rawRequest, startTestServer, type TestServer } from '../helpers/http.js';
import { removeDirectories } from '../helpers/store.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await server.service.create(PERSON_REF, person('ann'));
});
afterAll(async () => {
  await server.close();
  removeDirectories();
});

describe('a check of the store', () => {
  it('is made one at a time: others are refused with Retry-After', async () => {
    const one = `POST ${CHECKS.path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    const last = rawRequest(`POST ${CHECKS.path} HTTP/1.1`);
    // They arrive together, on one connection, and are answered in order.
    const text = await server.raw(one + one + last);
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    expect(statuses).toEqual(['200', '429', '429']);
    expect(text).toMatch(/^retry-after: 5\r$/im);
    expect(text).toContain('another check of the store is running; try again when it is done');
  });

  it('is made again when the one before is done, however that ended', async () => {
    for (let i = 0; i < 3; i++) {
      const answer = await server.send('POST', CHECKS.path);
      expect([answer.status, answer.text]).toEqual([200, expect.stringMatching(/"objects":\d+/)]);
    }
  });

  it('is refused before it begins when it would read too much; the error says how to proceed', async () => {
    const small = await startTestServer({ admission: { entriesMax: 3 } });
    try {
      await small.service.create(PERSON_REF, person('ann'));
      const answer = await small.send('POST', CHECKS.path);
      expect([answer.status, answer.text]).toEqual([
        413,
        expect.stringContaining('raise --max-read-entries, or run `xsvc check --data-dir DIR`'),
      ]);
    } finally {
      await small.close();
    }
  });
});
