import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { EXAMPLE_PLUGINS, killDaemons, runProgram, startDaemonProcess } from '../../helpers/daemon.js';
import { PERSONS, person } from '../../helpers/http.js';
import { Random, seedOfRun } from '../../helpers/seed.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

const PLUGINS = [path.join(EXAMPLE_PLUGINS, 'person')];
const FLAGS = PLUGINS.flatMap((directory) => ['--plugins', directory]);
const MiB = 1024 * 1024;
const PROGRAM = new URL('../../../bin/xsvc.js', import.meta.url).pathname;

const mounted: string[] = [];
afterEach(killDaemons);
afterAll(() => {
  for (const directory of mounted) execFileSync('umount', [directory]);
  removeDirectories();
});

/** A store with so many persons of about 1 KB. */
async function makeStore(count: number, prefix = 'p'): Promise<string> {
  const dataDir = path.join(temporaryDirectory(), 'data');
  const file = path.join(temporaryDirectory(), 'persons.ndjson');
  const lines = Array.from({ length: count }, (_, i) =>
    JSON.stringify({
      apiVersion: 'demo.example.com/v1alpha1',
      kind: 'Person',
      ...person(`${prefix}${i}`, { age: i % 150, address: { city: 'x'.repeat(800) } }),
    }),
  );
  writeFileSync(file, lines.join('\n'));
  expect(await runProgram(['import', '-f', file, '--data-dir', dataDir, ...FLAGS])).toMatchObject({
    code: 0,
    stdout: `${count} created\n`,
  });
  return dataDir;
}

async function countIn(dataDir: string): Promise<number> {
  const listed = await runProgram(['get', 'persons', '-o', 'name', '--data-dir', dataDir]);
  return listed.stdout.split('\n').length - 1;
}

describe('a backup', () => {
  it('is one moment of a store that a daemon writes to, and can be served', async () => {
    const directory = temporaryDirectory();
    const dataDir = path.join(directory, 'data');
    const daemon = await startDaemonProcess({ dataDir, plugins: PLUGINS });
    const over = new AbortController();
    let written = 0;
    const writing = (async () => {
      while (!over.signal.aborted) {
        const answer = await daemon.send('POST', PERSONS, { body: person(`w${written}`) });
        expect(answer.status).toBe(201);
        written += 1;
      }
    })();
    const before = written;
    const target = path.join(directory, 'copy');
    const made = await runProgram(['backup', target, '--data-dir', dataDir]);
    const after = written;
    over.abort();
    await writing;
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(readdirSync(directory).sort()).toEqual(['copy', 'data']);

    const refused = await runProgram(['restore', target, '--force', '--data-dir', dataDir]);
    expect(refused).toMatchObject({ code: 4, stdout: '' });
    expect(refused.stderr).toContain(`process ${daemon.pid} has the store in ${dataDir} open; stop it`);
    expect(await daemon.stop()).toEqual({ code: 0, signal: null });

    const restored = await runProgram(['restore', target, '--force', '--data-dir', dataDir]);
    expect(restored).toMatchObject({ code: 0, stderr: '' });
    const again = await startDaemonProcess({ dataDir, plugins: PLUGINS });
    // The three that the plugin brings, and those written until some moment of the backup.
    const { total: counted } = (await again.get(`${PERSONS}?size=1`)).json();
    const total = Number(counted);
    expect(total).toBeGreaterThanOrEqual(3 + before);
    expect(total).toBeLessThanOrEqual(3 + after + 1);
    expect((await again.send('POST', PERSONS, { body: person('later') })).status).toBe(201);
    await again.stop();
    expect(await runProgram(['check', '--data-dir', dataDir, ...FLAGS])).toMatchObject({ code: 0 });
  });

  it('leaves nothing behind where there is no room for it', async (context) => {
    const dataDir = await makeStore(2000);
    const disk = mountSmall(MiB);
    if (disk === undefined) return context.skip('a small file system can only be mounted by root');
    const full = await runProgram(['backup', path.join(disk, 'b'), '--data-dir', dataDir]);
    expect(full).toMatchObject({ code: 6, stdout: '', signal: null });
    expect(full.stderr).toMatch(/cannot (copy|write).*(space|ENOSPC)/);
    expect(readdirSync(disk)).toEqual([]);
    const copy = path.join(temporaryDirectory(), 'copy');
    expect(await runProgram(['backup', copy, '--data-dir', dataDir])).toMatchObject({ code: 0 });
    const restored = await runProgram(['restore', copy, '--data-dir', path.join(disk, 'data')]);
    expect(restored).toMatchObject({ code: 6, stdout: '', signal: null });
    expect(restored.stderr).toContain('cannot restore to');
    expect(readdirSync(path.join(disk, 'data'))).toEqual([]);
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    const readOnly = await runProgram(['backup', path.join(disk, 'b'), '--data-dir', dataDir]);
    expect(readOnly).toMatchObject({ code: 6, stdout: '' });
    expect(readOnly.stderr).toMatch(/cannot write the backup to .*read-only/);
  });
});

