/**
 * Compares two builds of the service: CPU time of a request and requests per second, as ratios. Both daemons run at the
 * same time, and rounds of a second alternate between them. A process may be faster or slower than the next one for all
 * of its life, so there are several starts of each. Needs wrk, curl, taskset and two cores.
 * Usage: node test/bench/compare.mjs A [B=.] [starts=5] [cases, for example get,page]
 * A and B are commits, which are built in a temporary directory, or directories that are built already.
 */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inventPackages, median } from './packages.mjs';
import { formatTable } from './timing.mjs';
import { requestsPerSecond } from './wrk.mjs';

const [a, b = '.', startsText = '5', casesText] = process.argv.slice(2);
if (a === undefined) throw new Error('name two commits, or directories with a build');
const OBJECTS = 100_000;
/** Patches wait for the disk, so that a daemon needs several rounds until its code is compiled. */
const WARM_UPS = 4;
const ROUNDS = 6;
const PACKAGES = '/apis/catalogue.example.com/v1alpha1/packages';
const PAGE = `${PACKAGES}?filter=spec.priority=='optional'&sort=spec.installedSize,desc&size=10`;
const names = inventPackages(OBJECTS).map(({ metadata }) => metadata.name);

const CREATE = `
local start = os.time() .. "-" .. math.floor(os.clock() * 1000000)
local id = 0
request = function()
  id = id + 1
  return wrk.format("POST", "/apis/demo.example.com/v1alpha1/persons", { ["Content-Type"] = "application/json" },
    '{"metadata":{"name":"p' .. start .. "-" .. id .. '"},"spec":{"name":"Ann","age":30,"gender":"FEMALE","tags":["a","b"]}}')
end
`;
const PATCH = `
local size = 0
request = function()
  size = size + 1
  return wrk.format("PATCH", "${PACKAGES}/${names[OBJECTS / 2]}", { ["Content-Type"] = "application/merge-patch+json" },
    '{"spec":{"installedSize":' .. size .. '}}')
end
`;

const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));

/** A case sends requests to a daemon for about a second, and returns how many. */
const CASES = {
  get: load(`${PACKAGES}/${names[OBJECTS / 2]}`, { connections: 32 }),
  page: load(PAGE, { connections: 16 }),
  'page under writes': (url) => {
    const writer = spawn(process.execPath, ['-e', writes(url)], { stdio: 'ignore' });
    try {
      return load(PAGE, { connections: 16 })(url);
    } finally {
      writer.kill();
    }
  },
  'create at 64': load('', { connections: 64, lua: CREATE }),
  'patch at 1': load('', { connections: 1, lua: PATCH }),
  'patch at 32': load('', { connections: 32, lua: PATCH }),
  list: (url) => {
    for (let i = 0; i < 2; i++)
      execFileSync('taskset', ['-c', '1', 'curl', '-sf', '-o', '/dev/null', url + PACKAGES]);
    return 2;
  },
};
const cases = casesText?.split(',') ?? Object.keys(CASES);

const sides = [];
for (const [name, given] of Object.entries({ a, b })) {
  const bench = path.join(checkout(given, name), 'test/bench');
  const store = path.join(directory, `store-${name}`);
  fill(bench, store);
  const { startDaemon } = await import(path.join(bench, 'daemon.mjs'));
  sides.push({ start: () => startDaemon(store), results: new Map(cases.map((one) => [one, []])) });
}

for (let i = 0; i < Number(startsText); i++) {
  const running = [];
  for (const side of alternate(sides, i)) running.push({ ...side, daemon: await side.start() });
  for (const one of cases) {
    for (const { daemon } of running) for (let k = 0; k < WARM_UPS; k++) CASES[one](daemon.url);
    for (let round = 0; round < ROUNDS; round++)
      for (const { daemon, results } of alternate(running, round))
        results.get(one).push(measure(daemon, CASES[one]));
  }
  for (const { daemon } of running) await daemon.stop();
}

const rows = cases.map((one) => {
  const [before, now] = sides.map(({ results }) => results.get(one));
  const middle = (some, key) => median(some.map((result) => result[key]));
  const micros = [before, now].map((some) => middle(some, 'micros'));
  const ratio = middle(now, 'rate') / middle(before, 'rate');
  return [
    one,
    ...micros.map((value) => value.toFixed(1)),
    (micros[1] / micros[0]).toFixed(3),
    ratio.toFixed(3),
  ];
});
console.log(`${startsText} starts of each daemon, ${ROUNDS} rounds in each, medians`);
console.log(formatTable([['', 'A, µs of CPU', 'B, µs of CPU', 'B : A', 'requests/s, B : A'], ...rows]));

function alternate(some, round) {
  return round % 2 === 0 ? some : some.toReversed();
}

function measure({ url, pid }, send) {
  const cpu = cpuMicros(pid);
  const began = performance.now();
  const requests = send(url);
  return { micros: (cpuMicros(pid) - cpu) / requests, rate: requests / (performance.now() - began) };
}

function load(urlPath, options) {
  return (url) => requestsPerSecond(encodeURI(url + urlPath), { ...options, seconds: 1 });
}

/** A program that patches the sort field of 20 objects a second. */
function writes(url) {
  return `
    const names = ${JSON.stringify(names.slice(0, 1_000))};
    setInterval(() => {
      const name = names[Math.floor(Math.random() * names.length)];
      void fetch(${JSON.stringify(url + PACKAGES)} + '/' + name, {
        method: 'PATCH',
        headers: { 'Content-Type': 'application/merge-patch+json' },
        body: JSON.stringify({ spec: { installedSize: Math.floor(Math.random() * 1e6) } }),
      });
    }, 50);`;
}

/** CPU time of all threads of a process. */
function cpuMicros(pid) {
  const nanoseconds = readdirSync(`/proc/${pid}/task`).map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1000;
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
     await fillStore(${JSON.stringify(store)}, inventPackages(${OBJECTS}));`,
  );
  execFileSync(process.execPath, [file], { stdio: 'inherit' });
}
