/**
 * Compares the daemon with that of another checkout: CPU time of a request, as a ratio, and requests per second. The
 * daemons run alone, in turns, because two on one core slow each other unevenly; a start of a process may be faster or
 * slower than the next, so there are several. Needs `npm run build` in both, wrk, curl, taskset and two cores.
 * Usage: node test/bench/beside.mjs OTHER_CHECKOUT [starts=10] [cases, for example get,page]
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inventPackages, median } from './packages.mjs';
import { formatTable } from './timing.mjs';
import { requestsPerSecond } from './wrk.mjs';

const [other, startsText = '10', casesText] = process.argv.slice(2);
if (other === undefined) throw new Error('name the directory of another checkout');
const starts = Number(startsText);
const OBJECTS = 100_000;
const SECONDS = 1;
/** Patches wait for the disk, so that a daemon needs several rounds until its code is compiled. */
const WARM_UPS = 4;
const ROUNDS = 3;
const PACKAGES = '/apis/catalogue.example.com/v1alpha1/packages';
const NAME = inventPackages(OBJECTS)[OBJECTS / 2].metadata.name;

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
  return wrk.format("PATCH", "${PACKAGES}/${NAME}", { ["Content-Type"] = "application/merge-patch+json" },
    '{"spec":{"installedSize":' .. size .. '}}')
end
`;

/** A case sends requests to a daemon, and returns their number. */
const CASES = {
  get: load(`${PACKAGES}/${NAME}`, { connections: 32 }),
  page: load(`${PACKAGES}?sort=spec.installedSize,desc&size=10`, { connections: 32 }),
  create: load('', { connections: 64, lua: CREATE }),
  patch: load('', { connections: 16, lua: PATCH }),
  list: (url) => {
    for (let i = 0; i < 2; i++)
      execFileSync('taskset', ['-c', '1', 'curl', '-sf', '-o', '/dev/null', url + PACKAGES]);
    return 2;
  },
};
const cases = casesText?.split(',') ?? Object.keys(CASES);

const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
const here = new URL('../..', import.meta.url).pathname;
const sides = [];
for (const [name, checkout] of [
  ['other', path.resolve(other)],
  ['this', here],
]) {
  const bench = path.join(checkout, 'test/bench');
  const store = path.join(directory, name);
  fill(bench, store);
  const { startDaemon } = await import(path.join(bench, 'daemon.mjs'));
  sides.push({ start: () => startDaemon(store), results: new Map(cases.map((one) => [one, []])) });
}

for (let i = 0; i < starts; i++) {
  for (const { start, results } of i % 2 === 0 ? sides : sides.toReversed()) {
    const daemon = await start();
    try {
      for (const one of cases) results.get(one).push(measure(daemon, CASES[one]));
    } finally {
      await daemon.stop();
    }
  }
}

const rows = cases.map((one) => {
  const [before, now] = sides.map(({ results }) => results.get(one));
  const middle = (some, key) => median(some.map((result) => result[key]));
  const micros = [before, now].map((some) => middle(some, 'micros'));
  const rates = [before, now].map((some) => middle(some, 'rate'));
  return [
    one,
    ...micros.map((value) => value.toFixed(1)),
    (micros[1] / micros[0]).toFixed(3),
    (rates[1] / rates[0]).toFixed(3),
  ];
});
console.log(`${starts} starts of each daemon, medians`);
console.log(
  formatTable([['request', 'other, µs of CPU', 'this', 'ratio of CPU', 'ratio of requests/s'], ...rows]),
);

function measure({ url, pid }, send) {
  for (let i = 0; i < WARM_UPS; i++) send(url);
  const rounds = Array.from({ length: ROUNDS }, () => {
    const cpu = cpuMicros(pid);
    const began = performance.now();
    const requests = send(url);
    return { micros: (cpuMicros(pid) - cpu) / requests, rate: requests / (performance.now() - began) };
  });
  return {
    micros: median(rounds.map(({ micros }) => micros)),
    rate: median(rounds.map(({ rate }) => rate)),
  };
}

function load(urlPath, options) {
  return (url) => requestsPerSecond(url + urlPath, { ...options, seconds: SECONDS }) * SECONDS;
}

/** CPU time of all threads of a process. */
function cpuMicros(pid) {
  const nanoseconds = readdirSync(`/proc/${pid}/task`).map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1000;
}

/** Each checkout fills its own store, in a process of its own: two copies of the native module cannot share one. */
function fill(bench, store) {
  const code = `
    const { inventPackages } = await import(${JSON.stringify(path.join(bench, 'packages.mjs'))});
    const { fillStore } = await import(${JSON.stringify(path.join(bench, 'store.mjs'))});
    await fillStore(${JSON.stringify(store)}, inventPackages(${OBJECTS}));
  `;
  execFileSync(process.execPath, ['--input-type=module', '-e', code], { stdio: 'inherit' });
}