describe('a restore', () => {
  it('that was killed is over when it is made again', async () => {
    const dataDir = await makeStore(1);
    const copy = path.join(temporaryDirectory(), 'copy');
    expect(await runProgram(['backup', copy, '--data-dir', dataDir])).toMatchObject({ code: 0 });
    mkdirSync(path.join(dataDir, 'restore.partial'));
    writeFileSync(path.join(dataDir, 'restore.partial', 'data.mdb'), 'half');
    expect(await countIn(dataDir)).toBe(1);
    expect(await runProgram(['restore', copy, '--force', '--data-dir', dataDir])).toMatchObject({ code: 0 });
    expect(readdirSync(dataDir)).not.toContain('restore.partial');
  });
});

describe('a restore that is killed at any moment', () => {
  it('leaves the old store or the new one, whole', async () => {
    const [old, next] = [await makeStore(1000, 'old'), await makeStore(3000, 'new')];
    const copy = path.join(temporaryDirectory(), 'copy');
    expect(await runProgram(['backup', copy, '--data-dir', next])).toMatchObject({ code: 0 });
    const start = performance.now();
    const args = ['restore', copy, '--force', '--data-dir', temporaryDirectory()];
    expect(await runProgram(args)).toMatchObject({ code: 0 });
    const lastsMs = performance.now() - start;
    for (const share of [0.4, 0.55, 0.7, 0.8, 0.9, 0.97]) {
      const dataDir = path.join(temporaryDirectory(), 'data');
      cpSync(old, dataDir, { recursive: true });
      const child = spawn(process.execPath, [PROGRAM, 'restore', copy, '--force', '--data-dir', dataDir]);
      const exited = new Promise((resolve) => child.on('close', resolve));
      setTimeout(() => child.kill('SIGKILL'), share * lastsMs);
      await exited;
      expect([1000, 3000]).toContain(await countIn(dataDir));
      expect(await runProgram(['check', '--data-dir', dataDir, ...FLAGS])).toMatchObject({ code: 0 });
    }
  });
});

describe('a store that is damaged', () => {
  it('is not backed up, and what ends the process that reads it ends no other', async () => {
    const dataDir = await makeStore(2_000);
    const seed = seedOfRun();
    console.log(`damaged pages of a store: SEED=${seed}`);
    const random = new Random(seed);
    const file = path.join(dataDir, 'data.mdb');
    const whole = readFileSync(file);
    const codes: (number | null)[] = [];
    for (let round = 0; round < 5; round++) {
      const bytes = Buffer.from(whole);
      // All pages except the first two, which say where the others are.
      for (let i = 0; i < 40; i++) {
        const page = 2 + random.below(Math.floor(bytes.length / 8192) - 2);
        bytes.fill(random.below(256), page * 8192, page * 8192 + 64);
      }
      writeFileSync(file, bytes);
      const target = path.join(temporaryDirectory(), 'b');
      const ended = await runProgram(['backup', target, '--data-dir', dataDir]);
      expect([ended.signal, ended.stdout, existsSync(target)], `seed ${seed}`).toEqual([null, '', false]);
      expect(ended.stderr, `seed ${seed}`).toMatch(/^error: .*(inconsistent|cannot copy)/);
      codes.push(ended.code);
    }
    for (const code of codes) expect([1, 6], `seed ${seed}`).toContain(code);
  });
});

