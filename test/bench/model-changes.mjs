/**
 * Measures the cost of model changes with many stored objects of about 600 bytes and six indexes: a check beforehand, a
 * migration with other requests beside it, the move to another storage version, and reads in both versions. Needs
 * `npm run build`, wrk and taskset. Usage: node test/bench/model-changes.mjs [objects=1000000] [seconds=3]
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDaemon } from './daemon.mjs';
import { ITEMS_PLUGIN, itemAt } from './items.mjs';
import { formatMs, inMiB, quantile } from './timing.mjs';
import { requestsPerSecond } from './wrk.mjs';

const BIN = new URL('../../bin/xsvc.js', import.meta.url).pathname;
const objects = Number(process.argv[2] ?? 1_000_000);
const seconds = Number(process.argv[3] ?? 3);
const V1ALPHA1 = '/apis/bench.example.com/v1alpha1/items';
const V1 = '/apis/bench.example.com/v1/items';
const OTHER = '/apis/other.example.com/v1/others/one';

const OTHER_PLUGIN = `import { AbstractExtension, BasePlugin, GVK } from 'xsvc';
class Other extends AbstractExtension {
  static schema = { type: 'object', properties: { spec: { type: 'object', properties: { text: { type: 'string' } } } } };
}
GVK({ group: 'other.example.com', version: 'v1', kind: 'Other', plural: 'others', singular: 'other' })(Other);
export default class extends BasePlugin {
  start() {
    this.ctx.schemeManager.register(Other);
  }
}
`;

const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
const dataDir = path.join(directory, 'data');
try {
  await run();
} finally {
  rmSync(directory, { recursive: true });
}

async function run() {
  execFileSync(process.execPath, [new URL('items-store.mjs', import.meta.url).pathname, dataDir, objects]);
  const moved = pluginsOf('moved', { migrations: '' });
  const migrated = pluginsOf('migrated', {
    migrations: `{ id: 'title', up: (item) => ({ ...item, spec: { ...item.spec, title: item.spec.title + '!' } }) }`,
  });
  console.log(`${objects} objects, one of them ${JSON.stringify(itemAt(1, objects)).length} bytes`);

  const plan = await command(['model', 'plan', '--plugins', moved]);
  console.log(
    `model plan: ${plan.seconds.toFixed(1)} s, ${rate(plan.seconds)}, at most ${inMiB(plan.ownBytesMax)} of its own; exit ${plan.code}`,
  );

  const before = await beside(migrated, 'migration at start, with the move to the other version');
  console.log(before);

  const daemon = await startDaemon(dataDir, { plugins: migrated });
  try {
    const name = itemAt(Math.floor(objects / 2), objects).metadata.name;
    await settled(daemon.url);
    await compare(daemon.url, 'GET by name', `/${name}`, 32);
    await compare(daemon.url, 'page of 10', '?sort=spec.size,desc&size=10', 8);
    await compareLists(daemon.url);
  } finally {
    await daemon.stop();
  }
}

function rate(s) {
  return `${(objects / s).toFixed(0)} objects/s`;
}

/** Runs a command of the program. */
async function command(args) {
  const began = performance.now();
  const child = spawn(process.execPath, [BIN, ...args, '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.resume();
  let ownBytesMax = 0;
  const timer = setInterval(() => {
    ownBytesMax = Math.max(ownBytesMax, ownBytesOf(child.pid));
  }, 100);
  const code = await new Promise((resolve) => child.once('exit', resolve));
  clearInterval(timer);
  return { code, seconds: (performance.now() - began) / 1000, ownBytesMax };
}

function ownBytesOf(pid) {
  try {
    return Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** Starts a daemon that has work to do on the objects, and asks it for another object meanwhile and afterwards. */
async function beside(plugins, title) {
  const port = 20_000 + (process.pid % 10_000);
  const args = [
    BIN,
    'serve',
    '--port',
    port,
    '--data-dir',
    dataDir,
    '--plugins',
    plugins,
    '--log-level',
    'warn',
  ];
  const began = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ready = new Promise((resolve) => child.stdout.once('data', resolve));
  const state = { isReady: false };
  void ready.then(() => (state.isReady = true));
  const url = `http://127.0.0.1:${port}`;
  const during = [];
  while (!state.isReady) {
    const asked = performance.now();
    const status = await fetch(url + OTHER).then(
      (answer) => answer.arrayBuffer().then(() => answer.status),
      () => 0,
    );
    if (status === 200) during.push(performance.now() - asked);
    await sleep(5);
  }
  const took = (performance.now() - began) / 1000;
  await settled(url);
  const idle = [];
  for (let i = 0; i < 2_000; i++) {
    const asked = performance.now();
    await (await fetch(url + OTHER)).arrayBuffer();
    idle.push(performance.now() - asked);
    await sleep(5);
  }
  await new Promise((resolve) => {
    child.once('exit', resolve);
    child.kill('SIGTERM');
  });
  const of = (times) => `p50 ${formatMs(quantile(times, 0.5))} ms, p99 ${formatMs(quantile(times, 0.99))} ms`;
  return `${title}: ready after ${took.toFixed(1)} s, ${rate(took)}; another model's object meanwhile: ${of(during)} (${during.length} requests); idle: ${of(idle)}`;
}

/** Until nothing is done to the objects in the background. */
async function settled(url) {
  for (let quiet = 0; quiet < 3;) {
    const before = await cpuOf(url);
    await sleep(1_000);
    quiet = (await cpuOf(url)) - before < 0.1 ? quiet + 1 : 0;
  }
}

async function cpuOf(url) {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(text)[1]);
}

async function compare(url, title, rest, connections) {
  const stored = await requestsPerSecond(url + V1 + rest, { connections, seconds });
  const other = await requestsPerSecond(url + V1ALPHA1 + rest, { connections, seconds });
  console.log(
    `${title}: stored version ${stored.toFixed(0)}/s, other version ${other.toFixed(0)}/s, ` +
      `${(1e6 / other - 1e6 / stored).toFixed(0)} us more a request`,
  );
}

async function compareLists(url) {
  // The connection that was kept is too old by now.
  await fetch(url).catch(() => undefined);
  const times = {};
  for (const path of [V1, V1ALPHA1, V1, V1ALPHA1]) {
    const began = performance.now();
    let bytes = 0;
    for await (const part of (await fetch(`${url}${path}?labelSelector=tier%3Dtier-1`)).body)
      bytes += part.length;
    times[path] = { ms: performance.now() - began, bytes };
  }
  const count = objects / 3;
  const us = (path) => (times[path].ms * 1000) / count;
  console.log(
    `list of ${count.toFixed(0)}: stored version ${us(V1).toFixed(1)} us an object, other version ${us(V1ALPHA1).toFixed(1)} us`,
  );
}

/** A directory of plugins: the items with a new storage version, and another model with one object. */
function pluginsOf(name, { migrations }) {
  const plugins = path.join(directory, name);
  write(plugins, 'items', itemsPlugin(migrations));
  write(plugins, 'other', OTHER_PLUGIN);
  mkdirSync(path.join(plugins, 'other/extensions'));
  const one =
    'apiVersion: other.example.com/v1\nkind: Other\nmetadata: { name: one }\nspec: { text: some }\n';
  writeFileSync(path.join(plugins, 'other/extensions/one.yaml'), one);
  return plugins;
}

function write(plugins, name, text) {
  mkdirSync(path.join(plugins, name), { recursive: true });
  const manifest = `apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: ${name} }\nspec: { version: 1.0.0 }\n`;
  writeFileSync(path.join(plugins, name, 'plugin.yaml'), manifest);
  writeFileSync(path.join(plugins, name, 'index.js'), text);
}

/** The model of test/bench/plugin as an older version: its owner is a holder now. */
function itemsPlugin(migrations) {
  const source = readFileSync(path.join(ITEMS_PLUGIN, 'index.js'), 'utf8');
  const start = source.indexOf('const text');
  const end = source.indexOf('export default');
  const old = source.slice(start, end);
  const now = old
    .slice(old.indexOf('class Item'))
    .replaceAll('Item extends', 'NewItem extends')
    .replace("version: 'v1alpha1'", "version: 'v1'")
    .replace('})(Item)', '})(NewItem)')
    .replaceAll("'owner'", "'holder'")
    .replace('owner: text', 'holder: text');
  return `import { AbstractExtension, BasePlugin, GVK, IndexSpecs } from 'xsvc';
${old}
${now}
export default class extends BasePlugin {
  start() {
    this.ctx.schemeManager.register(NewItem, (specs) => {
      specs.add(IndexSpecs.single('spec.holder', 'string').indexFunc((item) => item.spec.holder));
      specs.add(IndexSpecs.single('spec.section', 'string').indexFunc((item) => item.spec.section));
      specs.add(IndexSpecs.single('spec.size', 'long').indexFunc((item) => item.spec.size));
      specs.add(IndexSpecs.single('spec.active', 'boolean').indexFunc((item) => item.spec.active));
      specs.add(IndexSpecs.single('spec.time', 'instant').indexFunc((item) => item.spec.time));
      specs.add(IndexSpecs.single('spec.priority', 'string').indexFunc((item) => item.spec.priority));
    }, {
      versions: [{
        model: Item,
        up: ({ spec: { owner, ...rest } }) => ({ spec: { holder: owner, ...rest } }),
        down: ({ spec: { holder, ...rest } }) => ({ spec: { owner: holder, ...rest } }),
        fields: { 'spec.owner': 'spec.holder' },
      }],
      migrations: [${migrations}],
    });
  }
}
`;
}
