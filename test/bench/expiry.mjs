/**
 * Measures the deletion of objects that all expire at one time, and reads of other objects beside it: the time from each
 * planned request to its answer, two milliseconds apart. Needs `npm run build`, taskset and two cores.
 * Usage: node test/bench/expiry.mjs [objects=100000]
 */
import { Agent, request } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuMicros } from './cpu.mjs';
import { startDaemon } from './daemon.mjs';
import { formatMs, formatTable, quantile } from './timing.mjs';

const count = Number(process.argv[2] ?? 100_000);
const BOOKMARKS = '/apis/bookmark.example.com/v1alpha1/bookmarks';
const BATCHES = '/apis/api.platform.run/v1alpha1/batches?return=none';
const EXPIRES_AT = 'xsvc.platform.run/expires-at';
/** Objects in one request. */
const LOT = 250;
/** The time for storing one object, more than is needed. */
const STORE_MS = 0.7;
const PERIOD_MS = 2;
const IDLE_MS = 10_000;
const LOOK_MS = 500;

const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
const agent = new Agent({ keepAlive: true });
const daemon = await startDaemon(directory);
try {
  await measure();
} finally {
  await daemon.stop();
  agent.destroy();
}

async function measure() {
  await send('POST', BOOKMARKS, bookmark('kept'));
  const dueMs = Date.now() + count * STORE_MS + 2 * IDLE_MS;
  await storeAll(new Date(dueMs).toISOString());
  if (Date.now() > dueMs - IDLE_MS) throw new Error('storing the objects took too long');
  await sleep(dueMs - IDLE_MS - Date.now());
  const idle = await readUntil(() => Date.now() >= dueMs);
  const cpu = cpuMicros(daemon.pid);
  const began = performance.now();
  let isDone = false;
  const done = waitForEnd().then(() => (isDone = true));
  const busy = await readUntil(() => isDone);
  await done;
  const seconds = (performance.now() - began) / 1000;
  const cpuSeconds = (cpuMicros(daemon.pid) - cpu) / 1e6;
  console.log(
    formatTable([
      ['', 'reads', 'p50 ms', 'p99 ms', 'max ms'],
      ...Object.entries({ idle, 'while they expire': busy }).map(([name, times]) => [
        `reads of another object, ${name}`,
        String(times.length),
        ...[0.5, 0.99, 1].map((part) => formatMs(quantile(times, part))),
      ]),
    ]),
  );
  console.log(
    `${count} objects that expire at one time: deleted after ${seconds.toFixed(1)} s, ${Math.round(count / seconds)}/s, ` +
      `${cpuSeconds.toFixed(1)} s of CPU with the reads; p99 of reads ${(quantile(busy, 0.99) / quantile(idle, 0.99)).toFixed(2)} times idle`,
  );
}

async function storeAll(expiresAt) {
  for (let at = 0; at < count; at += LOT) {
    const items = Array.from({ length: Math.min(LOT, count - at) }, (_, i) => ({
      verb: 'create',
      object: bookmark(`bookmark-${at + i}`, { [EXPIRES_AT]: expiresAt }),
    }));
    await send('POST', BATCHES, { items });
  }
}

function bookmark(name, annotations = {}) {
  const spec = {
    url: `https://example.com/${name}`,
    title: `The page ${name}`,
    tags: ['reference', 'later'],
  };
  return {
    apiVersion: 'bookmark.example.com/v1alpha1',
    kind: 'Bookmark',
    metadata: { name, annotations },
    spec,
  };
}

async function countStored() {
  return JSON.parse(await send('GET', `${BOOKMARKS}?size=1`)).total;
}

/** Looks for the last one first: a list is work that the reads would wait for. */
async function waitForEnd() {
  while (await isStored(`bookmark-${count - 1}`)) await sleep(LOOK_MS);
  while ((await countStored()) > 1) await sleep(LOOK_MS);
}

function isStored(name) {
  return send('GET', `${BOOKMARKS}/${name}`).then(
    () => true,
    (error) => {
      if (/ 404 /.test(error.message)) return false;
      throw error;
    },
  );
}

/** Reads at fixed times, also when answers are late. @returns milliseconds from the planned time to the answer */
async function readUntil(isOver) {
  const times = [];
  const pending = [];
  for (let planned = performance.now(); !isOver(); planned += PERIOD_MS) {
    const wait = planned - performance.now();
    if (wait > 0) await sleep(wait);
    pending.push(send('GET', `${BOOKMARKS}/kept`).then(() => times.push(performance.now() - planned)));
  }
  await Promise.all(pending);
  return times;
}

function send(method, target, body) {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json' };
    const sent = request(new URL(target, daemon.url), { method, agent, headers }, async (answer) => {
      const chunks = await answer.toArray();
      const text = Buffer.concat(chunks).toString();
      if (answer.statusCode < 300) resolve(text);
      else reject(new Error(`${method} ${target}: ${answer.statusCode} ${text}`));
    });
    sent.on('error', reject).end(body && JSON.stringify(body));
  });
}
