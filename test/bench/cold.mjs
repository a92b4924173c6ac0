/**
 * Measures the time of a command in a fresh process, beside `node -e 0`. All processes are of the Node that runs this program,
 * so another one is measured by its path: /path/to/node test/bench/cold.mjs
 * Usage: node test/bench/cold.mjs [rounds=21]
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PLUGINS } from './daemon.mjs';
import { median, readPackages } from './packages.mjs';
import { fillStore } from './store.mjs';

const rounds = Number(process.argv[2] ?? 21);
const BIN = new URL('../../bin/xsvc.js', import.meta.url).pathname;
const dataDir = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
const { packages } = readPackages();
await fillStore(dataDir, packages);
const file = path.join(dataDir, 'one.json');
writeFileSync(file, JSON.stringify(packages[0]));

const commands = {
  'node -e 0': ['-e', '0'],
  'xsvc get of one object': [BIN, 'get', 'packages', packages[0].metadata.name, '--data-dir', dataDir],
  'xsvc apply of one file, unchanged': [
    BIN,
    'apply',
    '-f',
    file,
    '--data-dir',
    dataDir,
    '--plugins',
    PLUGINS,
  ],
  'xsvc --help': [BIN, '--help'],
};
console.log(`Node ${process.versions.node}, ${rounds} rounds, medians`);
const times = Object.fromEntries(Object.keys(commands).map((title) => [title, []]));
for (let round = 0; round < rounds; round++) {
  for (const [title, args] of Object.entries(commands)) {
    const began = performance.now();
    execFileSync(process.execPath, args, { stdio: 'pipe' });
    times[title].push(performance.now() - began);
  }
}
const base = median(times['node -e 0']);
for (const [title, values] of Object.entries(times)) {
  console.log(`${title}: ${median(values).toFixed(0)} ms, ratio ${(median(values) / base).toFixed(2)}`);
}
rmSync(dataDir, { recursive: true });
