import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll } from 'vitest';
import { freePort } from './daemon.js';
import { IDENTITY, openDirectory, PASSWORD, type PostgresServer } from './postgres.js';

/** True when the program is installed; tests that need it are skipped otherwise. */
export const HAS_PGBOUNCER = spawnSync('pgbouncer', ['--version']).status === 0;

/** A pooler that gives a connection of the server to a client for one transaction at a time. */
export interface Pooler {
  readonly port: number;
  start(): Promise<void>;
  /** Ends it at once: all connections break. */
  kill(): Promise<void>;
}

const poolers: Pooler[] = [];

/** Ends the poolers of a test file when it ends. */
export function usePoolers(): void {
  afterAll(async () => {
    for (const pooler of poolers.splice(0)) await pooler.kill();
  });
}

/** Starts one that has so many connections to the server, for however many clients. More lines may configure it. */
export async function startPooler(server: PostgresServer, size: number, more = ''): Promise<Pooler> {
  const directory = path.join(openDirectory(), 'pooler');
  mkdirSync(directory);
  chmodSync(directory, 0o755);
  const [port, file] = [await freePort(), path.join(directory, 'pgbouncer.ini')];
  writeFileSync(
    file,
    `[databases]
postgres = host=127.0.0.1 port=${server.port} user=postgres password='${PASSWORD}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${size}
${more}
`,
  );
  const pooler = new PoolerProcess(port, file);
  poolers.push(pooler);
  await pooler.start();
  return pooler;
}

class PoolerProcess implements Pooler {
  #process: ChildProcess | undefined;

  constructor(
    readonly port: number,
    private readonly file: string,
  ) {}

  async start(): Promise<void> {
    const child = spawn('pgbouncer', [this.file], { ...IDENTITY, stdio: ['ignore', 'ignore', 'pipe'] });
    this.#process = child;
    const log: string[] = [];
    child.stderr.on('data', (part) => log.push(String(part)));
    for (let attempt = 0; attempt < 200 && child.exitCode === null; attempt += 1) {
      if (await this.#answers()) return;
      await sleep(50);
    }
    throw new Error(`pgbouncer did not start:\n${log.join('')}`);
  }

  async kill(): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  async #answers(): Promise<boolean> {
    const client = new pg.Client({
      host: '127.0.0.1',
      port: this.port,
      user: 'postgres',
      database: 'postgres',
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('SELECT 1');
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
