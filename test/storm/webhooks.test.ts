import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, it } from 'vitest';
import { killDaemons, runProgram, startDaemonProcess, type DaemonProcess } from '../helpers/daemon.js';
import { Random, seedOfRun } from '../helpers/seed.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const KILLS = Number(process.env.WEBHOOK_KILLS ?? 50);
/** Kills between two checks. */
const ROUND = 50;
const OBJECTS = 24;
const WEBHOOKS = '/apis/delivery.platform.run/v1alpha1/webhooks';
const MAPS = '/api/v1/namespaces/default/configmaps';
const RECEIVER = new URL('../helpers/receiver-process.mjs', import.meta.url).pathname;
const MERGE = { 'content-type': 'application/merge-patch+json' };
/** A kill takes the start of a daemon; after the last one, deliveries may wait for their next attempt. */
const TIMEOUT_MS = 180_000 + KILLS * 15_000;
const DRAIN_MS = 150_000;

let receiver: ChildProcess | undefined;

afterEach(() => {
  receiver?.kill('SIGKILL');
  killDaemons();
});
afterAll(removeDirectories);

async function startReceiver(port: number, file: string): Promise<number> {
  const child = spawn(process.execPath, [RECEIVER, String(port), file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  receiver = child;
  return new Promise((resolve) => child.stdout.once('data', (text) => resolve(Number(String(text)))));
}

type Told = readonly [name: string, revision: number, type: string];

function readTold(file: string): readonly Told[] {
  if (!existsSync(file)) return [];
  // The last line may be cut by a kill.
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Told);
}

/** All changes after a revision up to another one, as watches tell them. */
async function changesBetween(daemon: DaemonProcess, begin: number, end: number): Promise<Set<number>> {
  const found = new Set<number>();
  for (let last = begin; last < end;) {
    const { text } = await daemon.get(`${MAPS}?watch=true&resourceVersion=${last}&timeoutSeconds=3`);
    // The end of the time may cut a line.
    const lines = text.split('\n').slice(0, -1);
    for (const line of lines) {
      const { object } = JSON.parse(line) as { object: { metadata: { resourceVersion: string } } };
      last = Number(object.metadata.resourceVersion);
      found.add(last);
    }
  }
  return found;
}

interface Storm {
  /** Writes each object, one write after another, until {@link end}. @returns the number of writes */
  end(): Promise<number>;
}

function startStorm(daemons: readonly DaemonProcess[], random: Random): Storm {
  const state = { isOver: false, writes: 0 };
  const write = async (i: number): Promise<void> => {
    const name = `map-${i}`;
    for (let n = 0; !state.isOver; n++) {
      const daemon = daemons[n % daemons.length];
      const isDeletion = n % 17 === 16;
      const target = `${MAPS}/${name}`;
      const sent = isDeletion
        ? daemon?.send('DELETE', target)
        : daemon?.send('PATCH', target, { body: { data: { n: String(n) } }, headers: MERGE });
      const status = await sent?.then((answer) => answer.status).catch(() => 0);
      if (status === 404)
        await daemon?.send('POST', MAPS, { body: { metadata: { name } } }).catch(() => undefined);
      if (status === 200) state.writes += 1;
      await sleep(status === 0 ? 50 : random.below(20));
    }
  };
  const writers = Array.from({ length: OBJECTS }, (_, i) => write(i));
  return {
    async end() {
      state.isOver = true;
      await Promise.all(writers);
      return state.writes;
    },
  };
}

/** Waits until all changes after a revision were told. @returns how many there are, and how many were told again */
async function checkTold(daemon: DaemonProcess, begin: number, file: string): Promise<[number, number]> {
  const last = await daemon.send('POST', MAPS, { body: { metadata: { generateName: 'last-' } } });
  const wanted = await changesBetween(daemon, begin, Number(last.json().metadata.resourceVersion));
  const missing = (): number => {
    const told = new Set(readTold(file).map(([, revision]) => revision));
    return [...wanted].filter((revision) => !told.has(revision)).length;
  };
  await expect.poll(missing, { timeout: DRAIN_MS, interval: 500 }).toBe(0);
  await expect
    .poll(async () => (await daemon.get(`${WEBHOOKS}/storm`)).json().status, { timeout: 10_000 })
    .toMatchObject({ pending: 0, failed: 0 });
  // A kill may repeat changes from before.
  const told = readTold(file).filter(([, revision]) => revision > begin);
  expect(new Set(told.map(([, revision]) => revision))).toEqual(wanted);
  const newest = new Map<string, number>();
  const seen = new Set<number>();
  const wrong: Told[] = [];
  for (const one of told) {
    const [name, revision] = one;
    if (seen.has(revision)) continue;
    seen.add(revision);
    if (revision < (newest.get(name) ?? 0)) wrong.push(one);
    newest.set(name, revision);
  }
  expect(wrong).toEqual([]);
  return [wanted.size, told.length - seen.size];
}

it(
  'loses no change and keeps the order of each object while daemons and the receiver are killed',
  async () => {
    const random = new Random(seedOfRun());
    process.stdout.write(`webhooks: seed ${random.seed}\n`);
    const directory = temporaryDirectory();
    const dataDir = path.join(directory, 'data');
    const fileOf = (round: number): string => path.join(directory, `told-${round}`);
    // Below the ports that the system gives to others while the receiver is away.
    const port = await startReceiver(20_000 + random.below(10_000), fileOf(0));
    const start = (): Promise<DaemonProcess> =>
      startDaemonProcess({
        dataDir,
        plugins: [],
        flags: ['--webhook-allow', '127.0.0.1', '--lease-duration', '2s'],
      });
    const daemons = [await start(), await start()];
    const spec = {
      url: `http://127.0.0.1:${port}/`,
      models: [{ group: '', kind: 'ConfigMap' }],
      timeout: '3s',
    };
    const created = await daemons[0]?.send('POST', WEBHOOKS, { body: { metadata: { name: 'storm' }, spec } });
    expect(created?.status, created?.text).toBe(201);

    const kill = async (number: number, file: string): Promise<void> => {
      await sleep(random.below(700));
      if (number % 3 === 2) {
        receiver?.kill('SIGKILL');
        await sleep(random.below(400));
        await startReceiver(port, file);
        return;
      }
      const at = random.below(daemons.length);
      daemons[at]?.signal('SIGKILL');
      await daemons[at]?.exited;
      daemons[at] = await start();
    };
    // The log of one round is short enough to be read as one watch.
    for (let kills = 0, round = 1; kills < KILLS; round++) {
      const [daemon] = daemons;
      if (daemon === undefined) throw new Error('no daemon');
      const { resourceVersion } = (await daemon.get(`${MAPS}?limit=1`)).json().metadata;
      receiver?.kill('SIGKILL');
      await startReceiver(port, fileOf(round));
      const storm = startStorm(daemons, random);
      const end = Math.min(KILLS, kills + ROUND);
      for (; kills < end; kills++) await kill(kills, fileOf(round));
      const writes = await storm.end();
      const [after = daemon] = daemons;
      const [changes, repeated] = await checkTold(after, Number(resourceVersion), fileOf(round));
      process.stdout.write(
        `webhooks: ${kills} kills; in this round ${writes} writes, ${changes} changes, ${repeated} told again\n`,
      );
    }
    await Promise.all(daemons.map((one) => one.stop()));
    expect(await runProgram(['check', '--data-dir', dataDir])).toMatchObject({ code: 0 });
  },
  TIMEOUT_MS,
);
