import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, expect, it } from 'vitest';
import { openLmdb } from '../../src/engines/lmdb/engine.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterAll(removeDirectories);

const KEY = Buffer.from('key');
const SECONDS = 3;
const ENGINE = JSON.stringify(new URL('../../dist/engines/lmdb/engine.js', import.meta.url).href);

/** Opens the store again and again, while others may write. */
const OPENER = `
  const { openLmdb } = await import(${ENGINE});
  let opened = 0;
  for (const until = Date.now() + ${SECONDS}_000; Date.now() < until || opened <= 10; opened++) {
    const engine = await openLmdb(process.argv[1], { readOnly: true });
    engine.get(Buffer.from('key'));
    await engine.close();
  }
  console.log(opened);`;

it('no commit is lost while other processes open the store', async () => {
  const directory = temporaryDirectory();
  const engine = await openLmdb(directory, { relaxed: true });
  let committed = 0;
  const commit = async (): Promise<void> => {
    const before = await engine.commit((tx) => {
      const found = tx.get(KEY)?.readUInt32LE() ?? 0;
      const next = Buffer.alloc(400);
      next.writeUInt32LE(found + 1);
      tx.put(KEY, next);
      return found;
    });
    expect(before).toBe(committed);
    committed += 1;
  };
  await commit();
  const args = ['--input-type=module', '-e', OPENER, directory];
  const opener = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let opened = 0;
  opener.stdout.on('data', (count: Buffer) => (opened = Number(count)));
  const ended = once(opener, 'close');
  while (opener.exitCode === null) await commit();
  expect(await ended).toEqual([0, null]);
  expect((await engine.get(KEY))?.readUInt32LE()).toBe(committed);
  expect(opened).toBeGreaterThan(10);
  await engine.close();
});

/** Opens the store again and again while it is being written. */
const REOPENER = `
  const { openLmdb } = await import(${ENGINE});
  const open = () => openLmdb(process.argv[1], { relaxed: true });
  const engine = await open();
  let committed = 0;
  let isDone = false;
  const write = async () => {
    for (; !isDone; committed++) await engine.commit((tx) => tx.put(Buffer.from('key'), Buffer.from('1')));
  };
  const written = write();
  for (let opened = 0; opened < 50; opened++) await (await open()).close();
  isDone = true;
  await written;
  await engine.close();
  console.log(committed > 50);`;

it('a process opens a store again while it writes to it', async () => {
  // LMDB would wait for ever in the only thread.
  const args = ['--input-type=module', '-e', REOPENER, temporaryDirectory()];
  const reopener = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], timeout: 60_000 });
  let printed = '';
  reopener.stdout.on('data', (text: Buffer) => (printed += text.toString()));
  expect(await once(reopener, 'close')).toEqual([0, null]);
  expect(printed).toBe('true\n');
});
