/**
 * The Debian package list: `xsvc apply` of all records on the store, the size of the database, and a query
 * compared with a plain filter of the same records. Usage: node test/bench/debian.mjs [rounds=5]
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { median, readPackages } from './packages.mjs';
import { openService } from './store.mjs';

const rounds = Number(process.argv[2] ?? 5);
const { packages, source } = readPackages();
const bytes = packages.reduce((sum, object) => sum + JSON.stringify(object).length, 0);
console.log(
  `${packages.length} packages (${source}), ${(bytes / packages.length).toFixed(0)} bytes of JSON each`,
);

const { applyAtOnce } = await import(new URL('../../dist/cli/apply/execute.js', import.meta.url).href);
const rates = [];
let dataDir;
for (let round = 0; round < rounds; round++) {
  if (dataDir !== undefined) rmSync(dataDir, { recursive: true });
  dataDir = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
  const { service, find, close } = await openService(dataDir);
  const resource = find('packages');
  const began = performance.now();
  const outcomes = await applyAtOnce(service, manifests(resource), { fieldValidation: 'Strict' });
  if (!outcomes.every(({ verb }) => verb === 'created')) throw new Error('not all were created');
  rates.push((packages.length / (performance.now() - began)) * 1000);
  await close();
}
console.log(
  `apply of parsed manifests, one durable commit: ${median(rates).toFixed(0)} objects/s (${rates.map((r) => r.toFixed(0)).join(', ')})`,
);
const size = statSync(path.join(dataDir, 'data.mdb')).size;
console.log(`database: ${(size / packages.length).toFixed(0)} bytes per object`);

const { service, find, close } = await openService(dataDir);
const page = await service.list(find('packages'), {
  labelSelector: 'debian.example.com/architecture=all',
  fieldSelector: 'spec.section=games,spec.priority!=extra',
  sort: 'spec.installedSize,desc',
});
const expected = packages
  .filter(
    ({ metadata, spec }) =>
      metadata.labels['debian.example.com/architecture'] === 'all' &&
      spec.section === 'games' &&
      spec.priority !== 'extra',
  )
  .sort((a, b) => b.spec.installedSize - a.spec.installedSize || (a.metadata.name < b.metadata.name ? -1 : 1))
  .map(({ metadata }) => metadata.name);
const same = isDeepStrictEqual(
  page.items.map(({ metadata }) => metadata.name),
  expected,
);
console.log(
  `query: ${page.total} matches, ${same ? 'the same as' : 'NOT the same as'} a plain filter and sort`,
);
await close();
rmSync(dataDir, { recursive: true });
if (!same) process.exitCode = 1;

/** The manifests that `xsvc apply` gets from parsed files. */
function manifests(resource) {
  return packages.map((value) => ({ resource, name: value.metadata.name, value, place: 'packages.yaml' }));
}
