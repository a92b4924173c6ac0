import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { AuditLine } from '../../helpers/audit.js';
import {
  EXAMPLE_PLUGINS,
  killDaemons,
  runProgram,
  startDaemonProcess,
  type DaemonProcess,
} from '../../helpers/daemon.js';
import { PERSONS, person } from '../../helpers/http.js';
import { mountSmallDisk, useSmallDisks } from '../../helpers/small-disk.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

afterAll(removeDirectories);
useSmallDisks();
afterEach(killDaemons);

const PLUGINS = [path.join(EXAMPLE_PLUGINS, 'person')];
const FLAGS = PLUGINS.flatMap((directory) => ['--plugins', directory]);
const MiB = 1024 * 1024;
const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;
const isRoot = process.getuid?.() === 0;

/** A body of about 50 kB. */
const big = (name: string): object => person(name, { address: { city: 'x'.repeat(50_000) } });

/** Writes until one is refused; the names of those that were answered, and the refusal. */
async function fill(daemon: DaemonProcess) {
  const stored: string[] = [];
  for (let i = 0; i < 2000; i++) {
    const answer = await daemon.send('POST', PERSONS, { body: big(`big${i}`) });
    if (answer.status !== 201) return { stored, refusal: answer };
    stored.push(`big${i}`);
  }
  throw new Error('nothing was refused');
}

async function expectFull(daemon: DaemonProcess): Promise<string[]> {
  const { stored, refusal } = await fill(daemon);
  expect(refusal.json()).toMatchObject({ kind: 'Status', code: 503, reason: 'ServiceUnavailable' });
  // It would be repeated for ever by clients that obey; space does not come back by itself.
  expect(refusal.json().message).toMatch(/cannot write to the store/);
  expect(stored.length).toBeGreaterThan(0);
  for (const name of stored.slice(-3)) expect((await daemon.get(`${PERSONS}/${name}`)).status).toBe(200);
  expect((await daemon.get(`${PERSONS}?size=1`)).json().total).toBe(stored.length + 3);
  expect((await daemon.send('POST', PERSONS, { body: big('again') })).status).toBe(503);
  return stored;
}

/** After it was refused: nothing is lost, and it takes writes again. */
async function expectWhole(daemon: DaemonProcess, dataDir: string, stored: readonly string[]): Promise<void> {
  expect((await daemon.send('POST', PERSONS, { body: big('after') })).status).toBe(201);
  for (const name of [...stored, 'after']) expect((await daemon.get(`${PERSONS}/${name}`)).status).toBe(200);
  expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  expect(await runProgram(['check', '--data-dir', dataDir, ...FLAGS])).toMatchObject({ code: 0 });
}

describe('a store that may not grow', () => {
  it.skipIf(!hasPrlimit)('ends with 6 once a write has failed in the medium, and loses nothing', async () => {
    const dataDir = path.join(temporaryDirectory(), 'data');
    const wrapper = ['prlimit', `--fsize=${4 * MiB}:unlimited`];
    const daemon = await startDaemonProcess({ dataDir, plugins: PLUGINS, wrapper });
    const { stored, refusal } = await fill(daemon);
    expect(refusal.json()).toMatchObject({ kind: 'Status', code: 503, reason: 'ServiceUnavailable' });
    expect(await daemon.exited).toEqual({ code: 6, signal: null });
    expect(daemon.output.stderr).toMatch(/LMDB cannot continue after this error, so the program exits/);
    expect(daemon.output.stderr).not.toMatch(/node_modules.lmdb/);
    await expectWhole(await startDaemonProcess({ dataDir, plugins: PLUGINS }), dataDir, stored);
  });

  it.skipIf(!hasPrlimit)('makes the command line exit with 6 and store nothing', async () => {
    const dataDir = path.join(temporaryDirectory(), 'data');
    const file = path.join(temporaryDirectory(), 'persons.yaml');
    const documents = Array.from({ length: 40 }, (_, i) => {
      const type = { apiVersion: 'demo.example.com/v1alpha1', kind: 'Person' };
      return JSON.stringify({ ...type, ...big(`p${i}`) });
    });
    writeFileSync(file, documents.join('\n---\n'));
    const args = ['apply', '-f', file, '--data-dir', dataDir, ...FLAGS];
    const full = await runProgram(args, { wrapper: ['prlimit', `--fsize=${MiB}:unlimited`] });
    expect(full).toMatchObject({ code: 6, signal: null });
    expect(full.stderr).toMatch(/cannot write to the store/);
    const listed = await runProgram(['get', 'persons', '-o', 'name', '--data-dir', dataDir, ...FLAGS]);
    expect(listed.stdout).toBe('');
    expect(await runProgram(args)).toMatchObject({ code: 0 });
    expect(await runProgram(['check', '--data-dir', dataDir, ...FLAGS])).toMatchObject({ code: 0 });
  });
});

