import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import {
  FIXTURE_PLUGINS,
  killDaemons,
  PROGRAM,
  runProgram,
  startDaemonProcess,
} from '../../helpers/daemon.js';
import { openRootToRead } from '../../../src/engines/lmdb/open-root.js';
import { PERSON, Person } from '../../helpers/models.js';
import { openTestService, removeDirectories, temporaryDirectory } from '../../helpers/store.js';

afterEach(killDaemons);
afterAll(removeDirectories);

const newDataDir = (): string => path.join(temporaryDirectory(), 'data');

describe('a plugin that ends the process', () => {
  const plugins = ['--plugins', path.join(FIXTURE_PLUGINS, 'exits')];

  it.each([
    ['a command', ['openapi']],
    ['the daemon', ['serve', '--port', '0']],
  ])('makes %s end with 1 and its name, and what it printed is not among the data', async (_, command) => {
    const exit = await runProgram([...command, '--data-dir', newDataDir(), ...plugins]);
    expect(exit).toMatchObject({ code: 1, signal: null, stdout: '' });
    expect(exit.stderr).toMatch(/about to leave/);
    expect(exit.stderr).toMatch(/error: plugin "exits" exited the program before it was done/);
  });
});

describe('a daemon with a thread that waits for a device', () => {
  it('ends in order, and then by the signal', async () => {
    const plugin = temporaryDirectory();
    writePlugin(plugin, `readFile(${JSON.stringify(makeFifo())}, () => undefined)`);
    const daemon = await startDaemonProcess({ dataDir: newDataDir(), plugins: [plugin] });
    expect(await daemon.stop()).toEqual({ code: null, signal: 'SIGTERM' });
    expect(daemon.output.stderr).toContain('stopping');
  });
});

describe('a command whose output nobody reads', () => {
  it.each([
    ['get persons -o json'],
    ['get persons -o custom-columns=NAME:.metadata.name,TEXT:.spec.nickname'],
    ['export persons'],
  ])('holds nothing of the store meanwhile: %s', async (command) => {
    const dataDir = newDataDir();
    await storePersons(dataDir);
    const args = [PROGRAM, ...command.split(' '), '--data-dir', dataDir];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      await once(child.stdout, 'readable');
      // Long enough for it to fill the pipe and to wait.
      await sleep(1_000);
      await expect.poll(() => isPinnedBy(child.pid, dataDir)).toBe(false);
      expect(child.exitCode).toBeNull();
      let text = '';
      child.stdout.on('data', (part) => (text += String(part)));
      expect(await once(child, 'close')).toEqual([0, null]);
      for (const name of ['p0', `p${PERSONS - 1}`]) expect(text).toContain(name);
    } finally {
      child.kill('SIGKILL');
    }
  });
});

