/**
 * Watching over HTTP: how soon a watcher hears of a write, how many watchers one daemon serves, what they cost when
 * nothing happens. Needs `npm run build`.
 * Usage: node test/bench/watch.mjs [writes=1000] [watchers=1000] [events=200] [idleSeconds=20]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { cpuMicros } from './cpu.mjs';
import { startDaemon } from './daemon.mjs';
import { openPluginService } from './plugin-service.mjs';
import { formatMs, formatTable, inMiB, quantile } from './timing.mjs';

const [writes, watchers, events, idleSeconds] = [1_000, 1_000, 200, 20].map((usual, i) =>
  Number(process.argv[2 + i] ?? usual),
);
const PLUGIN = new URL('../../plugins/person', import.meta.url).pathname;
const PERSONS = '/apis/demo.example.com/v1alpha1/persons';
const spec = { name: 'Ann', age: 30, gender: 'FEMALE', tags: ['a', 'b'] };
const agent = new Agent({ keepAlive: true });

const dataDir = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
const daemon = await startDaemon(dataDir, { plugins: PLUGIN, core: undefined });
try {
  await idle('no watcher');
  await latencies();
  await fanOut();
} finally {
  agent.destroy();
  await daemon.stop();
  rmSync(dataDir, { recursive: true });
}

/** Opens a watch that calls back with each piece of text. @returns ends it */
async function watch(query, onText) {
  const sent = request(`${daemon.url}${PERSONS}?watch=true${query}`, { agent: false });
  sent.end();
  const answer = await new Promise((resolve, reject) => {
    sent.once('response', resolve);
    sent.once('error', reject);
  });
  sent.on('error', () => undefined);
  answer.on('error', () => undefined);
  answer.on('data', onText);
  return () => sent.destroy();
}

async function revision() {
  const answer = await fetch(`${daemon.url}${PERSONS}?size=1`);
  return (await answer.json()).metadata.resourceVersion;
}

/** Creates the name again each time. Resolves with the status. */
function post(name) {
  const body = JSON.stringify({ metadata: { name }, spec });
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = request(`${daemon.url}${PERSONS}`, { method: 'POST', agent, headers }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode));
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

async function latencies() {
  const heard = new Map();
  const stop = await watch(`&resourceVersion=${await revision()}`, (text) => {
    const now = performance.now();
    for (const [, name] of String(text).matchAll(/"name":"(lat-[^"]+)"/g)) heard.set(name, now);
  });
  const { service, find, close } = await openPluginService(dataDir, PLUGIN);
  const persons = find('persons');
  const rows = [['', 'p50', 'p99', 'of']];
  const cases = {
    'write on the same daemon: from its request': async (name) => {
      const began = performance.now();
      await post(name);
      return began;
    },
    'write on the same daemon: from its answer': async (name) => {
      await post(name);
      return performance.now();
    },
    'write by a process on the same store: from its commit': async (name) => {
      await service.create(persons, { metadata: { name }, spec });
      return performance.now();
    },
  };
  for (const [i, [title, write]] of Object.entries(cases).entries()) {
    const times = [];
    for (let n = 0; n < writes; n++) {
      const name = `lat-${i}-${n}`;
      const from = await write(name);
      while (!heard.has(name)) await nextTurn();
      // The event may be here before the answer.
      times.push(Math.max(0, heard.get(name) - from));
    }
    rows.push([title, ...[0.5, 0.99].map((part) => formatMs(quantile(times, part))), String(times.length)]);
  }
  await close();
  stop();
  console.log('milliseconds until a watcher hears of a write:');
  console.log(formatTable(rows));
}

async function fanOut() {
  const own = daemon.ownBytes();
  const from = await revision();
  let lines = 0;
  const onText = (text) => {
    for (const byte of text) if (byte === 0x0a) lines++;
  };
  const stops = [];
  while (stops.length < watchers) stops.push(await watch(`&resourceVersion=${from}`, onText));
  await sleep(1_000);
  const perWatcher = (daemon.ownBytes() - own) / watchers;
  await idle(`${watchers} watchers`);
  lines = 0;
  const began = performance.now();
  for (let n = 0; n < events; n++) await post(`fan-${n}`);
  // Empty lines may be among them; they do not matter at this rate.
  while (lines < events * watchers) await sleep(5);
  const seconds = (performance.now() - began) / 1000;
  const rate = (events * watchers) / seconds;
  console.log(
    `${watchers} watchers on one model: ${rate.toFixed(0)} events delivered per second ` +
      `(${(events / seconds).toFixed(0)} writes per second), ${(perWatcher / 1024).toFixed(1)} KiB a watcher, ` +
      `${inMiB(daemon.ownBytes())} in all`,
  );
  for (const stop of stops) stop();
}

/** Processor time of the daemon while nothing happens. */
async function idle(title) {
  const before = cpuMicros(daemon.pid);
  await sleep(idleSeconds * 1000);
  const percent = ((cpuMicros(daemon.pid) - before) / 1e6 / idleSeconds) * 100;
  console.log(`idle with ${title}: ${percent.toFixed(2)} % of one processor`);
}
