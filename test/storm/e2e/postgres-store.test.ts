import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { killDaemons } from '../../helpers/daemon.js';
import { type PostgresServer, startPostgres, usePostgres } from '../../helpers/postgres.js';
import { removeDirectories } from '../../helpers/store.js';
import { refusalOf, sharedStoreSuite } from '../../e2e/shared-store-suite.js';

usePostgres();
afterEach(killDaemons);
afterAll(removeDirectories);

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});

let schemas = 0;
sharedStoreSuite({
  name: 'PostgreSQL',
  newStore() {
    schemas += 1;
    return `${server.url}?schema=daemons_${schemas}`;
  },
  nowhere: 'postgres://postgres@127.0.0.1:1/postgres',
  kill: () => server.kill(),
  start: () => server.start(),
});

it.each([
  ['a password', 'postgres://ann:secret@127.0.0.1/db', 'password'],
  ['no user', 'postgres://127.0.0.1/db', 'postgres://USER@HOST'],
  ['an unknown option', 'postgres://ann@127.0.0.1/db?schemas=x', 'schemas'],
  ['a schema that needs quotes', 'postgres://ann@127.0.0.1/db?schema=a"b', 'schema'],
  ['a port that is none', 'postgres://ann@127.0.0.1:99999/db', 'port'],
])('refuses an address with %s with 2, and never repeats a password', async (_, store, word) => {
  const { code, stderr } = await refusalOf(store);
  expect(stderr).toContain(word);
  expect(stderr).not.toContain('secret');
  expect(code).toBe(2);
});