describe('a store that this user may not read', () => {
  it.skipIf(process.getuid?.() !== 0)('is not taken for one that is not there', async () => {
    const dataDir = newDataDir();
    await storePersons(dataDir);
    const nobody = 65_534;
    const child = spawn(process.execPath, [PROGRAM, 'get', 'persons', '--data-dir', dataDir], {
      uid: nobody,
      gid: nobody,
      cwd: '/',
      // The home of root may not be readable either.
      env: { ...process.env, HOME: '/nonexistent' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (part) => (said += String(part)));
    expect(await once(child, 'close')).toEqual([6, null]);
    expect(said).toMatch(/EACCES.*run this as the user of the service/);
    expect(said).not.toMatch(/no store/);
  });
});

describe('the log of a daemon', () => {
  it('has the console output of plugins, as lines of its format', async () => {
    const plugin = temporaryDirectory();
    writePlugin(plugin, `console.warn('%s of %d', 'one', 2)`);
    const daemon = await startDaemonProcess({ dataDir: newDataDir(), plugins: [plugin] });
    await daemon.stop();
    const lines = daemon.output.stderr.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toContainEqual(
      expect.objectContaining({ level: 40, msg: 'one of 2' }),
    );
  });
});

describe('a daemon whose data directory is taken away', () => {
  it('is not ready and refuses writes until it is back', async () => {
    const dataDir = newDataDir();
    const plugin = temporaryDirectory();
    writePlugin(plugin, '0');
    const daemon = await startDaemonProcess({ dataDir, plugins: [plugin] });
    execFileSync('mv', [dataDir, `${dataDir}.away`]);
    const ready = await daemon.get('/readyz');
    expect([ready.status, ready.json().message]).toEqual([503, expect.stringMatching(/data\.mdb is gone/)]);
    const users = '/apis/access.platform.run/v1alpha1/users';
    const create = () => daemon.send('POST', users, { body: { metadata: { name: 'ada' } } });
    expect((await create()).status).toBe(503);
    expect((await daemon.get(users)).json().total).toBe(0);
    execFileSync('mv', [`${dataDir}.away`, dataDir]);
    // Its lease may have failed meanwhile, which the next look at it mends.
    await expect.poll(async () => (await daemon.get('/readyz')).text).toBe('ok');
    expect((await create()).status).toBe(201);
    expect(await daemon.stop()).toEqual({ code: 0, signal: null });
    expect(readFileSync(path.join(dataDir, 'data.mdb')).length).toBeGreaterThan(0);
  });
});

/** Too many for a pipe, and for one read of the program. */
const PERSONS = 3_000;

async function storePersons(directory: string): Promise<void> {
  const t = await openTestService(directory);
  await t.register(Person);
  const items = Array.from({ length: PERSONS }, (_, i) => {
    const spec = { name: `p${i}`, nickname: 'x'.repeat(500) };
    return { verb: 'create' as const, resource: PERSON, object: { metadata: { name: `p${i}` }, spec } };
  });
  await t.service.batch(items);
  await t.close();
}

/** True when a process holds old pages of the store: its reader then has the number of a transaction. */
async function isPinnedBy(pid: number | undefined, directory: string): Promise<boolean> {
  const db = await openRootToRead(directory);
  try {
    return db
      .readerList()
      .split('\n')
      .some((line) => line.trim().startsWith(`${pid} `) && !/ -\s*$/.test(line));
  } finally {
    await db.close();
  }
}

function makeFifo(): string {
  const fifo = path.join(temporaryDirectory(), 'fifo');
  execFileSync('mkfifo', [fifo]);
  return fifo;
}

function writePlugin(directory: string, atStart: string): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(
    path.join(directory, 'plugin.yaml'),
    'apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: {name: odd}\nspec: {version: 1.0.0}\n',
  );
  const code = `
    import { readFile } from 'node:fs';
    import { BasePlugin } from 'xsvc';
    export default class extends BasePlugin {
      start() { ${atStart}; }
    }`;
  writeFileSync(path.join(directory, 'index.js'), code);
}

describe('validate of the objects that a plugin declares', () => {
  it('prints the errors of a start', async () => {
    const plugin = temporaryDirectory();
    writePlugin(plugin, '0');
    const extensions = path.join(plugin, 'extensions');
    mkdirSync(extensions);
    writeFileSync(
      path.join(extensions, 'binding.yaml'),
      'apiVersion: access.platform.run/v1alpha1\nkind: RoleBinding\nmetadata: {name: all}\n' +
        'roleRef: {kind: Role, name: admin}\nsubjects: [{kind: User, name: ada}]\n',
    );
    const why = /binding\.yaml:4: roleRef\.name: a plugin may bind only roles that it declares itself/;
    const validated = await runProgram(['validate', '-f', extensions, '--plugins', plugin]);
    expect([validated.code, validated.stderr]).toEqual([5, expect.stringMatching(why)]);
    const flags = ['--port', '0', '--data-dir', newDataDir(), '--plugins', plugin, '--strict'];
    const served = await runProgram(['serve', ...flags]);
    expect([served.code, served.stderr]).toEqual([1, expect.stringMatching(why)]);
  });
});
