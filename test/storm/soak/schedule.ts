import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../helpers/seed.js';
import type { Arrangement, Site } from './arrangements.js';
import type { Supervised } from './supervised.js';
import { randomOf } from './world.js';

/** Between two faults of one daemon. */
const PAUSE_MS = { least: 500, most: 4_000 };
/** Between two crashes of the database. */
const SERVER_PAUSE_MS = { least: 8_000, most: 20_000 };
const STOP_MS = { least: 100, most: 2_500 };

/** A fault for a daemon. It answers again when the promise resolves, except a worker, which its daemon replaces. */
interface Strike {
  readonly name: string;
  readonly weight: number;
  readonly fits?: (arrangement: Arrangement) => boolean;
  readonly do: (daemon: Supervised, random: Random) => Promise<void> | void;
}

const hasWorkers = ({ workers }: Arrangement): boolean => workers > 0;

const STRIKES: readonly Strike[] = [
  { name: 'kill', weight: 4, do: (daemon) => daemon.kill() },
  { name: 'restart', weight: 2, do: (daemon) => daemon.restart() },
  {
    name: 'stop',
    weight: 2,
    fits: (arrangement) => !hasWorkers(arrangement),
    do: (daemon, random) => daemon.pause(between(random, STOP_MS)),
  },
  {
    name: 'kill a worker',
    weight: 6,
    fits: hasWorkers,
    do: (daemon, random) => daemon.killWorker(random.below(2)),
  },
  {
    name: 'stop a worker',
    weight: 3,
    fits: hasWorkers,
    do: (daemon, random) => daemon.pauseWorker(random.below(2), between(random, STOP_MS)),
  },
];

/** Does harm to the processes of a site for a while, each daemon by a separate schedule. All run afterwards. */
export async function storm(site: Site, ms: number, round: number): Promise<void> {
  const until = performance.now() + ms;
  const strikes = STRIKES.filter(({ fits }) => fits?.(site.arrangement) ?? true).flatMap((strike) =>
    Array.from({ length: strike.weight }, () => strike),
  );
  const lanes = site.daemons.map(async (daemon) => {
    const random = randomOf(site.world, `schedule ${round} of ${daemon.name}`);
    while (await isTimeFor(random, PAUSE_MS, until)) await random.pick(strikes).do(daemon, random);
  });
  await Promise.all([...lanes, crashServer(site, until, round)]);
}

async function crashServer({ world, server }: Site, until: number, round: number): Promise<void> {
  if (server === undefined) return;
  const random = randomOf(world, `schedule ${round} of the database`);
  while (await isTimeFor(random, SERVER_PAUSE_MS, until)) {
    world.history.event('the database crashes');
    await server.kill();
    await server.start();
    world.history.event('the database runs');
  }
}

/** Waits for the next fault; false when the storm is over before. */
async function isTimeFor(random: Random, pauseMs: typeof PAUSE_MS, until: number): Promise<boolean> {
  const at = performance.now() + between(random, pauseMs);
  await sleep(Math.max(0, Math.min(at, until) - performance.now()));
  return at < until;
}

function between(random: Random, { least, most }: typeof PAUSE_MS): number {
  return least + random.below(most - least);
}
