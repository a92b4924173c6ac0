/**
 * Writes, changes and deletes persons named `churn-*` until it is asked to stop. argv: data directory, plugin, seed,
 * and how many persons a creation makes in one commit (default 1).
 */
import process from 'node:process';

const [dataDir, plugin, seed, together = '1'] = process.argv.slice(2);
const { openWriter } = await import(
  new URL('../../dist/daemon/offline/plugin-store.js', import.meta.url).href
);
const { readConfig } = await import(new URL('../../dist/config.js', import.meta.url).href);
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const service = await openWriter(
  readConfig({ flags: { dataDir, plugins: [plugin] }, env: {}, cwd: '/' }),
  silent,
);
const person = { group: 'demo.example.com', version: 'v1alpha1', kind: 'Person', plural: 'persons' };

let isOver = false;
process.on('SIGTERM', () => (isOver = true));
let state = Number(seed);
const below = (n) => (state = (state * 48271) % 2147483647) % n;
let writes = 0;
while (!isOver) {
  const metadata = { name: `churn-${seed}-${below(200)}` };
  const spec = { name: 'Churn', age: below(100), gender: 'FEMALE' };
  try {
    const choice = writes < 50 ? 0 : below(3);
    if (choice === 0) await create(metadata.name, spec);
    else if (choice === 1) await service.update(person, metadata.name, { metadata, spec });
    else await service.delete(person, metadata.name);
    writes++;
    // Only now is there something for others to meet.
    if (writes === 1) process.stdout.write('ready\n');
    if (writes === 25) process.stdout.write('busy\n');
  } catch (error) {
    if (error.code !== 'NotFound' && error.code !== 'AlreadyExists') throw error;
  }
}
await service.close();
process.stdout.write(`wrote ${writes}\n`);

function create(name, spec) {
  const items = Array.from({ length: Number(together) }, (_, i) => ({
    verb: 'create',
    resource: person,
    object: { metadata: { name: i === 0 ? name : `${name}-${i}` }, spec },
  }));
  return service.batch(items);
}
