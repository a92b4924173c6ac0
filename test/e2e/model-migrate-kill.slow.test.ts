import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { PROGRAM, runProgram } from '../helpers/daemon.js';
import { BEFORE, putDesk, RENAMED, tickets } from '../helpers/desk.js';
import { Random, seedOfRun } from '../helpers/seed.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterAll(removeDirectories);

const KILLS = 30;
const OBJECTS = 4_000;
/** How long the program takes before it has opened the store, at least. */
const START_MS = 300;

const cwd = temporaryDirectory();
const FLAGS = ['--data-dir', path.join(cwd, 'data'), '--plugins', path.join(cwd, 'plugins', 'desk')];

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
  await putDesk(cwd, BEFORE);
  const file = path.join(cwd, 'tickets.ndjson');
  writeFileSync(file, `${tickets(OBJECTS, (i) => ({ subject: `s${i}` }))}\n`);
  expect(await runProgram(['import', '-f', file, ...FLAGS])).toMatchObject({ code: 0 });
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
  const listed = await runProgram(['get', 'tickets', '-o', 'jsonpath={.items[*].spec.count}', ...FLAGS]);
  const counts = listed.stdout.trim().split(' ');
  expect(counts).toHaveLength(OBJECTS);
  expect(new Set(counts)).toEqual(new Set([String(declared)]));
  expect(await runProgram(['check', '--schema', ...FLAGS])).toMatchObject({ code: 0 });
}, 600_000);
