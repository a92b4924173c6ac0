import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { killDaemons, PROGRAM, runProgram, startDaemonProcess } from '../../helpers/daemon.js';
import { FIRST, putDesk, SECOND, tickets, type DeskOptions } from '../../helpers/desk.js';
import { Random, seedOfRun } from '../../helpers/seed.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

afterEach(killDaemons);
afterAll(removeDirectories);

const KILLS = 20;
const OBJECTS = 3_000;
/** Minimum time that the program takes before it has opened the store. */
const START_MS = 300;

/** An object that goes twice through one of them, in either direction, is seen. */
const TITLE = `{ id: 'title',
  up: ({ spec: { subject, ...rest } }) => {
    if (typeof subject !== 'string') throw new Error('no subject');
    return { spec: { title: subject, ...rest } };
  },
  down: ({ spec: { title, ...rest } }) => {
    if (typeof title !== 'string') throw new Error('no title');
    return { spec: { subject: title, ...rest } };
  } }`;
const COUNT = `{ id: 'count',
  up: (t) => ({ ...t, spec: { ...t.spec, count: t.spec.count + 1 } }),
  down: (t) => ({ ...t, spec: { ...t.spec, count: t.spec.count - 1 } }) }`;
const BY_TITLE = `specs.add(IndexSpecs.single('spec.title', 'string').indexFunc((t) => t.spec.title.toLowerCase()));`;
const BY_SUBJECT = BY_TITLE.replaceAll('title', 'subject');
const BEFORE: DeskOptions = { spec: FIRST, indexes: BY_SUBJECT };
const AFTER: DeskOptions = {
  spec: SECOND,
  indexes: BY_TITLE,
  options: `{ migrations: [${TITLE}, ${COUNT}] }`,
};

let cwd = '';
let FLAGS: readonly string[] = [];

beforeEach(async () => {
  cwd = temporaryDirectory();
  FLAGS = ['--data-dir', path.join(cwd, 'data'), '--plugins', path.join(cwd, 'plugins', 'desk')];
  await putDesk(cwd, BEFORE);
  const file = path.join(cwd, 'tickets.ndjson');
  writeFileSync(file, `${tickets(OBJECTS, (i) => ({ subject: `s${i}`, count: 0 }), 'v1')}\n`);
  expect(await runProgram(['import', '-f', file, ...FLAGS])).toMatchObject({ code: 0 });
  await putDesk(cwd, AFTER);
  await run(['model', 'migrate', 'Ticket']);
});

const BACK = ['model', 'rollback', 'Ticket', '--to', 'none'];
const FORTH = ['model', 'migrate', 'Ticket'];

/** @param killAfterMs undefined to let it end */
async function run(
  command: readonly string[],
  killAfterMs?: number,
): Promise<{ readonly isKilled: boolean; readonly ms: number }> {
  const began = performance.now();
  const child = spawn(process.execPath, [PROGRAM, ...command, ...FLAGS]);
  let err = '';
  child.stdout.resume();
  child.stderr.on('data', (part: Buffer) => (err += String(part)));
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.on('close', (...ended) => resolve(ended)),
  );
  clearTimeout(timer);
  if (signal === null) expect({ code, err }).toEqual({ code: 0, err: '' });
  return { isKilled: signal !== null, ms: performance.now() - began };
}

it('undoes the migrations of each object once, however often it is killed, in whatever direction it goes on', async () => {
  const random = new Random(seedOfRun());
  console.info(`SEED=${random.seed}`);
  const { ms } = await run(BACK);
  await run(FORTH);
  let named = 0;
  for (let kills = 0; kills < KILLS;) {
    const command = random.next() < 0.6 ? BACK : FORTH;
    const { isKilled } = await run(command, START_MS + random.next() * (ms - START_MS));
    if (!isKilled) continue;
    kills++;
    const { stderr } = await runProgram(['get', 'tickets', '-o', 'name', ...FLAGS]);
    if (stderr.includes('the rollback of Ticket to "none" was interrupted; run `xsvc model rollback'))
      named++;
  }
  expect(named).toBeGreaterThan(0);
  await run(FORTH);
  await expectAll('title', 1);
  await run(BACK);
  await putDesk(cwd, BEFORE);
  await run(FORTH);
  await expectAll('subject', 0);
});

