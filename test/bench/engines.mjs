/**
 * Stores in PostgreSQL and in etcd beside one in a directory: the same daemon, plugin, objects and clients, turn by turn.
 * Ratios of one run, medians of the rounds. All servers and clients run on the same machine. Needs `npm run build`, and
 * the program `etcd`.
 * Usage: node test/bench/engines.mjs [rounds=3] [seconds=3] [objects=20000]
 */
import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { answersPerSecond, requestBytes } from '../../dist/cli/bench/load.js';
import { PLUGIN, recordJson, recordName, RECORDS } from '../../dist/cli/bench/workload.js';
import { parseEtcdAddress } from '../../dist/engines/etcd/address.js';
import { parsePostgresAddress } from '../../dist/engines/postgres/address.js';
import { foldLog } from '../../dist/engines/replicated/fold.js';
import { openSharedLog } from '../../dist/engines/open-shared.js';
import { startProcess } from './daemon.mjs';
import { startEtcd } from './etcd-server.mjs';
import { median } from './packages.mjs';
import { startPostgres } from './pg-server.mjs';
import { formatMs, formatTable, quantile } from './timing.mjs';

const [rounds, seconds, objects] = [3, 3, 20_000].map((usual, i) => Number(process.argv[2 + i] ?? usual));
const BIN = new URL('../../bin/xsvc.js', import.meta.url).pathname;
const MIB = 1024 ** 2;
/** Of one commit. */
const LONG_MIB = [1, 8, 32];
/** The largest that etcd is advised to have, and what it has by itself. */
const QUOTAS_GIB = [2, 8];

process.env.PGPASSWORD = 'password';
const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
const postgres = await startPostgres(directory);
const etcd = await startEtcd(directory);
const directoryOfLmdb = path.join(directory, 'lmdb');
console.log(
  `PostgreSQL ${postgres.version} and etcd ${etcd.version} (3 members) beside LMDB: ${objects} objects, ${rounds} rounds of ${seconds} s`,
);
const daemons = [];
try {
  fillLmdb();
  const shared = [await openPostgres(), await openEtcd()];
  await compare([{ title: 'LMDB', daemon: await serve(directoryOfLmdb) }, ...shared]);
  for (const engine of shared) {
    console.log(`\n${engine.title}`);
    await twoDaemons(engine);
    await followers(engine);
    await folds(engine);
    await longRecords(engine);
    await newDaemon(engine);
  }
} finally {
  for (const daemon of daemons) await daemon.stop();
  await etcd.stop();
  await postgres.stop();
  rmSync(directory, { recursive: true });
}

/** All of them hold the same objects. */
function fillLmdb() {
  const file = path.join(directory, 'records.ndjson');
  writeFileSync(file, Array.from({ length: objects }, (_, n) => `${recordJson(n)}\n`).join(''));
  const target = ['--data-dir', directoryOfLmdb, '--plugins', PLUGIN];
  execFileSync(process.execPath, [BIN, 'import', '-f', file, ...target]);
  const { size } = statSync(path.join(directoryOfLmdb, 'data.mdb'));
  console.log(`LMDB: ${(size / objects).toFixed(0)} bytes an object`);
}

async function openPostgres() {
  const store = `postgres://postgres@${encodeURIComponent(path.join(directory, 'postgres'))}/postgres`;
  const engine = await openShared('PostgreSQL', store, {
    engine: 'postgres',
    address: parsePostgresAddress(store),
  });
  const { rows } = await postgres.client.query("SELECT pg_total_relation_size('xsvc.kv') AS bytes");
  console.log(
    `PostgreSQL: ${(Number(rows[0].bytes) / objects).toFixed(0)} bytes an object in the checkpoint`,
  );
  return engine;
}

async function openEtcd() {
  const store = etcd.url('xsvc');
  const before = await etcd.status();
  const engine = await openShared('etcd', store, { engine: 'etcd', address: parseEtcdAddress(store) });
  const after = await etcd.status();
  const bytes = (after.dbSizeInUse - before.dbSizeInUse) / objects;
  const ends = QUOTAS_GIB.map(
    (gib) => `${gib} GiB hold ${((gib * 1024 ** 3) / bytes / 1e6).toFixed(1)} million`,
  );
  console.log(
    `etcd: ${bytes.toFixed(0)} bytes an object in the checkpoint on each member; ${ends.join(', ')}, less the log of ten minutes`,
  );
  return engine;
}

/** Two daemons on a copy of the objects. */
async function openShared(title, store, place) {
  const copy = ['store', 'copy', '--from', `lmdb:${directoryOfLmdb}`, '--to', store];
  const began = performance.now();
  execFileSync(process.execPath, [BIN, ...copy], { stdio: 'ignore' });
  console.log(`${title}: store copy took ${((performance.now() - began) / 1000).toFixed(1)} s`);
  const [daemon, other] = [
    await serve(replicaOf(title, 'a'), store),
    await serve(replicaOf(title, 'b'), store),
  ];
  return { title, store, place, daemon, other };
}

function replicaOf(title, name) {
  return path.join(directory, `${title}-${name}`);
}

