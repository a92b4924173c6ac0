import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/store/engine.js';
import { openLmdb } from '../../src/store/lmdb/engine.js';
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