const ATTEMPTS_MAX = 3;

function importArgs(file: string, dataDir: string): string[] {
  return ['import', '-f', file, '--data-dir', dataDir, ...FLAGS];
}

/** An import that is killed as soon as something is there. */
async function killedImport(file: string, dataDir: string): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, ...importArgs(file, dataDir)]);
  const exited = new Promise((resolve) => child.on('close', resolve));
  while (child.exitCode === null && !hasData(dataDir)) await new Promise((resolve) => setTimeout(resolve, 5));
  child.kill('SIGKILL');
  await exited;
}

describe('an import', () => {
  it('that was killed goes on when it is made again', async () => {
    const source = await makeStore(20_000);
    const file = path.join(temporaryDirectory(), 'all.ndjson');
    const exported = ['export', 'persons', '-f', file, '--data-dir', source];
    expect(await runProgram(exported)).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8').split('\n').length - 1).toBe(20_000);
    let dataDir = '';
    let there = 20_000;
    // One that is not killed in time, because this process had to wait for its turn, shows nothing.
    for (let attempt = 0; attempt < ATTEMPTS_MAX && there === 20_000; attempt++) {
      dataDir = path.join(temporaryDirectory(), 'data');
      await killedImport(file, dataDir);
      there = await countIn(dataDir);
    }
    expect(there).toBeLessThan(20_000);
    const again = await runProgram(importArgs(file, dataDir));
    expect(again.code).toBe(0);
    const expected = there === 0 ? '20000 created\n' : `${20_000 - there} created, ${there} unchanged\n`;
    expect(again.stdout).toBe(expected);
    expect(await runProgram(['check', '--data-dir', dataDir, ...FLAGS])).toMatchObject({ code: 0 });
  });
});

function hasData(dataDir: string): boolean {
  try {
    return statSync(path.join(dataDir, 'data.mdb')).size > 2 * MiB;
  } catch {
    return false;
  }
}

describe('reindex', () => {
  it('works beside a daemon, which answers as before', async () => {
    const dataDir = path.join(temporaryDirectory(), 'data');
    const daemon = await startDaemonProcess({ dataDir, plugins: PLUGINS });
    const list = `${PERSONS}?fieldSelector=spec.tags%3Dchess&sort=spec.age`;
    const before = (await daemon.get(list)).json();
    const done = await runProgram(['reindex', 'persons', '--data-dir', dataDir, ...FLAGS]);
    expect(done.code).toBe(0);
    expect(done.stdout).toMatch(/^persons reindexed: 3 objects/);
    expect((await daemon.get(list)).json()).toEqual(before);
    expect(
      (await daemon.send('POST', PERSONS, { body: person('new', { tags: ['chess'], age: 1 }) })).status,
    ).toBe(201);
    expect((await daemon.get(list)).json().total).toBe(3);
    await daemon.stop();
    expect(await runProgram(['check', '--data-dir', dataDir, ...FLAGS])).toMatchObject({ code: 0 });
  });

  it('tells of models without their plugin, and makes no store', async () => {
    const dataDir = await makeStore(1);
    const bare = ['--data-dir', dataDir, '--plugins', temporaryDirectory()];
    const all = await runProgram(['reindex', ...bare]);
    expect(all).toMatchObject({ code: 0 });
    expect(all.stderr).toContain('persons not reindexed: the plugin that declares Person is not loaded');
    expect(await runProgram(['reindex', 'persons', ...bare])).toMatchObject({ code: 6 });
    const cwd = temporaryDirectory();
    const missing = await runProgram(['reindex', '--data-dir', path.join(cwd, 'nowhere'), ...FLAGS]);
    expect(missing).toMatchObject({ code: 6, stdout: '' });
    expect(readdirSync(cwd)).toEqual([]);
  });
});

/** A small separate file system; undefined when this user may not mount one. */
function mountSmall(bytes: number): string | undefined {
  const directory = path.join(temporaryDirectory(), 'disk');
  mkdirSync(directory);
  const options = ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', directory];
  if (process.getuid?.() !== 0 || spawnSync('mount', options).status !== 0) return undefined;
  mounted.push(directory);
  return directory;
}