describe('a full disk', () => {
  it('refuses writes with 503, loses nothing, and goes on when there is space', async (context) => {
    const disk = mountSmallDisk(8 * MiB);
    if (disk === undefined) return context.skip('a small file system can only be mounted by root');
    disk.fill(3 * MiB);
    const dataDir = path.join(disk.directory, 'data');
    const daemon = await startDaemonProcess({ dataDir, plugins: PLUGINS });
    const stored = await expectFull(daemon);
    // A small write might still find room before; what is left is less than the reserve now.
    const rest = path.join(disk.directory, 'rest');
    writeFileSync(rest, Buffer.alloc(0.2 * MiB));
    const ready = await daemon.get('/readyz');
    expect([ready.status, ready.json().message]).toEqual([503, expect.stringMatching(/kept in reserve/)]);
    rmSync(rest);
    disk.empty();
    expect((await daemon.get('/readyz')).status).toBe(200);
    await expectWhole(daemon, dataDir, stored);
  });
});

describe('a full disk with the store and its strict audit log', () => {
  it('loses neither objects nor their lines, and goes on when there is space', async (context) => {
    const disk = mountSmallDisk(8 * MiB);
    if (disk === undefined) return context.skip('a small file system can only be mounted by root');
    disk.fill(4 * MiB);
    const [dataDir, file] = ['data', 'audit.log'].map((name) => path.join(disk.directory, name));
    if (dataDir === undefined || file === undefined) return;
    const flags = ['--audit-log', file, '--audit-strict'];
    const daemon = await startDaemonProcess({ dataDir, plugins: PLUGINS, flags });
    const stored: string[] = [];
    for (let round = 0; round < 3; round++) {
      const refusals: number[] = [];
      const write = async (writer: number): Promise<void> => {
        for (let i = 0; refusals.length < 8; i++) {
          const name = `w${round}-${writer}-${i}`;
          const text = randomBytes(10_000).toString('base64');
          const body = person(name, { address: { city: text } });
          const { status } = await daemon.send('POST', PERSONS, { body });
          if (status === 201) stored.push(name);
          else refusals.push(status);
        }
      };
      await Promise.all([0, 1, 2, 3].map(write));
      expect(new Set(refusals)).toEqual(new Set([503]));
      disk.empty();
      await expect.poll(async () => (await daemon.get('/readyz')).text).toBe('ok');
      disk.fill((3 - round) * MiB);
    }
    disk.empty();
    await expectWhole(daemon, dataDir, stored);
    const lines = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as AuditLine);
    const created = lines.filter(({ via, code }) => via === 'http' && code === 201).map(({ name }) => name);
    expect(created.sort()).toEqual([...stored, 'after'].sort());
  });
});

describe('a data directory that cannot be written', () => {
  it('is refused with exit 6 and a message that names it', async () => {
    const file = path.join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    const dataDir = path.join(file, 'data');
    for (const command of [
      ['serve', '--port', '0', ...FLAGS],
      ['get', 'persons'],
    ]) {
      const exit = await runProgram([...command, '--data-dir', dataDir]);
      expect(exit).toMatchObject({ code: 6, stdout: '' });
      expect(exit.stderr).toContain(dataDir);
      expect(exit.stderr).not.toMatch(/^\s+at /m);
    }
  });

  it('is refused on a read-only file system, which loses nothing', async (context) => {
    const disk = mountSmallDisk(16 * MiB)?.directory;
    if (disk === undefined) return context.skip('a file system can only be mounted by root');
    const dataDir = path.join(disk, 'data');
    const file = path.join(temporaryDirectory(), 'person.yaml');
    const type = { apiVersion: 'demo.example.com/v1alpha1', kind: 'Person' };
    writeFileSync(file, JSON.stringify({ ...type, ...person('kept') }));
    const apply = ['apply', '-f', file, '--data-dir', dataDir, ...FLAGS];
    expect(await runProgram(apply)).toMatchObject({ code: 0 });
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    for (const command of [apply, ['serve', '--port', '0', '--data-dir', dataDir, ...FLAGS]]) {
      const exit = await runProgram(command);
      expect(exit).toMatchObject({ code: 6, stdout: '' });
      expect(exit.stderr).toContain(dataDir);
    }
    execFileSync('mount', ['-o', 'remount,rw', disk]);
    expect((await runProgram(['get', 'persons', '-o', 'name', '--data-dir', dataDir])).stdout).toBe(
      'persons/kept\n',
    );
    expect(await runProgram(['check', '--data-dir', dataDir, ...FLAGS])).toMatchObject({ code: 0 });
  });

  it('is refused the same way when it is read-only', async (context) => {
    if (isRoot) return context.skip('root may write to read-only directories');
    const dataDir = path.join(temporaryDirectory(), 'data');
    const daemon = await startDaemonProcess({ dataDir, plugins: PLUGINS });
    await daemon.stop();
    for (const file of ['data.mdb', 'lock.mdb']) chmodSync(path.join(dataDir, file), 0o400);
    chmodSync(dataDir, 0o500);
    const exit = await runProgram(['serve', '--port', '0', '--data-dir', dataDir, ...FLAGS]);
    chmodSync(dataDir, 0o700);
    expect(exit).toMatchObject({ code: 6, stdout: '' });
    expect(exit.stderr).toContain(dataDir);
  });
});
