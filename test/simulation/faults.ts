import { setTimeout as sleep } from 'node:timers/promises';
import { leaderIn } from './archive.js';
import { OneDisk } from './medium.js';
import type { SimulatedProcess } from './scheduler.js';
import { SharedMedium } from './shared-medium.js';
import { mayRetry, type Server, type World } from './world.js';

export const SERVERS = ['P', 'Q', 'R'];

/** Starts a process, again until it serves. */
export async function startServer(world: World, name: string): Promise<void> {
  for (;;) {
    try {
      await world.start(name);
      return;
    } catch (error) {
      if (!mayRetry(error)) throw error;
      await sleep(50);
      // It was killed, and the one who killed it starts it again.
      if (!world.servers.has(name)) return;
      world.kill(name);
    }
  }
}

/** A process dies, and another one starts. */
export async function startAgain(world: World, name: string): Promise<void> {
  world.kill(name);
  await sleep(world.random.next() * 100);
  await startServer(world, name);
}

async function stopFor(ms: number, process: SimulatedProcess | undefined): Promise<void> {
  if (process?.state !== 'running') return;
  process.state = 'stopped';
  await sleep(ms);
  process.goOn();
}

type Fault = (world: World) => Promise<void>;

const FAULTS = {
  async kill(world) {
    await startAgain(world, world.random.pick(SERVERS));
  },

  async 'power cut'(world) {
    for (const name of SERVERS) world.kill(name);
    world.medium.restart(world.scheduler.nowMs);
    await sleep(20);
    await Promise.all(SERVERS.map((name) => startServer(world, name)));
  },

  async stop({ random, processes }) {
    await stopFor(random.pick([20, 200, 2_000, 7_000]), random.pick(processes));
  },

  async 'stop the writer'({ random, medium }) {
    const ms = random.pick([200, 7_000, 12_000]);
    for (let looks = 0; looks < 200; looks++) {
      const holder = medium.disks.map((disk) => disk.holder).find((one) => one !== undefined);
      if (holder !== undefined) return stopFor(ms, holder);
      await sleep(1);
    }
  },

  async 'stop the leader'({ random, medium, processes }) {
    const { holder } = leaderIn(medium.state);
    await stopFor(
      random.pick([1_000, 7_000]),
      processes.find(({ name }) => name === holder),
    );
  },

  /** Only processes that share a disk can pass over a commit. */
  async 'pass over'({ medium, scheduler }) {
    if (medium instanceof OneDisk) medium.disk.passOver(scheduler.nowMs);
  },

  async 'full disk'({ random, medium }) {
    const disk = random.pick(medium.disks);
    disk.isFull = true;
    await sleep(random.next() * 200);
    disk.isFull = false;
  },

  async 'slow disk'({ random, medium }) {
    const disk = random.pick(medium.disks);
    disk.flushMs = random.pick([20, 200, 1_000]);
    await sleep(random.next() * 1_000);
    disk.flushMs = 1;
  },

  async partition({ random, medium }) {
    if (!(medium instanceof SharedMedium)) return;
    for (const name of SERVERS)
      if (random.chance(0.5)) medium.network.cutOff(name, random.pick(['requests', 'answers']));
    await sleep(random.pick([50, 500, 5_000]));
    medium.network.cut.clear();
  },

  async 'lost answers'({ random, medium }) {
    if (!(medium instanceof SharedMedium)) return;
    medium.network.lossRate = random.pick([0.05, 0.3]);
    await sleep(random.next() * 1_000);
    medium.network.lossRate = 0;
  },

  /** Not a fault, but work that no client may notice. */
  async upkeep(world) {
    const retention = { count: world.changesMin, ageMs: world.random.pick([0, 100]) };
    const server = await world.anyServer();
    const run = async ({ service: { store } }: Server): Promise<void> => {
      await store.engine.foldLog();
      await store.history.trim(retention);
    };
    await world.call(server, 'upkeep', run).catch((error: unknown) => {
      if (!mayRetry(error)) throw error;
    });
  },

  async 'clock jump'(world) {
    world.scheduler.wallOffsetMs += world.random.pick([-3_600_000, -1_000, 1_000, 3_600_000]);
  },
} satisfies Readonly<Record<string, Fault>>;

export type FaultKind = keyof typeof FAULTS;

/** Makes faults of some kinds until it is stopped. */
export async function makeFaults(world: World, isOver: () => boolean): Promise<void> {
  const { random, focus } = world;
  const faults: Readonly<Record<string, Fault>> = FAULTS;
  const kinds = (focus.faults ?? Object.keys(FAULTS)).filter(() => random.chance(0.5));
  const pauseMs = random.pick(focus.faultPausesMs);
  while (!isOver() && kinds.length > 0) {
    await sleep(random.next() * 2 * pauseMs);
    const kind = random.pick(kinds);
    world.scheduler.trace(`-- ${kind}`);
    await faults[kind]?.(world);
  }
}