it('is finished before the older release starts', async () => {
  const { ms } = await run(BACK);
  const older = { dataDir: path.join(cwd, 'data'), plugins: [path.join(cwd, 'plugins', 'desk')] };
  for (let killAfterMs = ms; ; killAfterMs -= ms / 20) {
    await putDesk(cwd, AFTER);
    await run(FORTH);
    await run(BACK, killAfterMs);
    await putDesk(cwd, BEFORE);
    const { stderr } = await runProgram([...FORTH, ...FLAGS]);
    if (!stderr.includes('the rollback of Ticket to "none" was interrupted before')) {
      if (killAfterMs < START_MS) throw new Error('no rollback was interrupted');
      continue;
    }
    expect(stderr).toContain('finish it with `xsvc model rollback Ticket --to none`');
    break;
  }
  await putDesk(cwd, AFTER);
  await run(BACK);
  await putDesk(cwd, BEFORE);
  const daemon = await startDaemonProcess(older);
  await expectAll('subject', 0, ['--server', daemon.url]);
  await daemon.stop();
});

it('is refused while a daemon serves the model', async () => {
  const plugins = [path.join(cwd, 'plugins', 'desk')];
  const daemon = await startDaemonProcess({ dataDir: path.join(cwd, 'data'), plugins });
  const refused = await runProgram([...BACK, ...FLAGS]);
  expect(refused).toMatchObject({ code: 6 });
  expect(refused.stderr).toContain(`process ${daemon.pid} on `);
  expect(await runProgram([...BACK, '--dry-run', ...FLAGS])).toMatchObject({ code: 0 });
  await expectAll('title', 1, ['--server', daemon.url]);
  await daemon.stop();
});

it('runs on a restored copy while a daemon serves the original store', async () => {
  const plugins = [path.join(cwd, 'plugins', 'desk')];
  const daemon = await startDaemonProcess({ dataDir: path.join(cwd, 'data'), plugins });
  const [backup, copy] = [path.join(cwd, 'backup'), path.join(cwd, 'drill')];
  expect(await runProgram(['backup', backup, '--data-dir', path.join(cwd, 'data')])).toMatchObject({
    code: 0,
  });
  expect(await runProgram(['restore', backup, '--data-dir', copy])).toMatchObject({ code: 0, stderr: '' });
  const onCopy = ['--data-dir', copy, ...FLAGS.slice(2)];
  expect(await runProgram([...BACK, ...onCopy])).toMatchObject({ code: 0 });
  expect(await runProgram([...FORTH, ...onCopy])).toMatchObject({ code: 0 });
  await expectAll('title', 1, onCopy);
  const drill = await startDaemonProcess({ dataDir: copy, plugins });
  await expectAll('title', 1, ['--server', drill.url]);
  await drill.stop();
  const refused = await runProgram([...BACK, ...FLAGS]);
  expect(refused).toMatchObject({ code: 6 });
  expect(refused.stderr).toContain(`process ${daemon.pid} on `);
  await daemon.stop();
});

async function expectAll(field: string, count: number, where: readonly string[] = FLAGS): Promise<void> {
  const template = `jsonpath={range .items[*]}{.spec.count}{.spec.${field}} {end}`;
  const { stdout } = await runProgram(['get', 'tickets', '-o', template, ...where]);
  const found = stdout.trim().split(' ');
  expect(new Set(found)).toEqual(new Set(Array.from({ length: OBJECTS }, (_, i) => `${count}s${i}`)));
  expect(found).toHaveLength(OBJECTS);
  const one = await runProgram([
    'get',
    'tickets',
    '--field-selector',
    `spec.${field}=s7`,
    '-o',
    'name',
    ...where,
  ]);
  expect(one.stdout).toBe('tickets/t-7\n');
  if (where === FLAGS) expect(await runProgram(['check', '--schema', ...FLAGS])).toMatchObject({ code: 0 });
}
