import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, it } from 'vitest';
import { openRemote } from '../../../src/client/http-verbs.js';
import type { OwnerReference } from '../../../src/model/object.js';
import { ownerReference } from '../../../src/model/owner-references.js';
import type { Verbs } from '../../../src/service/verbs.js';
import { FIXTURE_PLUGINS, killDaemons, runProgram, startDaemonProcess } from '../../helpers/daemon.js';
import { Random, seedOfRun } from '../../helpers/seed.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

afterEach(killDaemons);
afterAll(removeDirectories);

const THING = { group: 'things.example.com', version: 'v1', kind: 'Thing', plural: 'things' } as const;
const DEPENDENTS = 10_000;
/** Objects in one request: the server limits its size. */
const BATCH = 40;
const KILLS_MAX = 60;
const PLUGINS = [path.join(FIXTURE_PLUGINS, 'things')];
/** Together they are many times what the service may take for its work. */
const NOTE = 'x'.repeat(20_000);
const GROWN_MAX = 120 * 1024 * 1024;

async function createAll(
  verbs: Verbs,
  prefix: string,
  owners: readonly OwnerReference[],
  count: number,
): Promise<void> {
  for (let from = 0; from < count; from += BATCH)
    await verbs.batch(
      Array.from({ length: Math.min(BATCH, count - from) }, (_, i) => ({
        verb: 'create' as const,
        resource: THING,
        object: {
          metadata: { name: `${prefix}-${from + i}`, ownerReferences: [...owners] },
          spec: { note: NOTE },
        },
      })),
    );
}

async function owner(verbs: Verbs, name: string): Promise<OwnerReference> {
  return ownerReference((await verbs.create(THING, { metadata: { name } })).object);
}

const count = async (verbs: Verbs): Promise<number> => (await verbs.list(THING, { size: 1 })).total;

/** Without a daemon, which would go on. */
async function countOnStore(dataDir: string): Promise<number> {
  const flags = ['--size', '1', '-o', 'jsonpath={.total}', '--data-dir', dataDir];
  const { stdout } = await runProgram(['get', 'things', ...flags]);
  expect(stdout).toMatch(/^\d+$/);
  return Number(stdout);
}

/** Memory of a process that is no file's, in bytes. */
function anonymousBytes(pid: number): number {
  const [, kib = '0'] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
}

it(`${DEPENDENTS} objects whose owner is gone are removed, however often the daemon is killed meanwhile`, async () => {
  const random = new Random(seedOfRun());
  console.log(`SEED=${random.seed}`);
  const dataDir = temporaryDirectory();
  let daemon = await startDaemonProcess({ dataDir, plugins: PLUGINS });
  let verbs = openRemote(daemon.url);
  const [gone, stays, released] = [
    await owner(verbs, 'gone'),
    await owner(verbs, 'stays'),
    await owner(verbs, 'released'),
  ];
  await createAll(verbs, 'dependent', [gone], DEPENDENTS);
  await createAll(verbs, 'other', [stays, gone], 500);
  await createAll(verbs, 'orphan', [released], 500);
  const kept = 1 + 500 + 500;
  await verbs.delete(THING, 'released', { propagationPolicy: 'Orphan' });
  await verbs.delete(THING, 'gone');
  let [left, halfWay] = [Infinity, 0];
  for (let kill = 0; kill < KILLS_MAX && left > kept; kill++) {
    // On a slow machine a daemon needs longer to begin.
    await sleep(random.next() * (200 + 20 * kill));
    daemon.signal('SIGKILL');
    await daemon.exited;
    const before = left;
    left = await countOnStore(dataDir);
    if (left > kept && left < Math.min(before, kept + DEPENDENTS)) halfWay++;
    daemon = await startDaemonProcess({ dataDir, plugins: PLUGINS });
    verbs = openRemote(daemon.url);
  }
  await expect.poll(() => count(verbs), { timeout: 300_000 }).toBe(kept);
  const owned = async (by: string): Promise<number> =>
    (await verbs.list(THING, { fieldSelector: `metadata.ownerReferences.uid${by}`, size: 1 })).total;
  await expect.poll(() => owned(`=${gone.uid}`)).toBe(0);
  expect(await owned('')).toBe(500);
  // Otherwise the kills came when nothing was left to do, and showed nothing.
  expect(halfWay).toBeGreaterThan(0);
  expect((await daemon.stop()).code).toBe(0);
  expect(await runProgram(['check', '--data-dir', dataDir, '--plugins', ...PLUGINS])).toMatchObject({
    code: 0,
  });
}, 1_200_000);

it(`${DEPENDENTS} objects are removed in little memory, while others are answered`, async () => {
  const dataDir = temporaryDirectory();
  const daemon = await startDaemonProcess({ dataDir, plugins: PLUGINS });
  const verbs = openRemote(daemon.url);
  const gone = await owner(verbs, 'gone');
  await createAll(verbs, 'dependent', [gone], DEPENDENTS);
  await owner(verbs, 'stays');
  const before = anonymousBytes(daemon.pid);
  await verbs.delete(THING, 'gone');
  let [most, slowest] = [0, 0];
  for (let left = Infinity; left > 1;) {
    const began = performance.now();
    await verbs.get(THING, 'stays');
    slowest = Math.max(slowest, performance.now() - began);
    left = await count(verbs);
    most = Math.max(most, anonymousBytes(daemon.pid));
    await sleep(10);
  }
  console.log(
    `grown by ${Math.round((most - before) / 1024 / 1024)} MiB, slowest read ${Math.round(slowest)} ms`,
  );
  expect(most - before).toBeLessThan(GROWN_MAX);
  expect(slowest).toBeLessThan(1_000);
}, 600_000);
