import { fork, type ChildProcess } from 'node:child_process';
import { on, once } from 'node:events';
import {
  lutimesSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ownerName } from '../../src/lib/process/process-identity.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const MODULE = new URL('../helpers/locking-process.mjs', import.meta.url).pathname;

afterAll(removeDirectories);

function newFile(): string {
  const file = path.join(temporaryDirectory(), 'number');
  writeFileSync(file, '0');
  return file;
}

const start = (file: string, times: number): ChildProcess => fork(MODULE, [file, String(times)]);
const ended = (child: ChildProcess): Promise<unknown> => once(child, 'exit');
async function said(child: ChildProcess, what: 'waits' | 'locked'): Promise<void> {
  for await (const [message] of on(child, 'message')) if (message === what) return;
}

it('a file is changed by one process at a time', async () => {
  const file = newFile();
  expect(await Promise.all(Array.from({ length: 6 }, () => ended(start(file, 30))))).toEqual(
    Array.from({ length: 6 }, () => [0, null]),
  );
  expect(readFileSync(file, 'utf8')).toBe('180');
  expect(readdirSync(path.dirname(file))).toEqual(['number']);
});

it('a lock whose process was killed is removed by one of those that wait', async () => {
  const file = newFile();
  const kills = 5;
  for (let i = 0; i < kills; i++) {
    const held = start(file, 1_000_000);
    await said(held, 'locked');
    const waiting = Array.from({ length: 4 }, () => ended(start(file, 5)));
    held.kill('SIGKILL');
    await Promise.all([ended(held), ...waiting]);
  }
  // What the killed processes did comes on top.
  expect(Number(readFileSync(file, 'utf8'))).toBeGreaterThanOrEqual(kills * 20);
  expect(readdirSync(path.dirname(file))).toEqual(['number']);
});

const nameOf = (pid: number): string =>
  ownerName().replace(/^([^/]*)\/\d+\/([^/]*)\.\d+\//, `$1/${pid}/$2.1/`);

it('a lock is removed although the process that was removing it was killed, and a later one has its id', async () => {
  const file = newFile();
  // The process with the id of the owner is another one than the one that began at tick 1.
  const [dead, remover] = [nameOf(process.ppid), nameOf(process.pid)];
  symlinkSync(dead, `${file}.lock`);
  symlinkSync(remover, `${file}.lock.${path.basename(dead)}`);
  expect(await Promise.all(Array.from({ length: 4 }, () => ended(start(file, 5))))).toHaveLength(4);
  expect(readFileSync(file, 'utf8')).toBe('20');
  expect(readdirSync(path.dirname(file))).toEqual(['number']);
});

const ELSEWHERE = 'elsewhere/1/0.0.0/x';

it.each([
  ['is old, of a process that lives', ownerName(), 1],
  ['is new, of a process that is not visible from here', ELSEWHERE, Date.now() / 1_000],
])('a lock is waited for when it %s', async (_what, owner, seconds) => {
  const file = newFile();
  const lock = `${file}.lock`;
  symlinkSync(owner, lock);
  lutimesSync(lock, seconds, seconds);
  const waiting = start(file, 1);
  await said(waiting, 'waits');
  expect([readlinkSync(lock), readFileSync(file, 'utf8')]).toEqual([owner, '0']);
  unlinkSync(lock);
  await ended(waiting);
  expect(readFileSync(file, 'utf8')).toBe('1');
});

it('an old lock is removed when its process is not visible from here', async () => {
  const file = newFile();
  symlinkSync(ELSEWHERE, `${file}.lock`);
  lutimesSync(`${file}.lock`, 1, 1);
  await ended(start(file, 1));
  expect(readFileSync(file, 'utf8')).toBe('1');
  expect(readdirSync(path.dirname(file))).toEqual(['number']);
});
