import path from 'node:path';
import { FIXTURE_PLUGINS, freePort, startDaemonProcess } from '../../helpers/daemon.js';
import { type PostgresServer, startPostgres } from '../../helpers/postgres.js';
import type { History } from './history.js';
import { Supervised } from './supervised.js';
import type { World } from './world.js';

/** Which processes serve a store. */
export interface Arrangement {
  readonly name: string;
  readonly daemons: number;
  /** Of each daemon; 0: the daemon itself serves. */
  readonly workers: number;
  readonly store: 'directory' | 'postgres';
}

export const ARRANGEMENTS: readonly Arrangement[] = [
  { name: 'one daemon', daemons: 1, workers: 0, store: 'directory' },
  { name: 'workers', daemons: 1, workers: 2, store: 'directory' },
  { name: 'two daemons on one directory', daemons: 2, workers: 0, store: 'directory' },
  { name: 'two daemons on PostgreSQL', daemons: 2, workers: 0, store: 'postgres' },
];

const PLUGINS = ['--plugins', path.join(FIXTURE_PLUGINS, 'soak')];

/** An arrangement whose processes run. */
export interface Site {
  readonly world: World;
  readonly arrangement: Arrangement;
  readonly daemons: readonly Supervised[];
  /** The database of a shared store. */
  readonly server: PostgresServer | undefined;
  /** Arguments of the commands that look for disagreements in the store: while daemons run, and when they have ended. */
  readonly checks: { readonly running: readonly string[][]; readonly ended: readonly string[][] };
}

/** A process that gets SIGUSR2 writes its stack and handles there. */
function reportsIn(directory: string): readonly string[] {
  return ['env', `NODE_OPTIONS=--report-on-signal --report-dir=${directory}`];
}

interface Given {
  readonly seed: number;
  readonly directory: string;
  readonly history: History;
}

/** Starts all processes of an arrangement. */
export async function startSite(arrangement: Arrangement, given: Given): Promise<Site> {
  const { store, workers } = arrangement;
  const server = store === 'postgres' ? await startPostgres() : undefined;
  const ports: number[] = [];
  for (let i = 0; i < arrangement.daemons; i += 1) ports.push(await freePort());
  const [first = 0] = ports;
  const atServer = (port: number): string[] => ['--server', `http://127.0.0.1:${port}`];
  const inDirectory = ['--data-dir', path.join(given.directory, 'data'), ...PLUGINS];
  const commandFlags = server === undefined ? inDirectory : atServer(first);
  const world: World = { ...given, ports, commandFlags, phase: 'storm' };
  const daemons = ports.map((port, index) => {
    const ofStore = server === undefined ? [] : ['--store', server.url];
    const ofWorkers = workers === 0 ? [] : ['--workers', String(workers)];
    return new Supervised(world, `daemon-${index}`, () =>
      startDaemonProcess({
        dataDir: path.join(given.directory, server === undefined ? 'data' : `replica-${index}`),
        plugins: PLUGINS.slice(1),
        port,
        wrapper: reportsIn(given.directory),
        flags: [...ofStore, ...ofWorkers],
      }),
    );
  });
  for (const daemon of daemons) await daemon.start();
  const checks = {
    running: ports.map((port) => ['check', ...atServer(port)]),
    ended: server === undefined ? [['check', ...inDirectory]] : [],
  };
  return { world, arrangement, daemons, server, checks };
}
