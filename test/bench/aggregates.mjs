/**
 * Measures groups and aggregates of lists, beside a scan of all objects that sums the same in JavaScript: the first
 * answer, which reads the indexes; later ones, from memory; and those after a write each. Wall time and time of the
 * processor, medians; the questions take turns. Needs `npm run build`.
 *
 * Usage: node test/bench/aggregates.mjs [counts=100000,1000000] [rounds=15] [directory]
 * With a directory, the stores in its directories `<count>` are used, and made when they are missing.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ITEMS_PLUGIN } from './items.mjs';
import { openPluginService } from './plugin-service.mjs';
import { formatMs, formatTable, quantile } from './timing.mjs';

const counts = (process.argv[2] ?? '100000,1000000').split(',').map(Number);
const rounds = Number(process.argv[3] ?? 15);
const kept = process.argv[4];
const directory = kept ?? mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
if (kept === undefined) process.on('exit', () => rmSync(directory, { recursive: true, force: true }));

const MAKE_STORE = new URL('items-store.mjs', import.meta.url).pathname;

const QUESTIONS = [
  { title: 'count by section (60)', aggregates: 'count', groupBy: 'spec.section' },
  { title: 'sum of size by section', aggregates: 'sum(spec.size)', groupBy: 'spec.section' },
  {
    title: 'sum, avg, min and max of size by owner (a thousandth)',
    aggregates: 'sum(spec.size),avg(spec.size),min(spec.size),max(spec.size)',
    groupBy: 'spec.owner',
  },
  {
    title: 'sum of size by section and a label (180)',
    aggregates: 'sum(spec.size)',
    groupBy: 'spec.section,metadata.labels["tier"]',
  },
  { title: 'first time by section', aggregates: 'min(spec.time)', groupBy: 'spec.section' },
  {
    title: 'sum of size by section, of one label in 50',
    aggregates: 'sum(spec.size)',
    groupBy: 'spec.section',
    labelSelector: 'team=team-7',
  },
  { title: 'sum of size', aggregates: 'sum(spec.size)' },
];

for (const count of counts) await measure(count);

async function measure(count) {
  const store = path.join(directory, String(count));
  if (!existsSync(store)) execFileSync(process.execPath, [MAKE_STORE, store, String(count)]);
  const { service, find, close } = await openPluginService(store, ITEMS_PLUGIN);
  const resource = find('items');
  const rows = QUESTIONS.map(({ title, ...options }) => ({
    title,
    options,
    first: [],
    later: [],
    written: [],
  }));
  const [some] = (await service.list(resource, { size: 1 })).items;
  const ask = (options) => service.list(resource, { ...options, size: 1 });
  for (const { options, first } of rows) first.push(await timed(() => ask(options)));
  for (let round = 0; round < rounds; round++) {
    for (const { options, later } of rows) later.push(await timed(() => ask(options)));
    for (const { options, written } of rows) {
      const size = Math.floor(Math.random() * 1_000);
      await service.patch(resource, some.metadata.name, { spec: { size } }, 'merge');
      written.push(await timed(() => ask(options)));
    }
  }
  const scan = [await timed(() => scanned(service, resource))];
  await close();
  const cells = ({ title, first, later = [], written = [] }) => [
    title,
    ...[first, later, written].map(median),
  ];
  console.log(`${count.toLocaleString('en')} objects, wall / processor in ms`);
  const head = ['', 'first', 'later', 'after a write'];
  console.log(
    `${formatTable([head, ...[...rows, { title: 'scan of all objects', first: scan }].map(cells)])}\n`,
  );
}

async function scanned(service, resource) {
  const sums = new Map();
  for await (const { spec } of service.listAll(resource)) {
    sums.set(spec.section, (sums.get(spec.section) ?? 0) + spec.size);
  }
}

async function timed(task) {
  const [began, used] = [performance.now(), process.cpuUsage()];
  await task();
  const { user, system } = process.cpuUsage(used);
  return { wall: performance.now() - began, processor: (user + system) / 1_000 };
}

function median(times) {
  if (times.length === 0) return '';
  const of = (name) =>
    formatMs(
      quantile(
        times.map((time) => time[name]),
        0.5,
      ),
    );
  return `${of('wall')} / ${of('processor')}`;
}
