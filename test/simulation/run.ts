import { setTimeout as sleep } from 'node:timers/promises';
import './time.js';
import { Random } from '../helpers/seed.js';
import { checkHistory, checkStore } from './checks.js';
import { Client } from './clients.js';
import { Disk } from './disk.js';
import { expect } from './expect.js';
import { makeFaults, SERVERS, startAgain, startServer } from './faults.js';
import { History } from './history.js';
import { findWork } from './leading.js';
import { MODELS } from './models.js';
import { SharedMedium } from './shared-medium.js';
import { type Truth, TruthReader } from './truth.js';
import { MARKER, Watcher } from './watchers.js';
import { checkTold, createWebhook, untilDelivered } from './webhooks.js';
import { type Server, World, type WorldOptions } from './world.js';

/** More steps than any run needs: beyond them, a request is not answered. */
const STEPS_MAX = 60_000;

/** The longest time of the work of a leader after the faults. */
const WORK_MS_MAX = 60_000;

/** Simulates one seed and checks everything that clients saw. @throws Error that names the seed */
export async function runSeed(
  seed: number,
  options: WorldOptions = {},
): Promise<{ readonly steps: number; readonly slowest: number }> {
  const world = new World(new Random(seed), options);
  let isOver = false;
  world.client.later(0, 'begin', () => {
    play(world).then(
      () => (isOver = true),
      (error: unknown) =>
        (world.scheduler.failure ??= error instanceof Error ? error : new Error(String(error))),
    );
  });
  try {
    await world.scheduler.run(() => isOver, STEPS_MAX);
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    throw new Error(`seed ${seed}: ${reason}`, { cause: error });
  }
  return { steps: world.scheduler.steps, slowest: world.slowest };
}

async function play(world: World): Promise<void> {
  const { random, focus } = world;
  const history = new History(world);
  world.onExit = (name) => void startAgain(world, name);
  await Promise.all(SERVERS.map((name) => startServer(world, name)));
  const first = new Client(world, history, 'first');
  if (world.receiver !== undefined) await ask(world, first, 'creates a webhook', createWebhook);
  const clients = random.many(...focus.clients, () => '').map((_, i) => new Client(world, history, `c${i}`));
  const watchers = random.many(
    ...focus.watchers,
    () => new Watcher(world, history, new Client(world, history, 'w')),
  );
  const requests = 10 + random.below(15);
  let isOver = false;
  const faults = makeFaults(world, () => isOver);
  const watching = Promise.all(watchers.map((watcher) => watcher.run()));
  await Promise.race([watching, Promise.all(clients.map((client) => client.run(requests)))]);
  isOver = true;
  world.heal();
  await faults;
  world.heal();
  const last = new Client(world, history, 'last');
  for (const model of MODELS) await last.create(model, MARKER);
  await watching;
  if (world.hasLeaders) await untilDone(world, last);
  if (world.receiver !== undefined)
    await untilDelivered(world, (work) => ask(world, last, 'looks at the webhook', work));
  for (const name of SERVERS) world.kill(name);
  const truth = await readTruth(world);
  checkHistory(history, truth);
  if (world.receiver !== undefined) checkTold(world.receiver, truth);
}

function ask(
  world: World,
  client: Client,
  label: string,
  work: (server: Server) => Promise<void>,
): Promise<void> {
  return client.untilAnswered((server) => world.call(server, label, work));
}

/** Waits for the work of the leader. */
async function untilDone(world: World, client: Client): Promise<void> {
  let left: string | undefined;
  const untilMs = world.scheduler.nowMs + WORK_MS_MAX;
  do {
    expect(world.scheduler.nowMs < untilMs, 'a leader leaves work', left);
    await sleep(100);
    await client.untilAnswered(async (server) => {
      left = await world.call(server, 'is all done', findWork);
      world.scheduler.trace(left ?? 'all is done');
    });
  } while (left !== undefined);
}

/** All changes of a run, after checks of the store. */
async function readTruth(world: World): Promise<readonly Truth[]> {
  const { archive, state } = world.medium;
  expect(archive.problem === undefined, archive.problem ?? '');
  if (world.medium instanceof SharedMedium) world.medium.checkReplicas();
  const disk = new Disk(world.random);
  disk.show(state);
  const checker = await world.startOn(disk);
  await world.call(checker, 'check', checkStore);
  expect(checker.engine.openSnapshots === 0, 'snapshots are left open', checker.engine.openSnapshots);
  const reader = new TruthReader();
  for (const past of [...archive.states, state]) {
    disk.show(past);
    await world.call(checker, 'read the log', (server) => reader.read(server));
  }
  return reader.truth;
}
