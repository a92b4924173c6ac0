import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { amongWrites, middle } from '../../dist/cli/bench/load.js';
import { broadcast } from '../../dist/cli/bench/watchers.js';
import { cpuMicros } from './cpu.mjs';
import { runWrk } from './wrk.mjs';

const MERGE_PATCH = 'application/merge-patch+json';
const PACKAGES = '/apis/catalogue.example.com/v1alpha1/packages';
const PAGE = encodeURI(`${PACKAGES}?filter=spec.priority=='optional'&sort=spec.installedSize,desc&size=10`);
const ANY_PAGE = `
request = function() return wrk.format("GET", "${PAGE}&page=" .. math.random(1000)) end
`;
const CREATE = `
local start = os.time() .. "-" .. math.floor(os.clock() * 1000000)
local id = 0
request = function()
  id = id + 1
  return wrk.format("POST", "/apis/demo.example.com/v1alpha1/persons", { ["Content-Type"] = "application/json" },
    '{"metadata":{"name":"p' .. start .. "-" .. id .. '"},"spec":{"name":"Ann","age":30,"gender":"FEMALE","tags":["a","b"]}}')
end
`;
const WATCHERS = 200;
const WRITES = 50;

/**
 * The rows of `compare.mjs`. `run` measures a side once: its value in the unit, and microseconds of processor time for an
 * operation, which is a request, a command, an imported object or an event. `isOfProgram`: no daemon runs meanwhile.
 */
export function compareRows({ packages, directory }) {
  const names = packages.map(({ metadata }) => metadata.name);
  const one = names[Math.floor(names.length / 2)];
  const inLua = (number) => `{ "${names.slice(0, number).join('", "')}" }`;
  const PATCH = `
local names = ${inLua(1_000)}
local size = 0
request = function()
  size = size + 1
  return wrk.format("PATCH", "${PACKAGES}/" .. names[size % #names + 1], { ["Content-Type"] = "${MERGE_PATCH}" },
    '{"spec":{"installedSize":' .. size .. '}}')
end
`;
  const write = (url) => async (n) => {
    const answer = await fetch(`${url + PACKAGES}/${names[(n * 7919) % names.length]}`, {
      method: 'PATCH',
      headers: { 'Content-Type': MERGE_PATCH },
      body: JSON.stringify({ spec: { installedSize: Math.floor(Math.random() * 1e6) } }),
    });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`a patch was answered with ${answer.status}`);
  };
  const file = path.join(directory, 'packages.ndjson');
  writeFileSync(file, packages.map((object) => `${JSON.stringify(object)}\n`).join(''));
  const oneFile = path.join(directory, 'one.json');
  writeFileSync(oneFile, JSON.stringify(packages[0]));

  return [
    {
      name: 'bytes',
      unit: 'bytes/object',
      isOfProgram: true,
      rounds: 1,
      warmUps: 0,
      run: ({ bytes }) => ({ value: bytes / packages.length }),
    },
    {
      name: 'import',
      unit: 'objects/s',
      isOfProgram: true,
      rounds: 1,
      warmUps: 0,
      run({ bin, plugins }) {
        const dataDir = path.join(directory, 'imported');
        const { ms, cpu } = command(bin, ['import', '-f', file, '--data-dir', dataDir, '--plugins', plugins]);
        rmSync(dataDir, { recursive: true });
        return { value: (packages.length * 1000) / ms, cpu: cpu / packages.length };
      },
    },
    {
      name: 'cold get',
      unit: 'ms',
      isOfProgram: true,
      warmUps: 1,
      run({ bin, store }) {
        const { ms, cpu } = command(bin, ['get', 'packages', one, '--data-dir', store]);
        return { value: ms, cpu };
      },
    },
    {
      name: 'cold apply',
      unit: 'ms',
      isOfProgram: true,
      warmUps: 1,
      run({ bin, store, plugins }) {
        const args = ['apply', '-f', oneFile, '--data-dir', store, '--plugins', plugins];
        const { ms, cpu } = command(bin, args);
        return { value: ms, cpu };
      },
    },
    {
      name: 'start',
      unit: 'ms',
      isOfProgram: true,
      warmUps: 1,
      async run({ start }) {
        const began = performance.now();
        const daemon = await start({ core: undefined });
        await (await fetch(`${daemon.url + PACKAGES}/${one}`)).arrayBuffer();
        const value = performance.now() - began;
        const cpu = cpuMicros(daemon.pid);
        await daemon.stop();
        return { value, cpu };
      },
    },
    { name: 'get', unit: '/s', run: load(32, `${PACKAGES}/${one}`) },
    { name: 'page', unit: '/s', run: load(16, PAGE) },
    { name: 'page any', unit: '/s', run: load(16, '', ANY_PAGE) },
    {
      name: 'page under writes',
      unit: '/s',
      run: (side) => amongWrites(write(side.daemon.url), () => load(16, PAGE)(side)),
    },
    { name: 'create at 64', unit: '/s', run: load(64, '', CREATE) },
    ...[1, 8, 32, 64].map((connections) => ({
      name: `patch at ${connections}`,
      unit: '/s',
      run: load(connections, '', PATCH),
    })),
    { name: 'list', unit: '/s', run: lists },
    {
      name: 'watch',
      unit: 'ms',
      async run({ daemon: { url, pid } }) {
        const before = cpuOfThreads(pid);
        const heard = await broadcast({
          url: `${url + PACKAGES}?watch=true`,
          watchers: WATCHERS,
          writes: WRITES,
          atOnce: 1,
          write: write(url),
        });
        return {
          value: middle(heard.latenciesMs),
          cpu: (cpuOfThreads(pid) - before) / heard.latenciesMs.length,
        };
      },
    },
  ];
}

/** Requests of a second. */
function load(connections, urlPath, lua) {
  return async ({ daemon: { url, pid } }) => {
    const before = cpuOfThreads(pid);
    const { rate, count } = await runWrk(url + urlPath, { connections, lua, seconds: 1 });
    return { value: rate, cpu: (cpuOfThreads(pid) - before) / count };
  };
}

function lists({ daemon: { url, pid } }) {
  const [count, before, began] = [2, cpuOfThreads(pid), performance.now()];
  for (let i = 0; i < count; i += 1)
    execFileSync('taskset', ['-c', '1', 'curl', '-sf', '-o', '/dev/null', url + PACKAGES]);
  const seconds = (performance.now() - began) / 1000;
  return { value: count / seconds, cpu: (cpuOfThreads(pid) - before) / count };
}

/** Runs a command of the program to its end. */
function command(bin, args) {
  const [began, before] = [performance.now(), cpuMicros(process.pid)];
  execFileSync(process.execPath, [bin, ...args], { stdio: 'pipe' });
  return { ms: performance.now() - began, cpu: cpuMicros(process.pid) - before };
}

/** Microseconds of all threads of a process; unlike {@link cpuMicros} it is not in ticks, so a round of a second is enough. */
function cpuOfThreads(pid) {
  const nanoseconds = readdirSync(`/proc/${pid}/task`).map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1000;
}
