import { spawn, spawnSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { killDaemons, PROGRAM, runProgram, startDaemonProcess } from '../../helpers/daemon.js';
import { BEFORE, putDesk, RENAMED, tickets } from '../../helpers/desk.js';
import { Random, seedOfRun } from '../../helpers/seed.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

afterEach(killDaemons);
afterAll(removeDirectories);

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;
const KILLS = 30;
const OBJECTS = 4_000;
/** Minimum time that the program takes before it has opened the store. */
const START_MS = 300;

let cwd = '';
let FLAGS: readonly string[] = [];

/** A store of tickets of the first version. */
beforeEach(async () => {
  cwd = temporaryDirectory();
  FLAGS = ['--data-dir', path.join(cwd, 'data'), '--plugins', path.join(cwd, 'plugins', 'desk')];
  await putDesk(cwd, BEFORE);
  const file = path.join(cwd, 'tickets.ndjson');
  writeFileSync(file, `${tickets(OBJECTS, (i) => ({ subject: `s${i}` }))}\n`);
  expect(await runProgram(['import', '-f', file, ...FLAGS])).toMatchObject({ code: 0 });
});

/** Migrations that each count once more: an object that goes through one twice is seen. */
function declare(migrations: number): Promise<void> {
  const each = Array.from(
    { length: migrations },
    (_, i) => `{ id: 'm${i}', up: (t) => ({ ...t, spec: { ...t.spec, count: (t.spec.count ?? 0) + 1 } }) }`,
  );
  return putDesk(cwd, {
    ...RENAMED,
    options: RENAMED.options.replace(/}$/, `, migrations: [${each.join(', ')}] }`),
  });
}

/** @param killAfterMs undefined to let it end */
async function migrate(killAfterMs?: number): Promise<{ isKilled: boolean; ms: number; err: string }> {
  const began = performance.now();
  const child = spawn(process.execPath, [PROGRAM, 'model', 'migrate', 'Ticket', ...FLAGS]);
  let err = '';
  child.stdout.resume();
  child.stderr.on('data', (part: Buffer) => (err += String(part)));
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.on('close', (...ended) => resolve(ended)),
  );
  clearTimeout(timer);
  if (signal === null) expect({ code, err }).toEqual({ code: 0, err: '' });
  return { isKilled: signal !== null, ms: performance.now() - began, err };
}

it(`takes each object through a migration once, however often it is killed`, async () => {
  const random = new Random(seedOfRun());
  console.info(`SEED=${random.seed}`);
  let declared = 1;
  await declare(declared);
  const { ms } = await migrate();
  for (let kills = 0, ended = true; kills < KILLS;) {
    if (ended) await declare(++declared);
    const { isKilled } = await migrate(START_MS + random.next() * (ms - START_MS));
    ended = !isKilled;
    if (isKilled) kills++;
  }
  await migrate();
  await expectCount(declared);
});

it.skipIf(!hasPrlimit)(
  'goes on when a disk that was full has room again',
  async () => {
    await declare(1);
    const { size } = statSync(path.join(cwd, 'data', 'data.mdb'));
    const wrapper = ['prlimit', `--fsize=${size + 512 * 1024}:unlimited`];
    const full = await runProgram(['model', 'migrate', ...FLAGS], { wrapper });
    expect(full).toMatchObject({ code: 6 });
    expect(full.stderr).toMatch(/cannot write to the store/);
    const { stdout } = await runProgram(['model', 'list', ...FLAGS]);
    expect(stdout).toMatch(/ v1=[1-9]\d*/);
    await migrate();
    await expectCount(1);
  },
  60_000,
);

it('is left to the daemon that serves the model', async () => {
  await declare(1);
  const plugins = [path.join(cwd, 'plugins', 'desk')];
  const daemon = await startDaemonProcess({ dataDir: path.join(cwd, 'data'), plugins });
  await declare(2);
  const refused = await runProgram(['model', 'migrate', 'Ticket', ...FLAGS]);
  expect(refused).toMatchObject({ code: 6 });
  expect(refused.stderr).toContain(`process ${daemon.pid} on `);
  expect(await runProgram(['model', 'plan', ...FLAGS])).toMatchObject({ code: 10 });
  expect(await runProgram(['model', 'drop', 'Ticket', '--yes', ...FLAGS])).toMatchObject({ code: 6 });
  await daemon.stop();
  await migrate();
  await expectCount(2);
});

it('the models are listed when a daemon was killed', async () => {
  const plugins = [path.join(cwd, 'plugins', 'desk')];
  const daemon = await startDaemonProcess({ dataDir: path.join(cwd, 'data'), plugins });
  daemon.signal('SIGKILL');
  await daemon.exited;
  await putDesk(cwd, RENAMED);
  const { stdout, stderr } = await runProgram(['model', 'list', ...FLAGS]);
  expect(stderr).toBe('');
  expect(stdout).toMatch(/Ticket +v1,v1alpha1 +v1alpha1=4000 +desk +4000 +0$/m);
});

async function expectCount(count: number): Promise<void> {
  const listed = await runProgram(['get', 'tickets', '-o', 'jsonpath={.items[*].spec.count}', ...FLAGS]);
  const counts = listed.stdout.trim().split(' ');
  expect(counts).toHaveLength(OBJECTS);
  expect(new Set(counts)).toEqual(new Set([String(count)]));
  expect(await runProgram(['check', '--schema', ...FLAGS])).toMatchObject({ code: 0 });
}
