import { cp, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, it } from 'vitest';
import {
  EXAMPLE_PLUGINS,
  killDaemons,
  startDaemonProcess,
  type DaemonProcess,
} from '../../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

afterEach(killDaemons);
afterAll(removeDirectories);

const RELOADS = 100;
/** The first ones warm up caches; what grows afterwards would grow for ever. */
const WARM = 20;
const MIB = 1024 * 1024;
const HEAP_GROWTH_MAX = 16 * MIB;
const RESIDENT_GROWTH_MAX = 64 * MIB;
/** Maximum wait for a full garbage collection. */
const COLLECTION_MS = 180_000;
/** Objects that become garbage during one collection are found by the next. */
const COLLECTIONS = 2;
const PLUGIN = '/apis/plugin.platform.run/v1alpha1/plugins/catalogue';

async function json(daemon: DaemonProcess, target: string): Promise<Record<string, unknown>> {
  return JSON.parse((await daemon.get(target)).text) as Record<string, unknown>;
}

async function startTime(daemon: DaemonProcess): Promise<string | undefined> {
  const { status } = (await json(daemon, PLUGIN)) as { status: { phase: string; lastStartTime: string } };
  return status.phase === 'STARTED' ? status.lastStartTime : undefined;
}

/** Everything of which a reload that leaves something behind would have more. */
async function kept(daemon: DaemonProcess) {
  const { items } = (await json(daemon, '/apis/controller.platform.run/v1alpha1/controllers')) as {
    items: object[];
  };
  const { paths } = (await json(daemon, '/v3/api-docs')) as { paths: object };
  const watchers = metric(await metricsOf(daemon), 'xsvc_watchers');
  const files = await filesOf(daemon);
  return { controllers: items.length, paths: Object.keys(paths).length, watchers, files };
}

/** Files that the event loop of each thread opens: a thread that reads ahead may begin at any time. */
const EVENT_LOOP_FILE = /^(anon_inode|pipe):/;

/** Number of open files and sockets, without those of event loops. */
async function filesOf(daemon: DaemonProcess): Promise<number> {
  const directory = `/proc/${daemon.pid}/fd`;
  const files = await readdir(directory);
  const links = await Promise.all(
    // A file that was closed meanwhile has no link.
    files.map((file) => readlink(path.join(directory, file)).catch(() => undefined)),
  );
  return links.filter((link) => link !== undefined && !EVENT_LOOP_FILE.test(link)).length;
}

/** Resources kept when no work is under way: several readings in a row are equal. */
async function settled(daemon: DaemonProcess): ReturnType<typeof kept> {
  let found = await kept(daemon);
  for (let same = 0; same < 5;) {
    await sleep(100);
    const now = await kept(daemon);
    same = JSON.stringify(now) === JSON.stringify(found) ? same + 1 : 0;
    found = now;
  }
  return found;
}

async function metricsOf(daemon: DaemonProcess): Promise<string> {
  return (await daemon.get('/metrics')).text;
}

function metric(text: string, name: string): number {
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

/** Number of full garbage collections; the line is absent before the first one. */
function collections(text: string): number {
  return metric(text, 'nodejs_gc_duration_seconds_count\\{kind="major"\\}') || 0;
}

/**
 * The least that looks find until all garbage was collected: garbage that waits for its collection is no growth. Node collects
 * when much was allocated, so much is asked for.
 */
async function memory(daemon: DaemonProcess): Promise<{ heap: number; resident: number }> {
  const until = Date.now() + COLLECTION_MS;
  const before = collections(await metricsOf(daemon));
  let [heap, resident] = [Infinity, Infinity];
  let now: number;
  do {
    await sleep(100);
    for (let i = 0; i < 10; i++) await kept(daemon);
    const text = await metricsOf(daemon);
    heap = Math.min(heap, metric(text, 'nodejs_heap_size_used_bytes'));
    resident = Math.min(resident, metric(text, 'process_resident_memory_bytes'));
    now = collections(text);
  } while (now < before + COLLECTIONS && Date.now() < until);
  return { heap, resident };
}

it(`${RELOADS} reloads of a plugin leave no controllers, routes, watchers or files behind, and memory settles`, async () => {
  const directory = path.join(temporaryDirectory(), 'catalogue');
  await cp(path.join(EXAMPLE_PLUGINS, 'catalogue'), directory, { recursive: true });
  const daemon = await startDaemonProcess({
    dataDir: temporaryDirectory(),
    plugins: [directory],
    flags: ['--watch'],
  });
  const main = path.join(directory, 'index.ts');
  const text = await readFile(main, 'utf8');
  let warm: Awaited<ReturnType<typeof kept>> | undefined;
  let before: Awaited<ReturnType<typeof memory>> | undefined;
  for (let reload = 1; reload <= RELOADS; reload++) {
    const last = await startTime(daemon);
    await writeFile(main, `${text}\n// ${reload}\n`);
    for (let now = last; now === undefined || now === last; now = await startTime(daemon)) await sleep(10);
    if (reload !== WARM) continue;
    warm = await settled(daemon);
    before = await memory(daemon);
  }
  expect(await settled(daemon)).toEqual(warm);
  const after = await memory(daemon);
  const growth = {
    heap: after.heap - (before?.heap ?? 0),
    resident: after.resident - (before?.resident ?? 0),
  };
  const shown = Object.entries(growth).map(([what, bytes]) => `${what} ${(bytes / MIB).toFixed(1)} MiB`);
  console.log(`grown over ${RELOADS - WARM} reloads: ${shown.join(', ')}; kept: ${JSON.stringify(warm)}`);
  expect(growth.heap).toBeLessThan(HEAP_GROWTH_MAX);
  expect(growth.resident).toBeLessThan(RESIDENT_GROWTH_MAX);
  expect((await daemon.stop()).code).toBe(0);
});
