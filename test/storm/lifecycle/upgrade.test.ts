import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, expect, it } from 'vitest';
import { openLmdb } from '../../../src/engines/lmdb/engine.js';
import { readFormat } from '../../../src/store/format.js';
import { declarePersonIndexes, Person, PERSON } from '../../helpers/models.js';
import { digestObjects, makeOlder } from '../../helpers/older-store.js';
import { openTestService, removeDirectories, temporaryDirectory } from '../../helpers/store.js';

const OBJECTS = Number(process.env.STORM_UPGRADE_OBJECTS ?? 100_000);
const KILLS = 5;
const BATCH = 1_000;
const PROGRAM = new URL('../../../bin/xsvc.js', import.meta.url).pathname;

afterAll(removeDirectories);

async function olderStore(): Promise<string> {
  const directory = temporaryDirectory();
  const engine = await openLmdb(directory, { relaxed: true });
  const t = await openTestService(directory, {}, { engine });
  await t.register(Person, declarePersonIndexes);
  for (let at = 0; at < OBJECTS; at += BATCH)
    await t.service.batch(
      Array.from({ length: Math.min(BATCH, OBJECTS - at) }, (_, i) => ({
        verb: 'create' as const,
        resource: PERSON,
        object: { metadata: { name: `p${at + i}` }, spec: { age: (at + i) % 100, owner: `o${i}` } },
      })),
    );
  await t.close();
  await makeOlder(directory);
  return directory;
}

function upgrade(directory: string): ChildProcess {
  return spawn(process.execPath, [PROGRAM, 'store', 'upgrade', '--data-dir', directory], { stdio: 'ignore' });
}

/** Number of upgraded objects; 0 before the upgrade began, Infinity after its end. */
async function upgradedObjects(directory: string): Promise<number> {
  const engine = await openLmdb(directory, { readOnly: true });
  try {
    const format = await readFormat(engine);
    return format?.number === 4 ? 0 : (format?.upgrade?.done ?? Infinity);
  } finally {
    await engine.close();
  }
}

it(`an upgrade of ${OBJECTS} objects that is killed ${KILLS} times leaves the same objects`, async () => {
  const directory = await olderStore();
  const before = await digestObjects(directory);
  expect(before.objects).toBe(OBJECTS);
  const began = performance.now();
  let done = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const child = upgrade(directory);
    const exited = once(child, 'exit');
    const wanted = done + OBJECTS / (KILLS + 2);
    await expect
      .poll(() => upgradedObjects(directory), { interval: 50, timeout: 600_000 })
      .toBeGreaterThan(wanted);
    child.kill('SIGKILL');
    expect(await exited).toEqual([null, 'SIGKILL']);
    const now = await upgradedObjects(directory);
    expect(now).toBeGreaterThan(done);
    done = now;
  }
  expect(done).toBeLessThan(OBJECTS);
  expect(await once(upgrade(directory), 'exit')).toEqual([0, null]);
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(`${OBJECTS} objects, killed ${KILLS} times: upgraded in ${seconds} s`);
  expect(await digestObjects(directory)).toEqual(before);
  const t = await openTestService(directory);
  await t.register(Person, declarePersonIndexes);
  const { total } = await t.service.list(PERSON, { sort: ['metadata.updateTimestamp'], size: 1 });
  expect(total).toBe(OBJECTS);
  expect(await t.check()).toEqual([]);
  await t.close();
}, 1_800_000);
