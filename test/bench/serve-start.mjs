/**
 * Measures how long `serve` takes on the example plugins until it says that it is ready, beside `node -e 0`:
 * alternately, on a store and a cache of compiled plugins that exist already. All processes are of the Node that runs this
 * program, so another one is measured by its path: /path/to/node test/bench/serve-start.mjs
 * Usage: node test/bench/serve-start.mjs [rounds=20]
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cpuMicros } from './cpu.mjs';
import { startDaemon } from './daemon.mjs';
import { median } from './packages.mjs';

const rounds = Number(process.argv[2] ?? 20);
const plugins = new URL('../../plugins', import.meta.url).pathname;
const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));

await serve();
const [bare, ready] = [[], []];
for (let round = 0; round < rounds; round++) {
  bare.push(bareNodeMs());
  ready.push(await serve());
}
rmSync(directory, { recursive: true });

const [bareMs, readyMs] = [median(bare), median(ready.map(({ ms }) => ms))];
console.log(`Node ${process.versions.node}, ${rounds} rounds, medians`);
console.log(`node -e 0: ${bareMs.toFixed(0)} ms`);
console.log(
  `serve is ready: ${readyMs.toFixed(0)} ms, ${(readyMs / bareMs).toFixed(1)} times as long, ` +
    `${median(ready.map(({ cpuMs }) => cpuMs))} ms of processor time`,
);

function bareNodeMs() {
  const began = performance.now();
  spawnSync(process.execPath, ['-e', '0']);
  return performance.now() - began;
}

async function serve() {
  const daemon = await startDaemon(directory, { plugins, core: undefined });
  const cpuMs = cpuMicros(daemon.pid) / 1000;
  await daemon.stop();
  return { ms: daemon.readyMs, cpuMs };
}
