/**
 * Lists beside PostgreSQL, on the same objects: a page of 10 and the exact number of matches, in process, over HTTP
 * and in SQL. Answers are compared before anything is timed. Needs `npm run build`, taskset and two cores; as root,
 * the server runs as the user `postgres`, who is created when missing.
 *
 * Usage: node test/bench/postgres.mjs [count=1000000] [layout=expressions|columns] [ids of queries, such as "ac"]
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { startDaemon } from './daemon.mjs';
import { drawsOf, itemQueries } from './item-queries.mjs';
import { itemsOverHttp } from './items-http.mjs';
import { ITEMS_PLUGIN, itemsBetween } from './items.mjs';
import { FORMS, PgItems } from './pg-items.mjs';
import { startPostgres } from './pg-server.mjs';
import { openPluginService } from './plugin-service.mjs';
import { formatMs, formatTable, inMiB, memoryOf, quantile, timesOf } from './timing.mjs';

const count = Number(process.argv[2] ?? 1_000_000);
const layout = process.argv[3] ?? 'expressions';
const ids = process.argv[4] ?? 'abcdefghijk';

const BATCH = 20_000;
/** Draws for which both systems must give equal answers. */
const CHECKS = 5;
const TIMED = { runs: 300, seconds: 30 };
const WARM_UP = { runs: 50, seconds: 5 };
/** Runs that decide which of PostgreSQL's statements is the better one. */
const TRIAL = { runs: 10, seconds: 10 };
/** Time for what the lists before had begun to work out in the background. */
const SETTLE_MS = 500 + count / 300;
/** A separate seed for each phase: the timed queries were not drawn before. */
const SEEDS = { check: 1, warmUp: 2, trial: 3, timed: 4 };

const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
const dataDir = path.join(directory, 'xsvc');
const queries = itemQueries(count).filter(({ id }) => ids.includes(id));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));

const postgres = await startPostgres(directory);
const theirs = new PgItems(postgres.client, layout);
try {
  console.log(`${count} items, PostgreSQL ${postgres.version}, indexes of ${layout}`);
  await load();
  const results = queries.map((query) => ({ query }));
  for (const result of results) result.cold = await coldTime(result.query);
  await timeBoth(results);
  await timeHttp(results);
  report(results);
} finally {
  await postgres.stop();
}

async function load() {
  const ours = await openPluginService(dataDir, ITEMS_PLUGIN, { relaxed: true });
  const resource = ours.find('items');
  let took = 0;
  for (let from = 0; from < count; from += BATCH) {
    const items = itemsBetween(from, Math.min(from + BATCH, count), count);
    const began = performance.now();
    await ours.service.batch(items.map((object) => ({ verb: 'create', resource, object })));
    took += performance.now() - began;
  }
  await ours.close();
  const inSeconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
  const size = statSync(path.join(dataDir, 'data.mdb')).size;
  console.log(
    `loaded: ours ${inSeconds(took)} (${((count / took) * 1000).toFixed(0)}/s, ${inMiB(size)} on disk)`,
  );
  const { objects, indexes, statistics, bytes } = await theirs.load(count, directory);
  console.log(
    `loaded: PostgreSQL ${inSeconds(objects + indexes + statistics)} (copy ${inSeconds(objects)}, ` +
      `indexes ${inSeconds(indexes)}, vacuum ${inSeconds(statistics)}; ${inMiB(bytes)} on disk)`,
  );
}

/** The first list of a service that was just opened: nothing but the system's cache of files is warm. */
async function coldTime(query) {
  const { service, find, close } = await openPluginService(dataDir, ITEMS_PLUGIN);
  const options = query.options(drawsOf(query, SEEDS.check)());
  const [time] = await timesOf(() => service.list(find('items'), options), { runs: 1, seconds: 1 });
  await close();
  return time;
}

