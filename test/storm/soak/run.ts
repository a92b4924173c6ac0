import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runProgram } from '../../helpers/daemon.js';
import { type Arrangement, type Site, startSite } from './arrangements.js';
import { ask } from './ask.js';
import { calm, PULSE, untilReconciled } from './calm.js';
import {
  ACCOUNTS,
  change,
  type Client,
  clientOf,
  edit,
  keep,
  keepList,
  read,
  SHELVES,
  transfer,
} from './clients.js';
import { command } from './commands.js';
import { History } from './history.js';
import {
  BATCHES,
  bodyOf,
  type Kind,
  KINDS,
  pathOf,
  revisionOf,
  SHELF_SELECTORS,
  type StoredList,
} from './models.js';
import { wholeOf } from './log.js';
import { faultsOf } from './properties.js';
import { storm } from './schedule.js';
import { Watcher, type WatchGiven } from './watchers.js';
import type { World } from './world.js';

/** Of each account and vault at the beginning. */
const AMOUNT = 1_000;
const LAST_SHELF = 'north';
const LAST_MS = 60_000;

const CLIENTS: readonly (readonly [string, (client: Client) => Promise<void>])[] = [
  ['edit-1', edit],
  ['edit-2', edit],
  ['transfer-1', transfer],
  ['transfer-2', transfer],
  ['read-1', read],
  ['read-2', read],
  ['command', command],
];

const WATCHES: readonly WatchGiven[] = [
  ...KINDS.map((kind) => ({ kind, watch: wholeOf(kind) })),
  ...KINDS.map((kind) => ({ kind, watch: `restless ${kind}`, isRestless: true })),
  { kind: 'Entry', watch: 'shelf of entries', shelf: LAST_SHELF },
  { kind: 'Entry', watch: 'restless shelf of entries', shelf: LAST_SHELF, isRestless: true },
];

export interface Lengths {
  readonly rounds: number;
  readonly stormMs: number;
  readonly calmMs: number;
  /** Of the last calm. */
  readonly lastCalmMs: number;
}

export interface Result {
  readonly faults: readonly string[];
  /** Counts of the work that was done. */
  readonly summary: string;
  /** Kept when there are faults. */
  readonly directory: string;
}

/** Runs clients on an arrangement through storms and calms, and looks for faults in what they saw. */
export async function soak(arrangement: Arrangement, seed: number, lengths: Lengths): Promise<Result> {
  const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-soak-'));
  const file = createWriteStream(path.join(directory, 'history.ndjson'));
  const history = new History((line) => file.write(line));
  const site = await startSite(arrangement, { seed, directory, history });
  await withClients(site, async () => {
    for (let round = 1; round <= lengths.rounds; round += 1) {
      site.world.phase = 'storm';
      await storm(site, lengths.stormMs, round);
      await calm(site, round === lengths.rounds ? lengths.lastCalmMs : lengths.calmMs);
    }
  });
  await endSite(site);
  const faults = [...history.faults, ...faultsOf(history)];
  await new Promise((resolve) => file.end(resolve));
  if (faults.length === 0) rmSync(directory, { recursive: true });
  return { faults, summary: summaryOf(history), directory };
}

/** Runs clients and watches during a task; the watches until they have received the last change. */
async function withClients({ world }: Site, task: () => Promise<void>): Promise<void> {
  const start = await ask(world, { port: world.ports[0] ?? 0, path: pathOf('Entry') });
  const position = revisionOf(start.body as StoredList);
  const watchers = WATCHES.map((given) => new Watcher(world, given, position));
  const watching = watchers.map((watcher) => watcher.run());
  await writeAll(clientOf(world, 'first'), firstObjects());
  const working = CLIENTS.map(([name, act]) => keep(clientOf(world, name), act));
  await task();
  world.phase = 'over';
  await Promise.all(working);
  await untilReconciled(world);
  await writeAll(
    clientOf(world, 'last'),
    KINDS.map((kind) => [kind, 'last', 0]),
  );
  const until = performance.now() + LAST_MS;
  const isTold = (watcher: Watcher): boolean => watcher.hasSeen(`last ${watcher.watched.kind} last`);
  while (!watchers.every(isTold) && performance.now() < until) await sleep(50);
  for (const watcher of watchers) watcher.end();
  await Promise.all(watching);
}

type FirstObject = readonly [kind: Kind, name: string, amount: number];

function firstObjects(): readonly FirstObject[] {
  const names = Array.from({ length: ACCOUNTS }, (_, i) => `a${i}`);
  const balances = names.flatMap((name): FirstObject[] => [
    ['Account', name, AMOUNT],
    ['Vault', name, AMOUNT],
  ]);
  return [...balances, ['Entry', PULSE, 0]];
}

/** Creates objects in one batch while nothing is killed. */
async function writeAll(client: Client, objects: readonly FirstObject[]): Promise<void> {
  const parts = objects.map(([kind, name, amount]) => {
    const mark = `${client.name} ${kind} ${name}`;
    const object = bodyOf(kind, name, { mark, shelf: LAST_SHELF, amount });
    return { item: { kind, name, mark }, sent: { verb: 'create', object } };
  });
  const outcome = await change(client, {
    verb: 'batch',
    method: 'POST',
    path: BATCHES,
    body: { items: parts.map(({ sent }) => sent) },
    items: parts.map(({ item }) => item),
  });
  if (outcome !== 'done')
    client.world.history.fault(`batch "${client.name}" was not accepted, without any kill`);
}

/** Looks at all daemons and at the store, and ends them. */
async function endSite({ world, daemons, arrangement, server, checks }: Site): Promise<void> {
  for (const daemon of daemons) {
    if (daemon.workers().length >= arrangement.workers) continue;
    world.history.fault(`${daemon.name} has ${daemon.workers().length} workers`);
  }
  for (const port of world.ports) await listAll(world, port);
  for (const check of checks.running) await expectSound(world, check);
  await Promise.all(daemons.map((daemon) => daemon.end()));
  for (const check of checks.ended) await expectSound(world, check);
  await server?.stop();
}

/** Lists all objects in all ways. */
async function listAll(world: World, port: number): Promise<void> {
  const client = clientOf(world, `last of ${port}`);
  const ways = Object.values(SHELF_SELECTORS).flatMap((by) =>
    SHELVES.map((shelf) => ({ shelf, query: by(shelf) })),
  );
  for (const kind of KINDS) {
    for (const { shelf, query } of [{ shelf: undefined, query: '' }, ...ways]) {
      const answer = await ask(world, { port, path: `${pathOf(kind)}?size=0&${query}` });
      if (answer.status !== 200) world.history.fault(`port ${port} lists nothing: ${answer.answer}`);
      keepList(client, kind, answer, shelf);
    }
  }
}

async function expectSound({ history }: World, check: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await runProgram(check);
  if (code !== 0) history.fault(`xsvc ${check.join(' ')} ended with ${String(code)}: ${stdout}${stderr}`);
}

function summaryOf({ writes, gets, lists, watches }: History): string {
  const count = (outcome: string): number => writes.filter((call) => call.outcome === outcome).length;
  const reported = watches.reduce((sum, { changes }) => sum + changes.length, 0);
  return (
    `${writes.length} writes (${count('done')} done, ${count('refused')} refused, ${count('unsure')} unsure), ` +
    `${gets.length + lists.length} reads, ${reported} changes reported`
  );
}
