/**
 * A store in PostgreSQL beside one in a directory: the same daemon, plugin, objects and clients, turn by turn. Ratios of
 * one run, medians of the rounds. PostgreSQL and clients run on the same machine. Needs `npm run build`.
 * Usage: node test/bench/engines.mjs [rounds=3] [seconds=3] [objects=20000]
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { answersPerSecond, requestBytes } from '../../dist/cli/bench/load.js';
import { recordJson, recordName, RECORDS, writePlugin } from '../../dist/cli/bench/workload.js';
import { parsePostgresAddress } from '../../dist/store/postgres/address.js';
import { openPostgresLog } from '../../dist/store/postgres/log.js';
import { foldLog } from '../../dist/store/replicated/fold.js';
import { startProcess } from './daemon.mjs';
import { median } from './packages.mjs';
import { startPostgres } from './pg-server.mjs';
import { formatMs, formatTable, quantile } from './timing.mjs';

const [rounds, seconds, objects] = [3, 3, 20_000].map((usual, i) => Number(process.argv[2 + i] ?? usual));
const BIN = new URL('../../bin/xsvc.js', import.meta.url).pathname;

process.env.PGPASSWORD = 'password';
const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
const postgres = await startPostgres(directory);
const store = `postgres://postgres@${encodeURIComponent(path.join(directory, 'postgres'))}/postgres`;
const plugin = await writePlugin(directory);
const [lmdb, shared, other] = await openAll();
console.log(
  `PostgreSQL ${postgres.version} beside LMDB: ${objects} objects, ${rounds} rounds of ${seconds} s`,
);
try {
  const rows = [['', 'PostgreSQL', 'LMDB', 'ratio']];
  for (const [title, load] of loads()) {
    const seen = [];
    for (let round = 0; round < rounds; round += 1) {
      const [a, b] = [await load(shared.url, round), await load(lmdb.url, round)];
      seen.push([a, b, a / b]);
    }
    const [a, b, ratio] = [0, 1, 2].map((i) => median(seen.map((one) => one[i])));
    rows.push([title, `${a.toFixed(0)}/s`, `${b.toFixed(0)}/s`, ratio.toFixed(2)]);
  }
  console.log(formatTable(rows));
  await twoDaemons();
  await followers();
  await folds();
  await sizes();
} finally {
  for (const daemon of [lmdb, shared, other]) await daemon.stop();
  await postgres.stop();
  rmSync(directory, { recursive: true });
}

/** Daemons with the same objects: on LMDB, and two on PostgreSQL. */
async function openAll() {
  const dataDir = path.join(directory, 'lmdb');
  const file = path.join(directory, 'records.ndjson');
  writeFileSync(file, Array.from({ length: objects }, (_, n) => `${recordJson(n)}\n`).join(''));
  execFileSync(process.execPath, [BIN, 'import', '-f', file, '--data-dir', dataDir, '--plugins', plugin]);
  const copy = ['store', 'copy', '--from', `lmdb:${dataDir}`, '--to', store];
  const began = performance.now();
  execFileSync(process.execPath, [BIN, ...copy], { stdio: ['ignore', 'inherit', 'ignore'] });
  console.log(`store copy to PostgreSQL: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return [await serve(dataDir), await serve(replicaOf('a'), store), await serve(replicaOf('b'), store)];
}

function replicaOf(name) {
  return path.join(directory, `replica-${name}`);
}

function serve(dataDir, at) {
  const flags = ['--port', '0', '--data-dir', dataDir, '--plugins', plugin, '--log-level', 'error'];
  return startProcess([BIN, 'serve', ...flags, ...(at === undefined ? [] : ['--store', at])], {
    core: undefined,
  });
}

function* loads() {
  const durationMs = seconds * 1000;
  const target = (n) => `${RECORDS}/${recordName((n * 7919) % objects)}`;
  const at = (connections, request) => (url, round) =>
    answersPerSecond({ url, connections, durationMs, request: (n) => request(n, round * 4 + connections) });
  const create = (n, salt) => requestBytes('POST', RECORDS, recordJson((salt + 1) * 1_000_000 + n));
  const patch = (n, salt) =>
    requestBytes(
      'PATCH',
      target(n),
      JSON.stringify({ spec: { priority: salt * 100_000 + n } }),
      'application/merge-patch+json',
    );
  yield ['durable creates, 64 connections', at(64, create)];
  yield ['durable creates, 256 connections', at(256, create)];
  yield ['patches of one field, 64 connections', at(64, patch)];
  yield ['GET by name, 1 connection', at(1, (n) => requestBytes('GET', target(n)))];
  yield ['GET by name, 64 connections', at(64, (n) => requestBytes('GET', target(n)))];
  yield [
    'the same page of 10, 1 connection',
    at(1, () => requestBytes('GET', `${RECORDS}?sort=spec.due&size=10`)),
  ];
  yield [
    'any of 1000 pages of 10, 1 connection',
    at(1, (n) => requestBytes('GET', `${RECORDS}?sort=spec.due&size=10&page=${1 + ((n * 7919) % 1_000)}`)),
  ];
}

async function twoDaemons() {
  const load = (url, from) =>
    answersPerSecond({
      url,
      connections: 64,
      durationMs: seconds * 1000,
      request: (n) => requestBytes('POST', RECORDS, recordJson(from + n)),
    });
  const [a, b] = await Promise.all([load(shared.url, 800_000_000), load(other.url, 900_000_000)]);
  console.log(`two daemons create at once, 64 connections each: ${a.toFixed(0)}/s and ${b.toFixed(0)}/s`);
}

/** Time from a create that is sent to one daemon to its event on the other, and to its answer. */
async function followers() {
  const watching = await fetch(`${other.url}${RECORDS}?watch=true&sendInitialEvents=false`, {
    signal: globalThis.AbortSignal.timeout(120_000),
  });
  const seen = new Map();
  void (async () => {
    let text = '';
    const decoder = new globalThis.TextDecoder();
    for await (const part of watching.body) {
      text += decoder.decode(part, { stream: true });
      const lines = text.split('\n');
      text = lines.pop();
      for (const line of lines)
        if (line !== '') seen.get(JSON.parse(line).object.metadata.name)?.(performance.now());
    }
  })().catch(() => undefined);
  const [toEvent, toAnswer] = [[], []];
  for (let n = 0; n < 500; n += 1) {
    const body = recordJson(700_000_000 + n);
    const told = new Promise((resolve) => seen.set(JSON.parse(body).metadata.name, resolve));
    const began = performance.now();
    const answer = await fetch(`${shared.url}${RECORDS}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    });
    await answer.arrayBuffer();
    toAnswer.push(performance.now() - began);
    toEvent.push((await told) - began);
  }
  const text = (times) =>
    `p50 ${formatMs(quantile(times, 0.5))} ms, p99 ${formatMs(quantile(times, 0.99))} ms`;
  console.log(`one create: answered ${text(toAnswer)}; its event on the other daemon ${text(toEvent)}`);
}

