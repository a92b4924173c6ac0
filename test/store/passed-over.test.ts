import { statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { Engine, Transaction } from '../../src/store/engine.js';
import { openLmdb } from '../../src/engines/lmdb/engine.js';
import { LOG_HEAD_KEY } from '../../src/store/log/log.js';
import { ReadOrder } from '../../src/engines/lmdb/read-order.js';
import { passOver } from '../helpers/passed-over.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterAll(removeDirectories);

/** Each commit of a store with changes writes this key. */
const KEY = LOG_HEAD_KEY;
const engines: Engine[] = [];

async function open(directory = temporaryDirectory()): Promise<Engine & { directory: string }> {
  const engine = await openLmdb(directory, { relaxed: true });
  engines.push(engine);
  return Object.assign(engine, { directory });
}

afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

/** Adds one to the number under the key, and answers it. */
function count(tx: Transaction): number {
  const next = Buffer.alloc(4);
  next.writeUInt32LE((tx.get(KEY)?.readUInt32LE() ?? 0) + 1);
  tx.put(KEY, next);
  return next.readUInt32LE();
}

async function countIn(engine: Engine): Promise<number> {
  return (await engine.get(KEY))?.readUInt32LE() ?? 0;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(10);
}

describe('a commit that was passed over', () => {
  it('is followed by the next write, which sees it', async () => {
    const engine = await open();
    for (let i = 1; i <= 3; i++) expect(await engine.commit(count)).toBe(i);
    passOver(engine.directory);
    expect(await countIn(engine)).toBe(2);
    expect(await engine.commit(count)).toBe(4);
    expect(await countIn(engine)).toBe(4);
    expect(engine.writeProblem()).toBeUndefined();
  });

  it('is noted by readers that have seen it', async () => {
    const engine = await open();
    for (let i = 1; i <= 3; i++) await engine.commit(count);
    const endFirst = engine.countSetbacks();
    expect(await countIn(engine)).toBe(3);
    passOver(engine.directory);
    expect(await countIn(engine)).toBe(2);
    expect(endFirst()).toBe(1);
    const endSecond = engine.countSetbacks();
    engine.snapshot().close();
    expect(endSecond()).toBe(1);
    await until(async () => (await countIn(engine)) === 3);
    const endThird = engine.countSetbacks();
    const snapshot = engine.snapshot();
    expect(await engine.commit(count)).toBe(4);
    expect(await countIn(engine)).toBe(4);
    expect((await snapshot.get(KEY))?.readUInt32LE()).toBe(3);
    snapshot.close();
    await engine.commit(count, { dryRun: true });
    await engine.commit(() => undefined);
    expect(await countIn(engine)).toBe(4);
    expect(endThird()).toBe(0);
  });

  it('is seen again by readers when nobody writes', async () => {
    const engine = await open();
    for (let i = 1; i <= 3; i++) await engine.commit(count);
    passOver(engine.directory);
    expect(await countIn(engine)).toBe(2);
    await until(async () => (await countIn(engine)) === 3);
  });

  it('is mended whatever bytes of its number differ', async () => {
    const engine = await open();
    for (let i = 0; i < 250; i++) await engine.commit(count);
    for (let i = 251; i <= 260; i++) {
      passOver(engine.directory, [1, 2, 5][i % 3]);
      expect(await engine.commit(count)).toBe(i);
      expect(await countIn(engine)).toBe(i);
    }
  });

  it('is mended by several that have the store open', async () => {
    const first = await open();
    const others = [await open(first.directory), await open(first.directory)];
    const all = [first, ...others];
    for (let round = 0; round < 5; round++) {
      await first.commit(count);
      passOver(first.directory);
      await Promise.all(all.map((engine) => engine.commit(count)));
    }
    for (const engine of all) expect(await countIn(engine)).toBe(20);
  });
});

it('the order of reads is known from the lowest 32 bits of numbers', () => {
  let last = 2 ** 32 - 1;
  const order = new ReadOrder(() => last);
  const endAll = order.count();
  const endSome = order.count();
  for (last of [2 ** 32 - 2, 2 ** 32 - 1, 0]) order.note();
  expect(endSome()).toBe(0);
  for (last of [2 ** 32 - 1, 0, 1]) order.note();
  expect([endAll(), endAll()]).toEqual([1, 1]);
  // Nobody counts.
  for (last of [0, 1]) order.note();
  expect(endAll()).toBe(1);
});

it('looking for passed-over commits leaves no trace in the file of a store', async () => {
  const engine = await open();
  await engine.commit(count);
  const file = path.join(engine.directory, 'data.mdb');
  const { mtimeMs, size } = statSync(file);
  await sleep(1_200);
  expect(statSync(file)).toMatchObject({ mtimeMs, size });
  expect(await engine.commit(count)).toBe(2);
});
