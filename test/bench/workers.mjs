/**
 * Measures the gain of `--workers N`: GET by name, pages of 10, and durable creates over HTTP with 64 connections, each
 * beside one process in the same run. wrk takes processor time too, so with two cores all of them share it.
 * Needs `npm run build`, wrk and taskset. Usage: node test/bench/workers.mjs [workers=2] [rounds=5] [seconds=3]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PLUGINS, startProcess } from './daemon.mjs';
import { median, readPackages } from './packages.mjs';
import { fillStore } from './store.mjs';
import { requestsPerSecond } from './wrk.mjs';

const [workers, rounds, seconds] = [2, 5, 3].map((fallback, i) => Number(process.argv[2 + i] ?? fallback));
const BIN = new URL('../../bin/xsvc.js', import.meta.url).pathname;
const PACKAGES = '/apis/catalogue.example.com/v1alpha1/packages';
const PERSONS = '/apis/demo.example.com/v1alpha1/persons';
const CREATE = (prefix) => `
local id = 0
request = function()
  id = id + 1
  local name = "${prefix}-" .. id
  return wrk.format("POST", nil, { ["Content-Type"] = "application/json" },
    '{"metadata":{"name":"' .. name .. '"},"spec":{"name":"Ann","age":30,"gender":"FEMALE","tags":["a","b"]}}')
end
`;

const dataDir = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
const { packages, source } = readPackages();
await fillStore(dataDir, packages);
console.log(`${packages.length} packages (${source}), ${rounds} rounds of ${seconds} s, 64 connections`);

const name = packages[Math.floor(packages.length / 2)].metadata.name;
let creates = 0;
const tasks = {
  'GET by name': (url) => [`${url}${PACKAGES}/${name}`, undefined],
  'page of 10 by an indexed field': (url) => [
    `${url}${PACKAGES}?sort=spec.installedSize,desc&size=10`,
    undefined,
  ],
  'page of 10 of those with a label': (url) => [
    `${url}${PACKAGES}?fieldSelector=spec.priority%3Doptional&size=10`,
    undefined,
  ],
  'durable create': (url) => [`${url}${PERSONS}`, CREATE(`c${Date.now()}-${++creates}`)],
};

/** One daemon at a time: an idle one would still hold memory and wake up. */
const rates = new Map(Object.keys(tasks).map((task) => [task, { one: [], many: [] }]));
try {
  for (let round = 0; round < rounds; round++) {
    for (const [key, count] of [
      ['one', 1],
      ['many', workers],
    ]) {
      const flags = ['--port', '0', '--data-dir', dataDir, '--plugins', PLUGINS, '--log-level', 'warn'];
      const daemon = await startProcess([BIN, 'serve', '--workers', String(count), ...flags], {});
      try {
        for (const [task, request] of Object.entries(tasks)) {
          const [url, lua] = request(daemon.url);
          await requestsPerSecond(url, { connections: 64, seconds: 1, lua });
          const again = request(daemon.url);
          const rate = await requestsPerSecond(again[0], { connections: 64, seconds, lua: again[1] });
          rates.get(task)[key].push(rate);
        }
      } finally {
        await daemon.stop();
      }
    }
  }
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
for (const [task, { one, many }] of rates) {
  const [before, after] = [median(one), median(many)];
  console.log(
    `${task}: ${Math.round(before)}/s with one, ${Math.round(after)}/s with ${workers}, ratio ${(after / before).toFixed(2)}`,
  );
}
