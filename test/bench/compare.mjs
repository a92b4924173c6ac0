/**
 * Compares two builds of the service, with ratios of what each row measures and of its CPU time. Rounds alternate between
 * the builds; those with load take a second, and both daemons run meanwhile. A process may be faster or slower than the next
 * one for all of its life, so there are several starts of each. All rows take about 5 minutes a start. Needs `npm run build`
 * here, wrk, curl, taskset and two cores.
 * Usage: [OBJECTS=100000] [ROUNDS=6] [WARM_UPS=4] node test/bench/compare.mjs A [B=.] [starts=5] [rows...]
 * A and B are commits, which are built in a temporary directory, or directories that are built already. Rows by their names,
 * for example: get 'patch at 32', or get,'patch at 32'. A wrong name prints all of them.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { compareRows } from './compare-rows.mjs';
import { inventPackages, median } from './packages.mjs';
import { alternate, chooseRows, formatFigure } from './rows.mjs';
import { bytesIn, formatTable } from './timing.mjs';

const [a, b = '.', startsText = '5', ...chosen] = process.argv.slice(2);
if (a === undefined) throw new Error('name two commits, or directories with a build');
const numberOf = (variable, usual) => Number(process.env[variable] ?? usual);
const [objects, roundsMax] = [numberOf('OBJECTS', 100_000), numberOf('ROUNDS', 6)];
/** Patches wait for the disk, so that a daemon needs several rounds until its code is compiled. */
const warmUpsMax = numberOf('WARM_UPS', 4);

const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
const packages = inventPackages(objects);
const rows = chooseRows(compareRows({ packages, directory }), chosen);
const ofProgram = rows.filter(({ isOfProgram }) => isOfProgram);
const ofDaemon = rows.filter(({ isOfProgram }) => !isOfProgram);

const sides = [];
for (const [name, given] of Object.entries({ a, b })) sides.push(await openSide(name, given));

for (let start = 0; start < Number(startsText); start += 1) {
  await measureAll(ofProgram, alternate(sides, start));
  if (ofDaemon.length === 0) continue;
  const running = [];
  try {
    for (const side of alternate(sides, start)) running.push({ ...side, daemon: await side.start() });
    await measureAll(ofDaemon, running);
  } finally {
    for (const { daemon } of running) await daemon.stop();
  }
}
console.log(
  `${objects} objects, ${startsText} starts of each build, at most ${roundsMax} rounds in each, medians`,
);
const head = ['', 'unit', 'A', 'B', 'B : A', 'A, us of CPU', 'B, us of CPU', 'B : A'];
console.log(formatTable([head, ...rows.map(lineOf)]));

async function openSide(name, given) {
  const root = checkout(given, name);
  const bench = path.join(root, 'test/bench');
  const store = path.join(directory, `store-${name}`);
  fill(bench, store);
  const { startDaemon, PLUGINS } = await import(path.join(bench, 'daemon.mjs'));
  return {
    bin: path.join(root, 'bin/xsvc.js'),
    plugins: PLUGINS,
    store,
    bytes: bytesIn(store),
    start: (options) => startDaemon(store, options),
    results: new Map(rows.map((row) => [row, []])),
  };
}

async function measureAll(some, between) {
  for (const row of some) {
    const { run, rounds = roundsMax, warmUps = warmUpsMax } = row;
    for (const side of between)
      for (let round = 0; round < Math.min(warmUps, warmUpsMax); round += 1) await run(side);
    for (let round = 0; round < Math.min(rounds, roundsMax); round += 1)
      for (const side of alternate(between, round)) side.results.get(row).push(await run(side));
  }
}

function lineOf(row) {
  const middles = (key) => sides.map(({ results }) => median(results.get(row).map((one) => one[key] ?? NaN)));
  const compared = ([before, now]) => [
    formatFigure(before),
    formatFigure(now),
    Number.isFinite(now) ? (now / before).toFixed(3) : '-',
  ];
  return [row.name, row.unit, ...compared(middles('value')), ...compared(middles('cpu'))];
}

/** A directory with a build. The packages of a commit are those of this checkout. */
function checkout(given, name) {
  if (existsSync(path.join(given, 'package.json'))) return path.resolve(given);
  const here = new URL('../..', import.meta.url).pathname;
  const target = path.join(directory, name);
  execFileSync('git', ['clone', '-q', here, target]);
  execFileSync('git', ['checkout', '-q', given], { cwd: target });
  cpSync(path.join(here, 'node_modules'), path.join(target, 'node_modules'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  execFileSync('npm', ['run', 'build'], { cwd: target, stdio: 'ignore' });
  return target;
}

/** Each side fills its own store, in a process of its own: two copies of the native module cannot share one. */
function fill(bench, store) {
  const file = path.join(directory, 'fill.mjs');
  writeFileSync(
    file,
    `const { inventPackages } = await import(${JSON.stringify(path.join(bench, 'packages.mjs'))});
     const { fillStore } = await import(${JSON.stringify(path.join(bench, 'store.mjs'))});
     await fillStore(${JSON.stringify(store)}, inventPackages(${objects}));`,
  );
  execFileSync(process.execPath, [file], { stdio: 'inherit' });
}
