/**
 * Measures how long a list of all objects blocks the event loop of a daemon, while one client reads it over HTTP: the
 * longest hold of each list, and how much of it the daemon ran, collected garbage and waited for a processor that
 * others used. For root, also how much of it a processor stood still, as a virtual one does; then the longest hold
 * without the time that a processor stood still. Beside it, the same for a plain server that works a millisecond at a
 * time. Linux only. Needs `npm run build`.
 *
 * Usage: node test/bench/long-lists.mjs [count=1000000] [rounds=3] [cold]
 * With `cold`, each list is the first of its process, and the system has forgotten the store's file, so that all of it
 * comes from the disk.
 */
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ITEMS_PATH, ITEMS_PLUGIN } from './items.mjs';
import { watchPauses } from './pauses.mjs';
import { formatMs, formatTable, quantile } from './timing.mjs';

const count = Number(process.argv[2] ?? 1_000_000);
const rounds = Number(process.argv[3] ?? 3);
const isCold = process.argv[4] === 'cold';

const BIN = new URL('../../bin/xsvc.js', import.meta.url).pathname;
const MAKE_STORE = new URL('items-store.mjs', import.meta.url).pathname;
const PLAIN = new URL('plain-turns.mjs', import.meta.url).pathname;
const PROBE = new URL('loop-probe.mjs', import.meta.url).href;
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

/** A virtual machine gives memory that became free back to its host, which slows all processes down meanwhile. */
const SETTLE_MS = 20_000;

const LISTS = [
  { title: 'by name' },
  { title: 'by one field', query: 'sort=spec.time,asc' },
  { title: 'by one field, downwards', query: 'sort=spec.time,desc' },
  { title: 'all but one section, by name', query: 'fieldSelector=spec.section!=section-7' },
  { title: 'by two fields, five values in the first', query: 'sort=spec.priority,asc&sort=spec.time,asc' },
  { title: 'by two fields, two values in the first', query: 'sort=spec.active,desc&sort=spec.owner,asc' },
  { title: 'by three fields', query: 'sort=spec.active,asc&sort=spec.priority,desc&sort=spec.size,desc' },
  { title: 'by when deletion was asked for', query: 'sort=metadata.deletionTimestamp,asc' },
  { title: 'as a Table, by one field', query: 'sort=spec.time,asc', accept: TABLE },
  { title: 'as YAML, by name', accept: 'application/yaml' },
];

const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
const FLAGS = ['--port', '0', '--data-dir', directory, '--plugins', ITEMS_PLUGIN, '--log-level', 'warn'];
const SERVE = [BIN, 'serve', ...FLAGS];
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
// In a separate process: this one reads the lists and must not have much garbage to collect meanwhile.
execFileSync(process.execPath, [MAKE_STORE, directory, String(count)]);
const lists = LISTS.map((list) => ({ ...list, path: `${ITEMS_PATH}?${list.query ?? ''}`, holds: [] }));
const pauses = watchPauses();
const plain = { title: 'a plain server', path: `/?bytes=${count * 650}`, holds: [] };
for (let round = 0; round < rounds; round++) {
  for (const together of isCold ? lists.map((list) => [list]) : [lists]) await measure(SERVE, together);
  await measure([PLAIN], [plain]);
}
pauses?.stop();
report([...lists, plain]);

async function measure([program, ...args], answers) {
  if (isCold) await forget(path.join(directory, 'data.mdb'));
  const child = fork(program, args, {
    execArgv: ['--import', PROBE],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const [line] = await once(child.stdout, 'data');
  const url = /http:\/\/[^\s/]+/.exec(String(line))[0];
  // The first request of a process pays for code that never ran before.
  await read(`${url}${ITEMS_PATH}?size=1&bytes=1`, 'application/json');
  for (const { path: wanted, accept = 'application/json', holds } of answers) {
    child.send('begin');
    const began = performance.now();
    await read(`${url}${wanted}`, accept);
    const seconds = (performance.now() - began) / 1000;
    child.send('end');
    const [longest] = await once(child, 'message');
    // The pauses of the machine until now are still on their way from the witnesses.
    await after(50);
    const pausedMs = longest.map(({ from, to }) => pauses?.within(from, to) ?? NaN);
    const ownMs = Math.max(...longest.map(({ ms }, i) => ms - pausedMs[i]));
    holds.push({ ...longest[0], pausedMs: pausedMs[0], ownMs, seconds });
  }
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** Makes the system forget what it keeps of a file that no process has open. */
async function forget(file) {
  execFileSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0'], { stdio: 'ignore' });
  await after(SETTLE_MS);
}

function read(url, accept) {
  return new Promise((resolve, reject) => {
    get(url, { agent: false, headers: { accept } }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${answer.statusCode} for ${url}`));
      answer.on('error', reject).on('end', resolve).resume();
    }).on('error', reject);
  });
}

function report(answers) {
  console.log(
    `${count} objects, ${rounds} rounds${isCold ? ', read from the disk' : ''}: longest hold in ms`,
  );
  const head = [
    '',
    'median',
    'highest',
    'it ran',
    'garbage',
    'waited',
    'stood still',
    'own median',
    'own highest',
    'seconds',
  ];
  const rows = answers.map(({ title, holds }) => {
    const [highest] = holds.toSorted((a, b) => b.ms - a.ms);
    const { ms, ranMs, collectedMs, waitedMs, pausedMs } = highest;
    const own = [middle(holds, 'ownMs'), Math.max(...holds.map(({ ownMs }) => ownMs))];
    const times = [middle(holds, 'ms'), ms, ranMs, collectedMs, waitedMs, pausedMs, ...own];
    const cells = times.map((one) => (Number.isNaN(one) ? '?' : formatMs(one)));
    return [title, ...cells, middle(holds, 'seconds').toFixed(1)];
  });
  console.log(formatTable([head, ...rows]));
}

function middle(holds, key) {
  return quantile(
    holds.map((hold) => hold[key]),
    0.5,
  );
}
