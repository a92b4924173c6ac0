import { setTimeout as sleep } from 'node:timers/promises';
import { mayRetry, type World } from './world.js';

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

type Fault = (world: World) => Promise<void>;

const FAULTS: Readonly<Record<string, Fault>> = {
  async kill(world) {
    const name = world.random.pick(SERVERS);
    world.kill(name);
    await sleep(world.random.next() * 100);
    await startServer(world, name);
  },

  async 'power cut'(world) {
    for (const name of SERVERS) world.kill(name);
    world.disk.restart();
    await sleep(20);
    await Promise.all(SERVERS.map((name) => startServer(world, name)));
  },

  async stop(world) {
    const process = world.random.pick(world.processes);
    if (process.state !== 'running') return;
    process.state = 'stopped';
    await sleep(world.random.pick([20, 200, 2_000, 7_000]));
    process.goOn();
  },

  async 'pass over'(world) {
    world.disk.passOver(world.scheduler.nowMs);
  },

  async 'full disk'(world) {
    world.disk.isFull = true;
    await sleep(world.random.next() * 200);
    world.disk.isFull = false;
  },

  async 'slow disk'(world) {
    world.disk.flushMs = world.random.pick([20, 200, 1_000]);
    await sleep(world.random.next() * 1_000);
    world.disk.flushMs = 1;
  },

  async 'trim the log'(world) {
    const { random, changesMin: count } = world;
    const retention = { count, ageMs: random.pick([0, 100]) };
    const server = await world.anyServer();
    await world
      .call(server, 'trim the log', ({ service }) => service.store.history.trim(retention))
      .catch((error: unknown) => {
        if (!mayRetry(error)) throw error;
      });
  },

  async 'clock jump'(world) {
    world.scheduler.wallOffsetMs += world.random.pick([-3_600_000, -1_000, 1_000, 3_600_000]);
  },
};

/** Makes faults of some kinds until it is stopped. */
export async function makeFaults(world: World, isOver: () => boolean): Promise<void> {
  const { random } = world;
  const kinds = Object.keys(FAULTS).filter(() => random.chance(0.5));
  const pauseMs = random.pick([30, 100, 500]);
  while (!isOver() && kinds.length > 0) {
    await sleep(random.next() * 2 * pauseMs);
    const kind = random.pick(kinds);
    world.scheduler.trace(`-- ${kind}`);
    await FAULTS[kind]?.(world);
  }
}
