import { beforeAll, describe } from 'vitest';
import { logAt, newSchema } from '../../engines/postgres-logs.js';
import { sharedLogSuite } from '../../engines/shared-log-suite.js';
import { type PostgresServer, startPostgres, usePostgres } from '../../helpers/postgres.js';
import { verbsOn } from './verbs-on.js';
import { webhooksOn } from './webhooks-on.js';

usePostgres();

describe('PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  const makeStore = () => Promise.resolve(logAt([server.port], newSchema()));

  sharedLogSuite('in PostgreSQL', makeStore);
  verbsOn('a store in PostgreSQL', makeStore);
  webhooksOn('a store in PostgreSQL', makeStore);
});
