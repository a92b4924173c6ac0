/**
 * Measures how long the daemon takes to be ready, and its memory, with many stored objects of a model with 4 declared
 * indexes and with none. Usage: node test/bench/start.mjs [objects=1000000] [rounds=5]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startDaemon } from './daemon.mjs';
import { median } from './packages.mjs';
import { openPluginService } from './plugin-service.mjs';

const objects = Number(process.argv[2] ?? 1_000_000);
const rounds = Number(process.argv[3] ?? 5);
const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
const plugins = path.join(directory, 'plugins');
writePlugin(path.join(plugins, 'four'));

const [full, empty] = [path.join(directory, 'full'), path.join(directory, 'empty')];
const rate = await fill(full);
console.log(`${objects} objects stored at ${rate.toFixed(0)}/s`);
await (await openPluginService(empty, plugins)).close();

const results = { full: [], empty: [] };
for (let round = 0; round < rounds; round++) {
  for (const [name, dataDir] of Object.entries({ empty, full })) {
    const daemon = await startDaemon(dataDir, { plugins, core: undefined });
    const list = await (await fetch(`${daemon.url}/apis/four.example.com/v1/fours?size=1`)).json();
    if (list.total !== (name === 'full' ? objects : 0)) throw new Error(`the list says ${list.total}`);
    results[name].push({ readyMs: daemon.readyMs, rss: daemon.rssBytes() / 2 ** 20 });
    await daemon.stop();
  }
}
const middle = (name, key) => median(results[name].map((result) => result[key]));
for (const name of ['empty', 'full']) {
  console.log(
    `${name}: ready after ${middle(name, 'readyMs').toFixed(0)} ms, ${middle(name, 'rss').toFixed(0)} MiB resident`,
  );
}
console.log(
  `ratio of the times ${(middle('full', 'readyMs') / middle('empty', 'readyMs')).toFixed(2)}, ` +
    `difference in memory ${(middle('full', 'rss') - middle('empty', 'rss')).toFixed(0)} MiB`,
);
rmSync(directory, { recursive: true });

async function fill(dataDir) {
  const { service, find, close } = await openPluginService(dataDir, plugins, { relaxed: true });
  const resource = find('fours');
  const began = performance.now();
  for (let at = 0; at < objects; at += 20_000) {
    const items = Array.from({ length: Math.min(20_000, objects - at) }, (_, i) => ({
      verb: 'create',
      resource,
      object: objectAt(at + i),
    }));
    await service.batch(items);
  }
  await close();
  return (objects / (performance.now() - began)) * 1000;
}

function objectAt(i) {
  const scattered = Math.imul(i, 2654435761) >>> 0;
  return {
    metadata: { name: `four-${i.toString(36).padStart(5, '0')}` },
    spec: {
      a: `a${scattered % 1000}`,
      b: scattered,
      c: i % 2 === 0,
      d: [`d${scattered % 50}`, `d${scattered % 70}`],
    },
  };
}

function writePlugin(plugin) {
  mkdirSync(plugin, { recursive: true });
  writeFileSync(
    path.join(plugin, 'plugin.yaml'),
    'apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: four }\nspec: { version: 1.0.0 }\n',
  );
  writeFileSync(
    path.join(plugin, 'index.js'),
    `import { AbstractExtension, BasePlugin, GVK, IndexSpecs } from 'xsvc';
class Four extends AbstractExtension {
  static schema = { type: 'object', properties: { spec: { type: 'object', properties: {
    a: { type: 'string' }, b: { type: 'integer' }, c: { type: 'boolean' }, d: { type: 'array', items: { type: 'string' } } } } } };
}
GVK({ group: 'four.example.com', version: 'v1', kind: 'Four', plural: 'fours', singular: 'four' })(Four);
export default class extends BasePlugin {
  start() {
    this.ctx.schemeManager.register(Four, (specs) => {
      specs.add(IndexSpecs.single('spec.a', 'string').indexFunc((o) => o.spec.a));
      specs.add(IndexSpecs.single('spec.b', 'long').indexFunc((o) => o.spec.b));
      specs.add(IndexSpecs.single('spec.c', 'boolean').indexFunc((o) => o.spec.c));
      specs.add(IndexSpecs.multi('spec.d', 'string').indexFunc((o) => o.spec.d));
    });
  }
}
`,
  );
}
