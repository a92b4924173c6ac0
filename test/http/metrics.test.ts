import { afterAll, beforeAll, expect, it } from 'vitest';
import { PERSONS, person, startTestServer, type TestServer } from '../helpers/http.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(() => server.close());

it('metrics tell requests, objects, the log and the process in the text format of Prometheus', async () => {
  await server.send('POST', PERSONS, { body: person('ann') });
  await server.send('GET', `${PERSONS}/ann`);
  const { status, headers, text } = await server.send('GET', '/metrics');
  expect(status).toBe(200);
  expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(text).toContain('xsvc_objects{group="demo.example.com",version="v1alpha1",kind="Person"} 1\n');
  expect(text).toMatch(/^xsvc_http_requests_total\{method="POST"\} 1$/m);
  expect(text).toMatch(/^xsvc_store_revision [1-9]\d*$/m);
  expect(text).toMatch(/^xsvc_log_entries [1-9]\d*$/m);
  expect(text).toMatch(/^xsvc_watchers \d+$/m);
  expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
});

it('metrics can only be read', async () => {
  const { status, headers } = await server.send('POST', '/metrics');
  expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
});
