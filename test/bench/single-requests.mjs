/**
 * Measures how long one request of at most 1 MiB blocks the event loop of a daemon: of each, the longest hold with
 * how much of it the daemon ran (on a shared machine it also waits), and the processor time of the event loop's
 * thread in all. Medians of the rounds. Linux only. Needs `npm run build`.
 *
 * Usage: node test/bench/single-requests.mjs [rounds=3] [part of a title]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CASES, FIRST } from './single-requests-cases.mjs';
import { formatMs, formatTable, quantile } from './timing.mjs';

const rounds = Number(process.argv[2] ?? 3);
const part = process.argv[3] ?? '';

const BIN = new URL('../../bin/xsvc.js', import.meta.url).pathname;
const PROBE = new URL('loop-probe.mjs', import.meta.url).href;
const PLUGIN = new URL('thing-plugin', import.meta.url).pathname;

const cases = CASES.filter(({ title }) => title.includes(part)).map((one) => ({ ...one, seen: [] }));
for (let round = 0; round < rounds; round++) await measure(round);
report();

async function measure(round) {
  const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
  const flags = ['--port', '0', '--data-dir', directory, '--plugins', PLUGIN, '--log-level', 'warn'];
  const child = fork(BIN, ['serve', ...flags], {
    execArgv: ['--import', PROBE],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const [line] = await once(child.stdout, 'data');
  const url = /http:\/\/[^\s/]+/.exec(String(line))[0];
  const agent = new Agent({ keepAlive: true });
  // Each twice: the first request of its kind pays for code that never ran before.
  for (const first of FIRST) await send(url, agent, { ...first, method: 'POST' });
  for (const { seen, ...one } of cases) {
    // No two rounds may write the same, which would store nothing.
    const fresh = (turn) => ({ ...one, body: one.body?.replaceAll('@', String(2 * round + turn)) });
    await send(url, agent, fresh(0));
    child.send('begin');
    const before = ranMs(child.pid);
    const status = await send(url, agent, fresh(1));
    const cpuMs = ranMs(child.pid) - before;
    child.send('end');
    const [longest] = await once(child, 'message');
    seen.push({ status, cpuMs, holdMs: longest[0]?.ms ?? 0, ranMs: longest[0]?.ranMs ?? 0 });
  }
  agent.destroy();
  child.kill('SIGTERM');
  await once(child, 'exit');
  rmSync(directory, { recursive: true, force: true });
}

/** Processor time of a process' first thread, which has the event loop. */
function ranMs(pid) {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

function send(url, agent, { method, path: target, body, type = 'application/json', accept = '*/*' }) {
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const headers = { accept, ...(bytes && { 'content-type': type, 'content-length': bytes.length }) };
  return new Promise((resolve, reject) => {
    const sent = request(url + target, { agent, method, headers }, (answer) => {
      answer
        .on('error', reject)
        .on('end', () => resolve(answer.statusCode))
        .resume();
    });
    sent.on('error', reject).end(bytes);
  });
}

function report() {
  const head = ['', 'code', 'bytes', 'longest hold', 'it ran', 'processor in all'];
  const rows = cases.map(({ title, path: target, body, seen }) => {
    const middle = (key) =>
      formatMs(
        quantile(
          seen.map((one) => one[key]),
          0.5,
        ),
      );
    const bytes = String(body?.length ?? target.length);
    return [title, String(seen[0].status), bytes, middle('holdMs'), middle('ranMs'), middle('cpuMs')];
  });
  console.log(`${rounds} rounds, medians in ms`);
  console.log(formatTable([head, ...rows]));
}
