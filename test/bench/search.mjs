/**
 * Search by words beside PostgreSQL (tsvector with GIN, ts_rank) and SQLite (FTS5, bm25), on the same objects: a page of 20
 * by relevance with the exact total. The totals are compared before anything is timed. Also the bytes of each index, and
 * creates with a text index and without one. Needs `npm run build`, and python3 with FTS5; as root, PostgreSQL runs as the
 * user `postgres`, who is created when missing. The sides take turns.
 *
 * Usage: node test/bench/search.mjs [objects=1000000] [rounds=31]
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { startPostgres } from './pg-server.mjs';
import { openPluginService } from './plugin-service.mjs';
import { noteAt, wordOf } from './search-texts.mjs';
import { formatMs, formatTable, inMiB, quantile } from './timing.mjs';

const [objects, rounds] = [1_000_000, 31].map((value, i) => Number(process.argv[i + 2] ?? value));
const PLUGIN = new URL('search-plugin', import.meta.url).pathname;
const BATCH = 10_000;
/** Objects that are created without a text index, for comparison. */
const PLAIN = Math.min(objects, 100_000);
const SIZE = 20;
const { keepTexts } = await import(new URL('../../dist/store/text/keep.js', import.meta.url).href);
const { getTextRows } = await import(new URL('../../dist/store/text/rows.js', import.meta.url).href);

/** Each question in all languages. @type {readonly { title: string, texts: (n: number) => object, isPhrase?: boolean }[]} */
const QUESTIONS = [
  { title: 'two words', texts: (n) => all([wordOf(20 + n), wordOf(300 + 7 * n)]) },
  { title: 'two frequent words', texts: (n) => all([wordOf(n % 10), wordOf(10 + n)]) },
  { title: 'two rare words', texts: (n) => all([wordOf(2_000 + n), wordOf(3_000 + n)]) },
  { title: 'a word and a prefix', texts: (n) => all([wordOf(100 + n)], wordOf(500 + n).slice(0, 3)) },
  {
    title: 'a phrase',
    isPhrase: true,
    texts: (n) =>
      phrase(
        noteAt(n * 37)
          .body.split(' ')
          .slice(5, 7),
      ),
  },
  { title: 'a frequent phrase', isPhrase: true, texts: (n) => phrase([wordOf(n % 5), wordOf(5 + (n % 7))]) },
];

function all(words, prefix) {
  const start = prefix === undefined ? [] : [prefix];
  return {
    ours: `${[...words, ...start].join(' ')}${prefix === undefined ? ' ' : ''}`,
    postgres: [...words, ...start.map((one) => `${one}:*`)].join(' & '),
    sqlite: [...words, ...start.map((one) => `${one}*`)].join(' AND '),
  };
}

function phrase(words) {
  return { ours: `"${words.join(' ')}"`, postgres: words.join(' <-> '), sqlite: `"${words.join(' ')}"` };
}

const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
const postgres = await startPostgres(directory);
const sqlite = startSqlite(path.join(directory, 'notes.sqlite'));
const ours = await openPluginService(path.join(directory, 'xsvc'), PLUGIN, { relaxed: true });
try {
  await create();
  await printSizes();
  const head = ['', 'matches', 'xsvc: first', 'p50', 'PostgreSQL p50', 'ratio', 'SQLite p50', 'ratio'];
  const rows = [];
  for (const question of QUESTIONS) rows.push(await measure(question));
  console.log(`${objects} objects; ms for a page of ${SIZE} by relevance and the total`);
  console.log(formatTable([head, ...rows]));
} finally {
  await ours.close();
  await sqlite.stop();
  await postgres.stop();
}