/** How fast the checkpoint follows: what was created in a while, and the time in which it is brought there. */
async function folds() {
  const address = parsePostgresAddress(store);
  const log = await openPostgresLog(address, { timeoutMs: 30_000, warn: () => undefined });
  await foldLog(log);
  const from = (await log.checkpointAt()).seq;
  const created = await loads().next().value[1](shared.url, 600);
  const began = performance.now();
  await foldLog(log);
  const ms = performance.now() - began;
  const records = (await log.checkpointAt()).seq - from;
  await log.close();
  console.log(
    `${(created * seconds).toFixed(0)} creates (${records} records) are in the checkpoint after ${(ms / 1000).toFixed(1)} s: ` +
      `${((created * seconds * 1000) / ms).toFixed(0)} creates/s`,
  );
}

async function sizes() {
  const size = async (table) =>
    Number((await postgres.client.query(`SELECT pg_total_relation_size('xsvc.${table}') AS n`)).rows[0].n);
  const { rows } = await postgres.client.query('SELECT count(*) AS pairs FROM xsvc.kv');
  const began = performance.now();
  const third = await serve(replicaOf('c'), store);
  const ready = performance.now() - began;
  await third.stop();
  const { total } = await (await fetch(`${shared.url}${RECORDS}?size=1`)).json();
  console.log(
    `${total} objects: checkpoint ${(await size('kv')) >> 20} MiB (${rows[0].pairs} keys), log ${(await size('commits')) >> 20} MiB; ` +
      `a daemon with an empty directory is ready after ${(ready / 1000).toFixed(1)} s`,
  );
}
