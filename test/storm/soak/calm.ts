import { setTimeout as sleep } from 'node:timers/promises';
import type { Site } from './arrangements.js';
import { ask } from './ask.js';
import { change, clientOf } from './clients.js';
import { patchOf, pathOf, type StoredList, type StoredObject } from './models.js';
import type { World } from './world.js';

/** The entry that is written to while nothing is killed. */
export const PULSE = 'pulse';
const LIVE_MS = 1_000;
const LIVE_EVERY_MS = 250;
const PULSE_EVERY_MS = 500;
/** The longest time in which no write is accepted. */
const WRITE_GAP_MS = 10_000;
/** The lease of a leader on a shared store is 10 s. */
const CONTROLLER_MS = 40_000;
const ATTEMPTS = 10;

/** Looks for a while, and until the controllers have caught up, whether all daemons go on answering. */
export async function calm({ world, daemons }: Site, ms: number): Promise<void> {
  world.phase = 'calm';
  const before = world.history.faults.length;
  world.history.event('calm');
  const watch = { isOver: false };
  const looking = world.ports.flatMap((port) => [
    watchLife(world, port, watch),
    watchWrites(world, port, watch),
  ]);
  await Promise.all([sleep(ms), untilReconciled(world)]);
  watch.isOver = true;
  await Promise.all(looking);
  if (world.history.faults.length > before) for (const daemon of daemons) daemon.report();
}

interface Looking {
  isOver: boolean;
}

/** `/livez` is answered at once, all the time. */
async function watchLife(world: World, port: number, looking: Looking): Promise<void> {
  const headers = { Connection: 'close' };
  while (!looking.isOver) {
    const began = performance.now();
    const answer = await fetch(`http://127.0.0.1:${port}/livez`, {
      headers,
      signal: AbortSignal.timeout(30_000),
    })
      .then(({ status }) => String(status))
      .catch(String);
    const ms = Math.round(performance.now() - began);
    if (answer !== '200' || ms > LIVE_MS)
      world.history.fault(`/livez of port ${port} was answered ${answer} after ${ms} ms, without any kill`);
    await sleep(LIVE_EVERY_MS);
  }
}

/** Writes are accepted; one may be refused while a daemon mends what a kill has left. */
async function watchWrites(world: World, port: number, looking: Looking): Promise<void> {
  const client = clientOf({ ...world, ports: [port] }, `pulse-${port}-${Math.round(performance.now())}`);
  let accepted = performance.now();
  while (!looking.isOver) {
    const content = { mark: client.mark(), shelf: 'north' };
    const items = [{ kind: 'Entry', name: PULSE, mark: content.mark }] as const;
    const question = { method: 'PATCH', path: pathOf('Entry', PULSE), body: patchOf(content) } as const;
    const outcome = await change(client, { verb: 'patch', ...question, items });
    const ms = Math.round(performance.now() - accepted);
    if (ms > WRITE_GAP_MS)
      world.history.fault(`port ${port} accepted no write for ${ms} ms, without any kill`);
    if (outcome === 'done' || ms > WRITE_GAP_MS) accepted = performance.now();
    await sleep(PULSE_EVERY_MS);
  }
}

/** Waits until the controller has reached what entries said when the wait began, or something newer. */
export async function untilReconciled(world: World): Promise<void> {
  const until = performance.now() + CONTROLLER_MS;
  let waiting: ReadonlyMap<string, string> | undefined;
  for (;;) {
    const entries = await entriesOf(world);
    const open = entries.filter(({ metadata, spec, status }) => {
      const mark = waiting === undefined ? spec.mark : waiting.get(metadata.name);
      return mark === spec.mark && status?.mark !== mark;
    });
    waiting = new Map(open.map(({ metadata, spec }) => [metadata.name, spec.mark]));
    if (waiting.size === 0) return;
    if (performance.now() > until) {
      const names = [...waiting.keys()].slice(0, 5).join(', ');
      world.history.fault(
        `the controller left ${waiting.size} entries (${names}) for ${CONTROLLER_MS} ms, without any kill`,
      );
      return;
    }
    await sleep(200);
  }
}

/** Of any daemon that answers. */
async function entriesOf(world: World): Promise<readonly StoredObject[]> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = world.ports[attempt % world.ports.length] ?? 0;
    const { status, body } = await ask(world, {
      port,
      path: `${pathOf('Entry')}?size=0`,
      timeoutMs: CONTROLLER_MS / ATTEMPTS,
    });
    if (status === 200) return (body as StoredList).items;
    await sleep(200);
  }
  world.history.fault('no daemon lists entries, without any kill');
  return [];
}
