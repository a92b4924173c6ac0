/**
 * GET by name, a page of 10 by an indexed field, and durable creates over HTTP, each as a ratio measured in the
 * same run. Needs `npm run build`, wrk, taskset and two cores. Usage: node test/bench/http.mjs [rounds=5] [seconds=3]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startDaemon, startProcess } from './daemon.mjs';
import { median, readPackages } from './packages.mjs';
import { fillStore, openService } from './store.mjs';
import { requestsPerSecond } from './wrk.mjs';

const rounds = Number(process.argv[2] ?? 5);
const seconds = Number(process.argv[3] ?? 3);
const PACKAGES = '/apis/catalogue.example.com/v1alpha1/packages';
const PERSONS = '/apis/demo.example.com/v1alpha1/persons';
const CREATE = `
local start = os.time()
local id = 0
request = function()
  id = id + 1
  local name = "p" .. start .. "-" .. id
  return wrk.format("POST", nil, { ["Content-Type"] = "application/json" },
    '{"metadata":{"name":"' .. name .. '"},"spec":{"name":"Ann","age":30,"gender":"FEMALE","tags":["a","b"]}}')
end
`;

let createRate = 0;
const dataDir = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
const { packages, source } = readPackages();
await fillStore(dataDir, packages);
console.log(`${packages.length} packages (${source}), ${rounds} rounds of ${seconds} s`);

const name = packages[Math.floor(packages.length / 2)].metadata.name;
const daemon = await startDaemon(dataDir);
try {
  await compareWithPlain('GET by name', `${PACKAGES}/${name}`, 32);
  const page = `${PACKAGES}?sort=spec.installedSize,desc&size=10`;
  await compareWithPlain('page of 10 by an indexed field, always the same', page, 32);
  await compareWithPlain('page of 10 by an indexed field, any of 1,000 pages', page, 32, anyPage(page));
} finally {
  await daemon.stop();
}
await creates();
await inProcess();
rmSync(dataDir, { recursive: true });

/** Asks for another page each time. */
function anyPage(page) {
  return `request = function() return wrk.format("GET", "${page}&page=" .. math.random(1000)) end`;
}

async function compareWithPlain(title, urlPath, connections, lua) {
  const answer = Buffer.from(await (await fetch(daemon.url + urlPath)).arrayBuffer());
  const plain = await startProcess([
    new URL('plain-server.mjs', import.meta.url).pathname,
    answer.toString('base64'),
  ]);
  const results = [];
  try {
    for (let round = 0; round < rounds; round++) {
      const theirs = await requestsPerSecond(plain.url, { connections, seconds });
      const ours = await requestsPerSecond(daemon.url + urlPath, { connections, seconds, lua });
      results.push({ theirs, ours, ratio: ours / theirs });
    }
  } finally {
    await plain.stop();
  }
  const middle = (key) => median(results.map((result) => result[key]));
  console.log(
    `${title}: ${middle('ours').toFixed(0)}/s, plain node:http with the same ${answer.length} bytes ` +
      `${middle('theirs').toFixed(0)}/s, ratio ${middle('ratio').toFixed(2)}`,
  );
}

/** With both cores, as a service runs: the flush to disk is another thread's work. */
async function creates() {
  const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
  const daemon = await startDaemon(directory, { core: undefined });
  const rates = [];
  for (let round = 0; round < rounds; round++) {
    rates.push(await requestsPerSecond(daemon.url + PERSONS, { connections: 64, seconds, lua: CREATE }));
  }
  await daemon.stop();
  rmSync(directory, { recursive: true });
  createRate = median(rates);
  console.log(`durable creates over HTTP, 64 connections: ${createRate.toFixed(0)}/s`);
}

/** The same creates in this process, 64 at a time. */
async function inProcess() {
  const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
  const { service, close, find } = await openService(directory);
  const persons = find('persons');
  const rates = [];
  let id = 0;
  for (let round = 0; round < rounds; round++) {
    const until = performance.now() + seconds * 1000;
    const first = id;
    const began = performance.now();
    const worker = async () => {
      while (performance.now() < until) {
        const object = {
          metadata: { name: `p${began.toFixed()}-${++id}` },
          spec: { name: 'Ann', age: 30, gender: 'FEMALE', tags: ['a', 'b'] },
        };
        await service.create(persons, object);
      }
    };
    await Promise.all(Array.from({ length: 64 }, worker));
    rates.push(((id - first) / (performance.now() - began)) * 1000);
  }
  await close();
  rmSync(directory, { recursive: true });
  const rate = median(rates);
  console.log(`the same creates in process: ${rate.toFixed(0)}/s, ratio ${(createRate / rate).toFixed(2)}`);
}