async function timeBoth(results) {
  const { service, find, close } = await openPluginService(dataDir, ITEMS_PLUGIN);
  const resource = find('items');
  const inProcess = (options) => service.list(resource, options);
  for (const { query } of results) await compareAnswers(query, inProcess);
  for (const result of results) {
    const { query } = result;
    const list = (values) => inProcess(query.options(values));
    result.ours = await warmTimes(query, list);
    result.again = await timesOf(drawn(query, SEEDS.timed, list), TIMED);
    await useBetterStatement(query);
    result.theirs = await warmTimes(query, (values) => theirs.list(query, values));
    result.statement = theirs.formOf(query);
  }
  await close();
}

async function timeHttp(results) {
  const daemon = await startDaemon(dataDir, { plugins: ITEMS_PLUGIN, core: 0 });
  const http = itemsOverHttp(daemon.url);
  try {
    for (const result of results) {
      const { query } = result;
      await compareAnswers(query, http.list);
      result.http = await warmTimes(query, (values) => http.list(query.options(values)));
    }
    const { own, mapped } = memoryOf(daemon.pid);
    console.log(`the daemon's memory after all queries: ${inMiB(own)}, and ${inMiB(mapped)} of mapped files`);
  } finally {
    http.close();
    await daemon.stop();
  }
}

/** Both systems must answer with the same objects, in the same order, and the same total. */
async function compareAnswers(query, list) {
  const draw = drawsOf(query, SEEDS.check);
  for (let i = 0; i < CHECKS; i++) {
    const values = draw();
    const [ours, ...others] = [
      await list(query.options(values)),
      ...(await Promise.all(FORMS.map((form) => theirs.list(query, values, form)))),
    ].map(({ total, items, facets = {} }) => ({
      total,
      names: items.map(({ metadata }) => metadata.name),
      facets: Object.values(facets),
    }));
    if (ours.names.length === query.size && others.every((other) => isDeepStrictEqual(ours, other))) continue;
    console.error(values, ours, ...others);
    throw new Error(`(${query.id}) ${query.title}: answers differ`);
  }
}

async function warmTimes(query, list) {
  const warmUp = drawsOf(query, SEEDS.warmUp);
  await timesOf(() => list(warmUp()), WARM_UP);
  await sleep(SETTLE_MS);
  await timesOf(() => list(warmUp()), WARM_UP);
  return timesOf(drawn(query, SEEDS.timed, list), TIMED);
}

function drawn(query, seed, list) {
  const draw = drawsOf(query, seed);
  return () => list(draw());
}

/** PostgreSQL answers with whichever of its statements is faster for the query. */
async function useBetterStatement(query) {
  let best = Infinity;
  for (const form of FORMS) {
    const trial = drawsOf(query, SEEDS.trial);
    const median = quantile(await timesOf(() => theirs.list(query, trial(), form), TRIAL), 0.5);
    if (median < best) theirs.use(query, form);
    best = Math.min(best, median);
  }
}

function report(results) {
  const head = [
    '',
    'ours p50',
    'p99',
    'again p50',
    'first',
    'HTTP p50',
    'p99',
    'PostgreSQL p50',
    'p99',
    'runs',
    'ratio',
  ];
  const rows = results.map(({ query, cold, ours, again, http, theirs, statement }) => {
    const pair = (times) => [formatMs(quantile(times, 0.5)), formatMs(quantile(times, 0.99))];
    return [
      `(${query.id}) ${query.title}`,
      ...pair(ours),
      formatMs(quantile(again, 0.5)),
      formatMs(cold),
      ...pair(http),
      ...pair(theirs),
      `${theirs.length} ${statement}`,
      (quantile(ours, 0.5) / quantile(theirs, 0.5)).toFixed(3),
    ];
  });
  console.log(
    `milliseconds for a page of 10 and the exact total; ratio of p50, ours in process to PostgreSQL:`,
  );
  console.log(formatTable([head, ...rows]));
}
