import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/store/engine.js';
import { openLmdb } from '../../src/engines/lmdb/engine.js';
import { openAgainToRead } from '../../src/engines/lmdb/open-root.js';
import { GroupCommit } from '../../src/store/group-commit.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';
import { expectCode } from '../suites/verbs-helpers.js';

let engine: Engine | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
  removeDirectories();
});

const KEY = Buffer.from('key');

async function openIn(directory: string): Promise<Engine> {
  engine = await openLmdb(directory);
  await engine.commit((tx) => tx.put(KEY, Buffer.from('before')));
  return engine;
}

describe('a store whose directory is taken away while it is open', () => {
  it('refuses writes, says so, and takes them again when it is back', async () => {
    const directory = path.join(temporaryDirectory(), 'data');
    const opened = await openIn(directory);
    expect(opened.writeProblem()).toBeUndefined();
    renameSync(directory, `${directory}.away`);
    expect(opened.writeProblem()).toMatch(/data\.mdb is gone/);
    await expectCode(
      'ServiceUnavailable',
      opened.commit((tx) => tx.put(KEY, Buffer.from('lost'))),
    );
    expect(String(await opened.get(KEY))).toBe('before');
    renameSync(`${directory}.away`, directory);
    expect(opened.writeProblem()).toBeUndefined();
    await opened.commit((tx) => tx.put(KEY, Buffer.from('after')));
    expect(String(await opened.get(KEY))).toBe('after');
  });

  it('refuses writes when another store lies in its place', async () => {
    const directory = path.join(temporaryDirectory(), 'data');
    const opened = await openIn(directory);
    renameSync(directory, `${directory}.away`);
    mkdirSync(directory);
    writeFileSync(path.join(directory, 'data.mdb'), 'another');
    expect(opened.writeProblem()).toMatch(/was replaced while it was open/);
    await expectCode(
      'ServiceUnavailable',
      opened.commit((tx) => tx.put(KEY, Buffer.from('lost'))),
    );
  });
});

describe('writes that come while a commit is under way', () => {
  it('are run before that commit is answered, so that the disk has something to do', async () => {
    const opened = await openIn(temporaryDirectory());
    // However busy the machine is, the second commit runs before the time limit for answers.
    const group = new GroupCommit((body) => opened.commit(body), 60_000);
    const order: string[] = [];
    let second = Promise.resolve();
    const first = group.run(() => {
      order.push('first runs');
      second = group.run(() => void order.push('second runs'));
    });
    await first;
    order.push('first is answered');
    await second;
    order.push('second is answered');
    expect(order).toEqual(['first runs', 'second runs', 'first is answered', 'second is answered']);
  });

  it('do not keep that commit from its answer while another process writes', async () => {
    let free: () => void = () => undefined;
    const lock = new Promise<void>((resolve) => (free = resolve));
    let commits = 0;
    const group = new GroupCommit(async (body) => {
      if (++commits > 1) await lock;
      body();
    });
    let second = Promise.resolve();
    await group.run(() => {
      second = group.run(() => undefined);
    });
    free();
    await second;
  });

  it('are part of the commit under way as long as that waits for another process', async () => {
    let free: () => void = () => undefined;
    const lock = new Promise<void>((resolve) => (free = resolve));
    const groups: number[] = [];
    let writers = 0;
    const group = new GroupCommit(async (body) => {
      await lock;
      const before = writers;
      body();
      groups.push(writers - before);
    });
    const write = (): Promise<number> => group.run(() => (writers += 1));
    const first = write();
    await nextTurn();
    const others = [write(), write()];
    free();
    await Promise.all([first, ...others]);
    expect(groups).toEqual([3]);
  });

  it('leave that commit its answer when they are refused', async () => {
    const directory = path.join(temporaryDirectory(), 'data');
    const opened = await openIn(directory);
    let second: Promise<unknown> = Promise.resolve();
    await opened.commit((tx) => {
      tx.put(KEY, Buffer.from('after'));
      second = opened.commit(() => undefined).catch((error: unknown) => error);
      renameSync(directory, `${directory}.away`);
    });
    expect(String(await opened.get(KEY))).toBe('after');
    await expectCode(
      'ServiceUnavailable',
      second.then((error) => Promise.reject(error as Error)),
    );
    renameSync(`${directory}.away`, directory);
  });
});

describe('a write that is refused in its middle', () => {
  it('leaves nothing, and those of the same commit are stored', async () => {
    const opened = await openIn(temporaryDirectory());
    const put = (...names: string[]): Promise<void> =>
      opened.commit((tx) => {
        for (const name of names) tx.put(Buffer.from(name), Buffer.from(name));
      });
    const tooLong = 'k'.repeat(5_000);
    const done = await Promise.allSettled([put('first'), put('torn', tooLong, 'rest'), put('last')]);
    expect(done.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const stored = ['first', 'torn', 'rest', 'last'].filter(
      (name) => opened.get(Buffer.from(name)) !== undefined,
    );
    expect(stored).toEqual(['first', 'last']);
  });
});

describe('a store that is closed', () => {
  it('refuses writes and takes that for no fault of the medium', async () => {
    const broken: string[] = [];
    const directory = path.join(temporaryDirectory(), 'data');
    const opened = await openLmdb(directory, { onBroken: ({ message }) => void broken.push(message) });
    await opened.close();
    await expectCode(
      'ServiceUnavailable',
      opened.commit((tx) => tx.put(KEY, KEY)),
    );
    expect(broken).toEqual([]);
  });
});

describe('a reader that was killed', () => {
  it('holds old pages until dead readers are cleared', async () => {
    const directory = path.join(temporaryDirectory(), 'data');
    const opened = await openIn(directory);
    const module = JSON.stringify(new URL('../../dist/engines/lmdb/engine.js', import.meta.url).href);
    const script = `
      const { openLmdb } = await import(${module});
      await (await openLmdb(${JSON.stringify(directory)})).snapshot().get(Buffer.from('key'));
      console.log('held');
      setInterval(() => undefined, 1_000);`;
    // Opened before: to open a store clears dead readers as well.
    const db = openAgainToRead(directory);
    const reader = spawn(process.execPath, ['--input-type=module', '-e', script]);
    await once(reader.stdout, 'data');
    reader.kill('SIGKILL');
    await once(reader, 'close');
    expect(pinning(db.readerList())).toContain(reader.pid);
    opened.clearDeadReaders();
    expect(pinning(db.readerList())).not.toContain(reader.pid);
    await db.close();
  });
});

/** Ids of the processes whose readers have a transaction. */
function pinning(readers: string): number[] {
  return [...readers.matchAll(/^\s*(\d+) .*\d\s*$/gm)].map(([, pid]) => Number(pid));
}
