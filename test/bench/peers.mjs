/**
 * The service beside a thin server on PostgreSQL (fastify and pg): the same objects, the same four indexes, the same
 * clients, turn by turn. Ratios of one run, medians of the rounds. Needs `npm run build`.
 * Usage: node test/bench/peers.mjs [rounds=5] [seconds=3] [objects=100000]
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { answersPerSecond, requestBytes } from '../../dist/cli/bench/load.js';
import { broadcast } from '../../dist/cli/bench/watchers.js';
import { PLUGIN, recordJson, recordName, RECORDS } from '../../dist/cli/bench/workload.js';
import { startDaemon, startProcess } from './daemon.mjs';
import { median } from './packages.mjs';
import { startPostgres } from './pg-server.mjs';
import { formatTable } from './timing.mjs';

const [rounds, seconds, objects] = [5, 3, 100_000].map((usual, i) => Number(process.argv[2 + i] ?? usual));
const PAGES = 1_000;
const ALL = { core: undefined };

const SCHEMA = `
  CREATE TABLE records (
    name text PRIMARY KEY, labels jsonb NOT NULL, title text, owner text, priority int, due timestamptz,
    object jsonb NOT NULL
  );
  CREATE INDEX ON records (title, name);
  CREATE INDEX ON records (owner, name);
  CREATE INDEX ON records (priority, name);
  CREATE INDEX ON records (due, name);
  CREATE INDEX ON records USING gin (labels jsonb_path_ops);
`;
const NOTIFY = `
  CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_notify('records', json_build_object('type', TG_OP, 'object', NEW.object)::text);
    RETURN NULL;
  END $$;
  CREATE TRIGGER tell AFTER INSERT OR UPDATE ON records FOR EACH ROW EXECUTE FUNCTION tell();
`;

const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
const postgres = await startPostgres(directory);
console.log(
  `beside fastify and pg on PostgreSQL ${postgres.version}: ${objects} objects, ${rounds} rounds of ${seconds} s`,
);
const { ours, theirs } = await openBoth();
try {
  const rows = [['', 'ours', 'theirs', 'ratio']];
  for (const [title, measure] of measurements()) {
    const seen = [];
    for (let round = 0; round < rounds; round += 1) {
      const [a, b] = [await measure(ours.url, round), await measure(theirs.url, round)];
      seen.push({ ours: a, theirs: b, ratio: a / b });
    }
    const middle = (key) => median(seen.map((one) => one[key]));
    rows.push([
      title,
      `${middle('ours').toFixed(0)}/s`,
      `${middle('theirs').toFixed(0)}/s`,
      middle('ratio').toFixed(2),
    ]);
  }
  console.log(formatTable(rows));
} finally {
  await ours.stop();
  await theirs.stop();
  await postgres.stop();
  rmSync(directory, { recursive: true });
}

/** Both servers, with the same objects in them. */
async function openBoth() {
  const dataDir = path.join(directory, 'data');
  const file = path.join(directory, 'records.ndjson');
  const texts = Array.from({ length: objects }, (_, n) => recordJson(n));
  writeFileSync(file, texts.map((text) => `${text}\n`).join(''));
  const began = performance.now();
  const bin = new URL('../../bin/xsvc.js', import.meta.url).pathname;
  execFileSync(process.execPath, [bin, 'import', '-f', file, '--data-dir', dataDir, '--plugins', PLUGIN]);
  const imported = performance.now();
  await postgres.client.query(SCHEMA);
  for (let from = 0; from < objects; from += 1_000) {
    await postgres.client.query(
      `INSERT INTO records SELECT o->'metadata'->>'name', o->'metadata'->'labels', o->'spec'->>'title',
         o->'spec'->>'owner', (o->'spec'->>'priority')::int, (o->'spec'->>'due')::timestamptz,
         jsonb_set(o, '{metadata,version}', '0')
       FROM unnest($1::jsonb[]) AS o`,
      [texts.slice(from, from + 1_000)],
    );
  }
  await postgres.client.query('ANALYZE records');
  await postgres.client.query(NOTIFY);
  console.log(
    `loaded: import ${((imported - began) / 1000).toFixed(1)} s, ` +
      `PostgreSQL in parts of 1,000 ${((performance.now() - imported) / 1000).toFixed(1)} s`,
  );
  const ours = await startDaemon(dataDir, { plugins: PLUGIN, ...ALL });
  const script = new URL('peer-server.mjs', import.meta.url).pathname;
  const theirs = await startProcess([script, path.join(directory, 'postgres')], ALL);
  return { ours, theirs };
}

function* measurements() {
  const durationMs = seconds * 1000;
  const target = (n) => `${RECORDS}/${recordName((n * 7919) % objects)}`;
  const loads = (connections, request) => (url, round) =>
    answersPerSecond({ url, connections, durationMs, request: (n) => request(n, round) });
  yield ['GET by name, 32 connections', loads(32, (n) => requestBytes('GET', target(n)))];
  yield [
    `page of 10 by an indexed field, any of ${PAGES}, 32 connections`,
    loads(32, (n) =>
      requestBytes('GET', `${RECORDS}?sort=spec.due,desc&size=10&page=${1 + ((n * 7919) % PAGES)}`),
    ),
  ];
  yield [
    'durable creates, 64 connections',
    loads(64, (n, round) => requestBytes('POST', RECORDS, recordJson((round + 1) * 10_000_000 + n))),
  ];
  yield [
    'patches of one field, 32 connections',
    loads(32, (n, round) =>
      requestBytes(
        'PATCH',
        target(n),
        JSON.stringify({ spec: { priority: round * 1_000_000 + n } }),
        'application/merge-patch+json',
      ),
    ),
  ];
  yield ['events to 200 watchers, a burst of 200 patches', (url, round) => fanOut(url, round)];
}

async function fanOut(url, round) {
  const write = async (n) => {
    const answer = await fetch(`${url}${RECORDS}/${recordName(n % objects)}`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/merge-patch+json' },
      body: JSON.stringify({ spec: { note: `heard ${round} ${n} ${performance.now()}` } }),
    });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`a patch was answered with ${answer.status}`);
  };
  const how = { url: `${url}${RECORDS}?watch=true`, watchers: 200, writes: 200, atOnce: 200, write };
  return (await broadcast(how)).perSecond;
}
