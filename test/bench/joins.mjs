/**
 * Questions over references beside PostgreSQL's joins, on the same objects: a page with the exact total, a page with the objects
 * that references name, and sums of groups, in this process and in SQL. Answers are compared before anything is timed. Needs
 * `npm run build`; as root, the server runs as the user `postgres`, who is created when missing. The sides take turns.
 *
 * Usage: node test/bench/joins.mjs [services=1000000] [teams=100000] [rounds=101]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { startPostgres } from './pg-server.mjs';
import { openPluginService } from './plugin-service.mjs';
import { formatMs, formatTable, quantile, timesOf } from './timing.mjs';

const [services, teams, rounds] = [1_000_000, 100_000, 101].map((value, i) =>
  Number(process.argv[i + 2] ?? value),
);
const PLUGIN = new URL('joins-plugin', import.meta.url).pathname;
const BATCH = 20_000;
const [TIERS, STATES, COSTS] = [100, 7, 997];
const SIZE = 20;
const EXPANDED = 50;
const ONCE = { runs: 1, seconds: 600 };

const teamName = (i) => `team-${String(i % teams).padStart(6, '0')}`;
const teamAt = (i) => ({ name: teamName(i), spec: { tier: `tier-${i % TIERS}`, size: (i * 31) % 500 } });
const serviceAt = (i) => ({
  name: `service-${String(i).padStart(7, '0')}`,
  spec: {
    team: teamName(Math.imul(i, 40_503) >>> 0),
    state: `state-${(i * i) % STATES}`,
    cost: (i * 7_919) % COSTS,
    title: `Service number ${i} of a team that has some more of them`,
  },
});

const JOINED = 'FROM services s JOIN teams t ON t.name = s.team WHERE';

/** A page of 20 by a condition on the teams. */
const page = ({ title, options, where, order = '', values }) => ({
  title,
  options: (n) => ({ ...options(n), size: SIZE }),
  found: ({ items, total }) => ({ total, names: items.map(({ metadata }) => metadata.name) }),
  sql: `SELECT s.doc, (SELECT count(*) ${JOINED} ${where}) AS total ${JOINED} ${where} ORDER BY ${order} s.name LIMIT ${SIZE}`,
  values,
  selected: (rows) => ({ total: Number(rows[0]?.total ?? 0), names: rows.map(({ doc }) => doc.name) }),
});

/** Each question in both languages. A tier has a hundredth of the teams. */
const QUESTIONS = [
  page({
    title: 'services of the teams of one tier, by name',
    options: (n) => ({ filter: `ref(spec.team).spec.tier == "tier-${n % TIERS}"` }),
    where: 't.tier = $1',
    values: (n) => [`tier-${n % TIERS}`],
  }),
  page({
    title: 'the same, of one state, most expensive first',
    options: (n) => ({
      filter: `ref(spec.team).spec.tier == "tier-${n % TIERS}" && spec.state == "state-1"`,
      sort: 'spec.cost,desc',
    }),
    where: `t.tier = $1 AND s.state = 'state-1'`,
    order: 's.cost DESC,',
    values: (n) => [`tier-${n % TIERS}`],
  }),
  page({
    title: 'services of the larger half of the teams, by name',
    options: (n) => ({ filter: `ref(spec.team).spec.size >= ${240 + (n % 20)}` }),
    where: 't.size >= $1',
    values: (n) => [240 + (n % 20)],
  }),
  {
    title: `a page of ${EXPANDED} of one price, with their teams`,
    options: (n) => ({ fieldSelector: `spec.cost=${n % COSTS}`, size: EXPANDED, expand: 'spec.team' }),
    found: ({ items, total, included }) => ({
      total,
      tiers: items.map(({ spec }) => included?.['teams.joins.example.com']?.[spec.team]?.spec.tier),
    }),
    sql: `SELECT s.doc, t.doc AS team, (SELECT count(*) FROM services WHERE cost = $1) AS total
          ${JOINED} s.cost = $1 ORDER BY s.name LIMIT ${EXPANDED}`,
    values: (n) => [n % COSTS],
    selected: (rows) => ({
      total: Number(rows[0]?.total ?? 0),
      tiers: rows.map(({ team }) => team.spec.tier),
    }),
  },
  {
    title: 'number and costs of the services in each state, from a price on',
    options: (n) => ({
      filter: `spec.cost >= ${n}`,
      aggregates: 'count,sum(spec.cost)',
      groupBy: 'spec.state',
      size: 1,
    }),
    found: ({ groups }) =>
      groups.map((group) => [group.key['spec.state'], group.count, Number(group['sum(spec.cost)'])]),
    sql: `SELECT state, count(*) AS count, sum(cost) AS sum FROM services WHERE cost >= $1
          GROUP BY state ORDER BY count DESC, state`,
    values: (n) => [n],
    selected: (rows) => rows.map(({ state, count, sum }) => [state, Number(count), Number(sum)]),
  },
];