function startSqlite(file) {
  const child = spawn('python3', [new URL('search-fts5.py', import.meta.url).pathname, file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async run(command, argument) {
      child.stdin.write(`${JSON.stringify({ do: command, with: argument })}\n`);
      const { value } = await answers.next();
      return JSON.parse(value);
    },
    async stop() {
      child.stdin.end();
      await new Promise((resolve) => child.once('exit', resolve));
    },
  };
}

async function create() {
  const { client } = postgres;
  await client.query(
    'CREATE TABLE notes (name text PRIMARY KEY, doc jsonb NOT NULL, words tsvector NOT NULL)',
  );
  await client.query('CREATE INDEX notes_words ON notes USING gin (words)');
  const insert = `INSERT INTO notes SELECT doc ->> 'name', doc,
    to_tsvector('simple', doc ->> 'title') || to_tsvector('simple', doc ->> 'body')
    FROM jsonb_array_elements($1::jsonb) AS doc`;
  const seconds = { plain: 0, text: 0, keep: 0, postgres: 0, sqlite: 0 };
  const timed = async (side, work) => {
    const began = performance.now();
    await work;
    seconds[side] += (performance.now() - began) / 1000;
  };
  const table = ours.service.store.findTable(ours.find('notes'));
  for (let from = 0; from < objects; from += BATCH) {
    const some = Array.from({ length: Math.min(BATCH, objects - from) }, (_, i) => noteAt(from + i));
    const items = (plural) =>
      some.map(({ name, ...spec }) => {
        return { verb: 'create', resource: ours.find(plural), object: { metadata: { name }, spec } };
      });
    if (from < PLAIN) await timed('plain', ours.service.batch(items('plains')));
    await timed('text', ours.service.batch(items('notes')));
    await timed('keep', keepTexts(ours.service.store.engine, [table]));
    await timed('postgres', client.query(insert, [JSON.stringify(some)]));
    await timed('sqlite', sqlite.run('insert', some));
  }
  await client.query('VACUUM ANALYZE');
  const rate = (count, side) => `${Math.round(count / seconds[side])}/s`;
  console.log(
    formatTable([
      ['creates', 'without a text index', 'with one', 'and its segments', 'PostgreSQL', 'SQLite'],
      [
        '',
        rate(PLAIN, 'plain'),
        rate(objects, 'text'),
        `${Math.round(objects / (seconds.text + seconds.keep))}/s`,
        rate(objects, 'postgres'),
        rate(objects, 'sqlite'),
      ],
    ]),
  );
}

async function printSizes() {
  const { rows } = await postgres.client.query(
    `SELECT pg_relation_size('notes_words') AS gin, (SELECT sum(pg_column_size(words)) FROM notes) AS vectors`,
  );
  const { bytes, version } = await sqlite.run('size');
  console.log(
    formatTable([
      ['index', 'xsvc', 'PostgreSQL: GIN', 'and vectors', 'SQLite'],
      ['', inMiB(await bytesOfRows()), inMiB(rows[0].gin), inMiB(rows[0].vectors), inMiB(bytes)],
    ]),
  );
  console.log(`PostgreSQL ${postgres.version}, SQLite ${version}`);
}

/** Bytes of keys and values of the text index. */
async function bytesOfRows() {
  const { store } = ours.service;
  const { id } = store.findTable(ours.find('notes')).textIndex;
  const snapshot = store.engine.snapshot();
  let sum = 0;
  let range = getTextRows(id);
  for (let last = true; last !== undefined;) {
    last = await snapshot.scanInPlace(range, { limit: 1_000 }, (value, { start, end }) => {
      sum += value.length + end - start;
      return true;
    });
    if (last !== undefined) range = { ...range, after: last };
  }
  snapshot.close();
  return sum;
}

async function measure({ title, texts, isPhrase = false }) {
  const resource = ours.find('notes');
  const search = async (n) => {
    const began = performance.now();
    const { items, total } = await ours.service.list(resource, { search: texts(n).ours, size: SIZE });
    return { ms: performance.now() - began, total, names: items.map(({ metadata }) => metadata.name) };
  };
  const sql = `WITH q AS (SELECT to_tsquery('simple', $1) AS q)
    SELECT doc, (SELECT count(*) FROM notes, q WHERE words @@ q.q) AS total
    FROM notes, q WHERE words @@ q.q ORDER BY ts_rank(words, q.q) DESC, name LIMIT ${SIZE}`;
  const select = async (n) => {
    const began = performance.now();
    const { rows } = await postgres.client.query({ name: 'search', text: sql, values: [texts(n).postgres] });
    return { ms: performance.now() - began, total: Number(rows[0]?.total ?? 0) };
  };
  const match = (n) => sqlite.run('search', texts(n).sqlite);
  const first = await search(0);
  let matches = 0;
  for (let n = 1; n <= 3; n += 1) {
    const [own, pg, fts] = [await search(n), await select(n), await match(n)];
    // PostgreSQL also finds the end of a title before the beginning of a body.
    const isWrong = own.total !== fts.total || (isPhrase ? own.total > pg.total : own.total !== pg.total);
    if (isWrong) throw new Error(`${title}: the totals differ: ${own.total}, ${pg.total}, ${fts.total}`);
    matches = own.total;
  }
  const times = { ours: [], postgres: [], sqlite: [] };
  for (let n = 4; n < rounds + 4; n += 1) {
    times.ours.push((await search(n)).ms);
    times.postgres.push((await select(n)).ms);
    times.sqlite.push((await match(n)).ms);
  }
  const [our, pg, fts] = [times.ours, times.postgres, times.sqlite].map((all) => quantile(all, 0.5));
  return [
    title,
    String(matches),
    formatMs(first.ms),
    formatMs(our),
    formatMs(pg),
    (our / pg).toFixed(2),
    formatMs(fts),
    (our / fts).toFixed(2),
  ];
}
