/**
 * The service beside a thin server on PostgreSQL (fastify and pg): the same objects, the same four indexes, the same
 * clients, turn by turn. Some rows have plain node:http too, with the same bytes. Ratios of one run, medians of the rounds.
 * Needs `npm run build`. The client is wrk when that is installed. A full run of 5 rounds takes less than 15 minutes: a load
 * takes 3 s of each side and round.
 * Usage: [OBJECTS=100000] [SECONDS=3] node test/bench/peers.mjs [rounds=5] [rows...]
 * Rows by their names, for example: get 'page any' 'patch at 64', or get,'page any'. A wrong name prints all of them.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { median } from './packages.mjs';
import { PAGE, peerRows } from './peer-rows.mjs';
import { openPlain, openSides } from './peer-sides.mjs';
import { alternate, chooseRows, formatFigure } from './rows.mjs';
import { formatTable } from './timing.mjs';

const [rounds, ...names] = [Number(process.argv[2] ?? 5), ...process.argv.slice(3)];
const [objects, seconds] = [Number(process.env.OBJECTS ?? 100_000), Number(process.env.SECONDS ?? 3)];
const rows = chooseRows(peerRows({ objects, seconds }), names);

const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
const { sides, loaded, stop } = await openSides(directory, objects);
try {
  console.log(
    `${objects} objects, ${rounds} rounds, loads of ${seconds} s; beside fastify and pg on ${loaded}`,
  );
  await compareAnswers();
  const table = [];
  for (const row of rows) table.push(await lineOf(row));
  const head = ['', 'unit', 'xsvc', 'PostgreSQL', 'ratio', 'node:http', 'ratio'];
  console.log(formatTable([[...head, 'CPU us: xsvc', 'PostgreSQL', 'node:http'], ...table]));
} finally {
  await stop();
}

async function lineOf(row) {
  const plain = row.plain === undefined ? undefined : await openPlain(sides.xsvc.url + row.plain);
  const all = { ...sides, 'node:http': plain };
  const seen = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      const measured = {};
      for (const name of alternate(row.sides, round)) measured[name] = await row.run(all[name], round);
      seen.push(row.finish?.(measured) ?? measured);
    }
  } finally {
    await plain?.stop();
  }
  const middle = (read) => formatFigure(median(seen.map((measured) => read(measured) ?? NaN)));
  const valueOf = (name) => middle((measured) => measured[name]?.value);
  // A difference of two measurements may be nothing.
  const ratioTo = (name) =>
    middle(({ xsvc, [name]: other }) => (other?.value > 0 ? xsvc.value / other.value : NaN));
  const cpuOf = (name) => middle((measured) => measured[name]?.cpu);
  return [
    row.title,
    row.unit,
    valueOf('xsvc'),
    ...['PostgreSQL', 'node:http'].flatMap((name) => [valueOf(name), ratioTo(name)]),
    ...['xsvc', 'PostgreSQL', 'node:http'].map(cpuOf),
  ];
}

/** Both sides select and sort alike. */
async function compareAnswers() {
  const [ours, theirs] = await Promise.all(
    Object.values(sides).map(async ({ url }) => {
      const { items, total } = await (await fetch(url + PAGE)).json();
      return JSON.stringify({ total: Number(total), names: items.map(({ metadata }) => metadata.name) });
    }),
  );
  if (ours !== theirs) throw new Error(`the servers answer differently:\n${ours}\n${theirs}`);
}
