/**
 * Measures the time of a fresh process to apply a directory of files, one object each, over five models: on the store,
 * where all of them are one commit, and over HTTP, as one batch and one by one.
 * Usage: node test/bench/apply.mjs [files=10000] [rounds=5]
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startProcess } from './daemon.mjs';
import { median } from './packages.mjs';

const files = Number(process.argv[2] ?? 10_000);
const rounds = Number(process.argv[3] ?? 5);
const BIN = new URL('../../bin/xsvc.js', import.meta.url).pathname;
const MODELS = ['Ant', 'Bee', 'Cow', 'Dog', 'Eel'];

const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
const [manifests, plugins] = ['manifests', 'plugins'].map((name) => path.join(directory, name));
writePlugin(path.join(plugins, 'zoo'));
writeManifests();

const times = { 'on the store, one commit': [], 'over HTTP, one batch': [], 'over HTTP, one by one': [] };
for (let round = 0; round < rounds; round++) {
  const dataDir = path.join(directory, `store-${round}`);
  times['on the store, one commit'].push(await apply(['--data-dir', dataDir, '--plugins', plugins]));
  for (const [title, flag] of [
    ['over HTTP, one batch', '--atomic'],
    ['over HTTP, one by one', '--atomic=false'],
  ]) {
    const served = path.join(directory, `served-${round}${flag}`);
    const daemon = await startProcess(
      [BIN, 'serve', '--port', '0', '--max-body', '64MiB', '--data-dir', served, '--plugins', plugins],
      { core: undefined },
    );
    times[title].push(await apply([flag, '--server', daemon.url]));
    await daemon.stop();
  }
}
console.log(`${files} files, ${MODELS.length} models, medians of ${rounds} rounds, the whole process:`);
for (const [title, all] of Object.entries(times)) {
  const ms = median(all);
  console.log(`${title}: ${ms.toFixed(0)} ms, ${((files / ms) * 1000).toFixed(0)} objects/s`);
}
rmSync(directory, { recursive: true });

function apply(flags) {
  const began = performance.now();
  const child = spawn(process.execPath, [BIN, 'apply', '-f', manifests, ...flags], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    child.on('exit', (code) =>
      code === 0 ? resolve(performance.now() - began) : reject(new Error(`apply ended with ${code}`)),
    );
  });
}

function writeManifests() {
  mkdirSync(manifests);
  for (let i = 0; i < files; i++) {
    const kind = MODELS[i % MODELS.length];
    const text = `apiVersion: zoo.example.com/v1\nkind: ${kind}\nmetadata:\n  name: n${i}\nspec:\n  legs: ${i % 9}\n`;
    writeFileSync(path.join(manifests, `${i}.yaml`), text);
  }
}

function writePlugin(target) {
  mkdirSync(target, { recursive: true });
  const head = 'apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\n';
  writeFileSync(
    path.join(target, 'plugin.yaml'),
    `${head}metadata: { name: zoo }\nspec: { version: 1.0.0 }\n`,
  );
  writeFileSync(
    path.join(target, 'index.js'),
    `import { AbstractExtension, BasePlugin, GVK, IndexSpecs } from 'xsvc';
const legs = { type: 'integer', minimum: 0 };
const schema = { type: 'object', properties: { spec: { type: 'object', properties: { legs } } } };
const model = (kind) => {
  const Model = class extends AbstractExtension {
    static schema = schema;
  };
  const singular = kind.toLowerCase();
  GVK({ group: 'zoo.example.com', version: 'v1', kind, plural: singular + 's', singular })(Model);
  return Model;
};
export default class Zoo extends BasePlugin {
  start() {
    for (const kind of ${JSON.stringify(MODELS)}) {
      this.ctx.schemeManager.register(model(kind), (specs) => {
        specs.add(IndexSpecs.single('spec.legs', 'integer').indexFunc((animal) => animal.spec.legs));
      });
    }
  }
}
`,
  );
}
