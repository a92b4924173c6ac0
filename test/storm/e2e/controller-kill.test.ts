import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, it } from 'vitest';
import { openRemote } from '../../../src/client/http-verbs.js';
import type { Verbs } from '../../../src/service/verbs.js';
import { FIXTURE_PLUGINS, killDaemons, runProgram, startDaemonProcess } from '../../helpers/daemon.js';
import { Random, seedOfRun } from '../../helpers/seed.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

afterEach(killDaemons);
afterAll(removeDirectories);

const KILLS = 50;
const OBJECTS = 10_000;
/** Objects that are changed before each kill, so that there is always something left to do. */
const CHANGED = 500;
const BATCH = 1_000;
const PLUGINS = [path.join(FIXTURE_PLUGINS, 'doubler')];
const TASK = { group: 'doubler.example.com', version: 'v1', kind: 'Task', plural: 'tasks' } as const;
/** Thousands of commits are left to do, which a slow disk makes long. */
const SETTLED_MS = 600_000;

interface Task {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly n: number };
  readonly status?: { readonly doubled: number };
}

async function create(verbs: Verbs): Promise<void> {
  for (let from = 0; from < OBJECTS; from += BATCH) {
    await verbs.batch(
      Array.from({ length: BATCH }, (_, i) => ({
        verb: 'create' as const,
        resource: TASK,
        object: { metadata: { name: `task-${from + i}` }, spec: { n: from + i } },
      })),
    );
  }
}

async function change(verbs: Verbs, random: Random): Promise<void> {
  const names = new Set(Array.from({ length: CHANGED }, () => `task-${random.below(OBJECTS)}`));
  const n = random.below(1_000_000);
  await verbs.batch(
    [...names].map((name) => ({
      verb: 'patch' as const,
      resource: TASK,
      name,
      patch: { spec: { n } },
      type: 'merge' as const,
    })),
  );
}

async function wrongOnes(verbs: Verbs): Promise<string[]> {
  const wrong: string[] = [];
  for await (const object of verbs.listAll(TASK)) {
    const { metadata, spec, status } = object as unknown as Task;
    if (status?.doubled !== spec.n * 2) wrong.push(metadata.name);
  }
  return wrong;
}

it(`${KILLS} kills while a controller works through ${OBJECTS} objects: in the end every status is right`, async () => {
  const random = new Random(seedOfRun());
  console.log(`SEED=${random.seed}`);
  const dataDir = temporaryDirectory();
  let unfinished = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const daemon = await startDaemonProcess({ dataDir, plugins: PLUGINS });
    const verbs = openRemote(daemon.url);
    if (kill === 0) await create(verbs);
    else await change(verbs, random);
    if ((await wrongOnes(verbs)).length > 0) unfinished++;
    await sleep(random.next() * 150);
    daemon.signal('SIGKILL');
    await daemon.exited;
  }
  const daemon = await startDaemonProcess({ dataDir, plugins: PLUGINS });
  const verbs = openRemote(daemon.url);
  const until = Date.now() + SETTLED_MS;
  let wrong = await wrongOnes(verbs);
  while (wrong.length > 0 && Date.now() < until) {
    await sleep(1_000);
    wrong = await wrongOnes(verbs);
  }
  expect(wrong).toEqual([]);
  expect((await verbs.list(TASK, { size: 1 })).total).toBe(OBJECTS);
  // Otherwise the kills came when nothing was left to do, and showed nothing.
  expect(unfinished).toBeGreaterThan(KILLS / 2);
  expect((await daemon.stop()).code).toBe(0);
  expect(await runProgram(['check', '--data-dir', dataDir, '--plugins', ...PLUGINS])).toMatchObject({
    code: 0,
  });
}, 1_200_000);
