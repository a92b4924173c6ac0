import { afterAll, beforeAll } from 'vitest';
import { openRemote } from '../../../src/client/http-verbs.js';
import { createExpressApp } from '../../../src/http/express-app.js';
import { listen, type RunningServer } from '../../../src/http/server.js';
import { SILENT } from '../../../src/lib/log/logger.js';
import { registerModels } from '../../helpers/models.js';
import { openTestService, removeDirectories, type TestService } from '../../helpers/store.js';
import { openEmptied } from '../../suites/one-store.js';
import { verbsSuite, type VerbsDoor } from '../../suites/verbs.js';

/** Of the bodies that the suite sends, the largest is a batch of a thousand. */
const BODY_BYTES_MAX = 8 * 1024 * 1024;

let test: TestService;
let server: RunningServer;

beforeAll(async () => {
  test = await openTestService();
  await registerModels(test);
  const { service } = test;
  const app = createExpressApp({
    service,
    models: service.models,
    logger: SILENT,
    bodyBytesMax: BODY_BYTES_MAX,
    loopbackOnly: true,
    version: '0.1.0',
  });
  server = await listen(app, { host: '127.0.0.1', port: 0 });
});

afterAll(async () => {
  await server.close(1000);
  await test.close();
  removeDirectories();
});

const open = (): Promise<VerbsDoor> => openEmptied(test, openRemote(server.url));

// As `changed` in http-verbs.ts: HTTP answers with the object, not with its outcome.
verbsSuite('HTTP', open, { unservedInBatch: 'BadRequest', tellsChanged: false });