const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
const postgres = await startPostgres(directory);
const ours = await openPluginService(path.join(directory, 'xsvc'), PLUGIN, { relaxed: true });
try {
  await load('teams', teams, teamAt, ['tier', 'size']);
  await load('services', services, serviceAt, ['team', 'state', 'cost']);
  await postgres.client.query('VACUUM ANALYZE');
  const head = ['', 'xsvc: first', 'p50', 'PostgreSQL: first', 'p50', 'ratio of p50'];
  const rows = [];
  for (const question of QUESTIONS) rows.push(await measure(question));
  console.log(`${services} services, ${teams} teams, PostgreSQL ${postgres.version}; ms`);
  console.log(formatTable([head, ...rows]));
} finally {
  await ours.close();
  await postgres.stop();
}

/** @param indexed the fields with an index on both sides */
async function load(table, count, at, indexed) {
  const { client } = postgres;
  const columns = Object.entries(at(0).spec).map(([field, value]) => ({
    field,
    type: typeof value === 'number' ? 'integer' : 'text',
  }));
  const declared = columns.map(({ field, type }) => `${field} ${type}, `).join('');
  await client.query(`CREATE TABLE ${table} (name text PRIMARY KEY, ${declared} doc jsonb NOT NULL)`);
  const values = columns.map(({ field, type }) => `(doc -> 'spec' ->> '${field}')::${type}, `).join('');
  const insert = `INSERT INTO ${table} SELECT doc ->> 'name', ${values} doc FROM jsonb_array_elements($1::jsonb) AS doc`;
  const resource = ours.find(table);
  for (let from = 0; from < count; from += BATCH) {
    const some = Array.from({ length: Math.min(BATCH, count - from) }, (_, i) => at(from + i));
    const create = ({ name, spec }) => ({ verb: 'create', resource, object: { metadata: { name }, spec } });
    await ours.service.batch(some.map(create));
    await client.query(insert, [JSON.stringify(some)]);
  }
  for (const field of indexed)
    await client.query(`CREATE INDEX ${table}_${field} ON ${table} (${field}, name)`);
}

async function measure({ title, options, found, sql, values, selected }) {
  const resource = ours.find('services');
  const list = async (n) => found(await ours.service.list(resource, options(n)));
  const select = async (n) => {
    const { rows } = await postgres.client.query({ name: title, text: sql, values: values(n) });
    return selected(rows);
  };
  const first = await timesOf(() => list(0), ONCE);
  const theirs = await timesOf(() => select(0), ONCE);
  for (let n = 1; n <= 3; n += 1)
    if (!isDeepStrictEqual(await list(n), await select(n))) throw new Error(`the answers differ: ${title}`);
  const times = { ours: [], theirs: [] };
  for (let n = 4; n < rounds + 4; n += 1) {
    times.ours.push(...(await timesOf(() => list(n), ONCE)));
    times.theirs.push(...(await timesOf(() => select(n), ONCE)));
  }
  const [our, their] = [quantile(times.ours, 0.5), quantile(times.theirs, 0.5)];
  return [title, ...[...first, our, ...theirs, their].map(formatMs), (our / their).toFixed(2)];
}
