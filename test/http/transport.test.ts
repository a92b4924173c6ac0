import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createExpressApp } from '../../src/http/express-app.js';
import { listen, type RunningServer } from '../../src/http/server.js';
import { SILENT } from '../../src/lib/log/logger.js';
import { Authority } from '../helpers/certificates.js';
import { startTestServer } from '../helpers/http.js';
import { openTestService, removeDirectories, type TestService } from '../helpers/store.js';

const HSTS = 'strict-transport-security';

let test: TestService;
let server: RunningServer;
let ca: Buffer;

beforeAll(async () => {
  const authority = new Authority();
  const { certFile, keyFile } = authority.sign('server');
  ca = readFileSync(authority.caFile);
  test = await openTestService();
  const app = createExpressApp({
    service: test.service,
    models: test.service.models,
    logger: SILENT,
    bodyBytesMax: 1024,
    loopbackOnly: false,
    version: '0.1.0',
  });
  const tls = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
  server = await listen(app, { host: '127.0.0.1', port: 0, tls });
});
afterAll(async () => {
  await server.close(0);
  await test.close();
  removeDirectories();
});

function headersOf(target: string, host: string): Promise<IncomingHttpHeaders> {
  const { port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      path: target,
      headers: { host },
      ca,
      agent: false,
      // The certificate is of the address, whatever name is asked for.
      checkServerIdentity: () => undefined,
    };
    request(options, (res) => {
      res.resume();
      res.on('end', () => resolve(res.headers));
    })
      .on('error', reject)
      .end();
  });
}

describe('over TLS', () => {
  it.each(['/livez', '/apis', '/nothing', '/swagger-ui.html', '/v3/api-docs', '/'])(
    'the answer at %s has browsers use TLS from then on',
    async (target) => {
      for (const host of ['xsvc.example.com', 'xsvc.example.com:8443', '127.0.0.1:1', 'mylocalhost'])
        expect((await headersOf(target, host))[HSTS]).toBe('max-age=31536000');
    },
  );

  it.each(['localhost', 'LOCALHOST:8090', 'app.localhost:1', 'localhost.'])(
    'other programs of a developer stay as they are: %s',
    async (host) => {
      expect(await headersOf('/livez', host)).not.toHaveProperty(HSTS);
    },
  );
});

it('without TLS, nothing is said of it', async () => {
  const plain = await startTestServer();
  expect((await plain.get('/livez')).headers).not.toHaveProperty(HSTS);
  await plain.close();
});