async function serve(dataDir, store) {
  const flags = ['--port', '0', '--data-dir', dataDir, '--plugins', PLUGIN, '--log-level', 'error'];
  const args = [BIN, 'serve', ...flags, ...(store === undefined ? [] : ['--store', store])];
  const daemon = await startProcess(args, { core: undefined });
  daemons.push(daemon);
  return daemon;
}

async function compare(engines) {
  const [{ title: first }, ...others] = engines.map(({ title }) => ({ title }));
  const rows = [['', first, ...others.flatMap(({ title }) => [title, 'ratio'])]];
  for (const [title, load] of loads()) {
    const seen = [];
    for (let round = 0; round < rounds; round += 1) {
      const rates = [];
      for (const { daemon } of engines) rates.push(await load(daemon.url, round));
      seen.push(rates);
    }
    const rate = (i) => `${median(seen.map((rates) => rates[i])).toFixed(0)}/s`;
    const ratio = (i) => median(seen.map((rates) => rates[i] / rates[0])).toFixed(2);
    rows.push([title, rate(0), ...others.flatMap((_, i) => [rate(i + 1), ratio(i + 1)])]);
  }
  console.log(formatTable(rows));
}

function* loads() {
  const target = (n) => `${RECORDS}/${recordName((n * 7919) % objects)}`;
  const at = (connections, request) => (url, round) =>
    perSecond(url, connections, (n) => request(n, round * 4 + connections));
  const create = (n, salt) => requestBytes('POST', RECORDS, recordJson((salt + 1) * 1_000_000 + n));
  const patch = (n, salt) =>
    requestBytes(
      'PATCH',
      target(n),
      JSON.stringify({ spec: { priority: salt * 100_000 + n } }),
      'application/merge-patch+json',
    );
  const get = (n) => requestBytes('GET', target(n));
  for (const connections of [1, 64, 256])
    yield [`durable creates, ${connected(connections)}`, at(connections, create)];
  yield [`patches of one field, ${connected(64)}`, at(64, patch)];
  for (const connections of [1, 64]) yield [`GET by name, ${connected(connections)}`, at(connections, get)];
  yield [
    `the same page of 10, ${connected(1)}`,
    at(1, () => requestBytes('GET', `${RECORDS}?sort=spec.due&size=10`)),
  ];
  yield [
    `any of 1000 pages of 10, ${connected(1)}`,
    at(1, (n) => requestBytes('GET', `${RECORDS}?sort=spec.due&size=10&page=${1 + ((n * 7919) % 1_000)}`)),
  ];
}

function connected(connections) {
  return connections === 1 ? '1 connection' : `${connections} connections`;
}

function perSecond(url, connections, request) {
  return answersPerSecond({ url, connections, durationMs: seconds * 1000, request });
}

/** Creates with names that no other load has. */
function creates(url, from) {
  return perSecond(url, 64, (n) => requestBytes('POST', RECORDS, recordJson(from + n)));
}

async function twoDaemons({ daemon, other }) {
  const [a, b] = await Promise.all([creates(daemon.url, 800_000_000), creates(other.url, 900_000_000)]);
  console.log(`two daemons create at once, 64 connections each: ${a.toFixed(0)}/s and ${b.toFixed(0)}/s`);
}

/** Time from a create that is sent to one daemon to its event on the other, and to its answer. */
async function followers({ daemon, other }) {
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
    const answer = await fetch(`${daemon.url}${RECORDS}`, {
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

/** The speed of the checkpoint: objects created in a while, and the time to bring them into the checkpoint. */
async function folds({ place, daemon }) {
  const log = await openSharedLog(place, { timeoutMs: 30_000, warn: () => undefined });
  await foldLog(log);
  const from = (await log.checkpointAt()).seq;
  const created = (await creates(daemon.url, 600_000_000)) * seconds;
  const began = performance.now();
  await foldLog(log);
  const ms = performance.now() - began;
  const records = (await log.checkpointAt()).seq - from;
  await log.close();
  console.log(
    `${created.toFixed(0)} creates (${records} records) are in the checkpoint after ${(ms / 1000).toFixed(1)} s: ` +
      `${((created * 1000) / ms).toFixed(0)} creates/s`,
  );
}

/** Time in which one commit of so many bytes is stored. */
async function longRecords({ place }) {
  const log = await openSharedLog(emptyPlaceBeside(place), { timeoutMs: 30_000, warn: () => undefined });
  let at = await log.checkpointAt();
  const times = [];
  for (const mib of LONG_MIB) {
    const record = { id: randomUUID(), writes: randomBytes(mib * MIB) };
    const began = performance.now();
    await log.append(at, record);
    times.push(`${mib} MiB in ${formatMs(performance.now() - began)} ms`);
    at = { seq: at.seq + 1, id: record.id };
  }
  await log.close();
  console.log(`one commit of ${times.join(', ')}`);
}

function emptyPlaceBeside({ engine, address }) {
  return {
    engine,
    address: engine === 'etcd' ? { ...address, prefix: 'empty' } : { ...address, schema: 'empty' },
  };
}

async function newDaemon({ title, store, daemon }) {
  const began = performance.now();
  await serve(replicaOf(title, 'c'), store);
  const ready = performance.now() - began;
  const { total } = await (await fetch(`${daemon.url}${RECORDS}?size=1`)).json();
  console.log(
    `a daemon with an empty directory is ready after ${(ready / 1000).toFixed(1)} s, with ${total} objects`,
  );
}
