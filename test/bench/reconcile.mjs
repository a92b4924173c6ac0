/**
 * Measures how fast a reconciler that does nothing is called for every stored object when the daemon starts, how long
 * the daemon takes from its start until all are reconciled, and how soon a reconciler is called for one change later.
 * Usage: node test/bench/reconcile.mjs [objects=100000] [rounds=5] [changes=200]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDaemon } from './daemon.mjs';
import { median } from './packages.mjs';
import { openPluginService } from './plugin-service.mjs';

const objects = Number(process.argv[2] ?? 100_000);
const rounds = Number(process.argv[3] ?? 5);
const changes = Number(process.argv[4] ?? 200);
const DEADLINE_MS = 120_000;

const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
const plugins = path.join(directory, 'plugins');
const dataDir = path.join(directory, 'data');
writePlugin(path.join(plugins, 'counter'));
await fill();

const results = [];
for (let round = 0; round < rounds; round++) {
  const began = performance.now();
  const daemon = await startDaemon(dataDir, { plugins, core: undefined });
  try {
    const first = await until(daemon, ({ reconciled }) => reconciled >= objects);
    const startToAllMs = performance.now() - began;
    const rss = daemon.rssBytes() / 2 ** 20;
    const latencies = [];
    for (let i = 0; i < changes; i++) latencies.push(await changeLatency(daemon, i));
    latencies.sort((a, b) => a - b);
    results.push({
      readyMs: daemon.readyMs,
      startToAllMs,
      perSecond: (objects / first.spanMs) * 1000,
      rss,
      changeMs: median(latencies),
      changeP99Ms: latencies[Math.floor(latencies.length * 0.99)],
    });
  } finally {
    await daemon.stop();
  }
}
const middle = (key) => median(results.map((result) => result[key]));
console.log(`${objects} objects, middle of ${rounds} rounds`);
console.log(`ready after ${middle('readyMs').toFixed(0)} ms, ${middle('rss').toFixed(0)} MiB resident`);
console.log(`all reconciled ${middle('startToAllMs').toFixed(0)} ms after the start of the process`);
console.log(`${middle('perSecond').toFixed(0)} reconciles/s between the first and the last of them`);
console.log(
  `a change over HTTP is reconciled ${middle('changeMs').toFixed(2)} ms after it was answered, ` +
    `99 of 100 within ${middle('changeP99Ms').toFixed(2)} ms`,
);
rmSync(directory, { recursive: true });

/** The calls of the reconciler: their number, their time span, and the last one (machine's monotonic clock). */
async function counted(daemon) {
  return (await fetch(`${daemon.url}/apis/counter.example.com/v1/counted`)).json();
}

async function until(daemon, holds) {
  const end = performance.now() + DEADLINE_MS;
  for (;;) {
    const state = await counted(daemon);
    if (holds(state)) return state;
    if (performance.now() > end) throw new Error(`not within ${DEADLINE_MS} ms: ${JSON.stringify(state)}`);
    await sleep(5);
  }
}

/** The reconcile may be over before the answer has arrived: then it took no time that anybody saw. */
async function changeLatency(daemon, i) {
  const before = (await counted(daemon)).reconciled;
  const url = `${daemon.url}/apis/counter.example.com/v1/dots/${nameAt(i % objects)}`;
  const answer = await fetch(url, {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify({ spec: { n: Math.floor(performance.timeOrigin + performance.now()) + i } }),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  const answered = Number(process.hrtime.bigint()) / 1e6;
  const after = await until(daemon, ({ reconciled }) => reconciled > before);
  return Math.max(0, after.lastMs - answered);
}

async function fill() {
  const { service, find, close } = await openPluginService(dataDir, plugins, { relaxed: true });
  const resource = find('dots');
  for (let at = 0; at < objects; at += 20_000) {
    const items = Array.from({ length: Math.min(20_000, objects - at) }, (_, i) => ({
      verb: 'create',
      resource,
      object: { metadata: { name: nameAt(at + i) }, spec: { n: at + i } },
    }));
    await service.batch(items);
  }
  await close();
}

function nameAt(i) {
  return `dot-${i.toString(36).padStart(5, '0')}`;
}

function writePlugin(plugin) {
  mkdirSync(plugin, { recursive: true });
  writeFileSync(
    path.join(plugin, 'plugin.yaml'),
    'apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: counter }\nspec: { version: 1.0.0 }\n',
  );
  writeFileSync(
    path.join(plugin, 'index.js'),
    `import { AbstractExtension, BasePlugin, GVK, RouteBuilder } from 'xsvc';

class Dot extends AbstractExtension {
  static schema = { type: 'object', properties: { spec: { type: 'object', properties: { n: { type: 'integer', format: 'int64' } } } } };
}
GVK({ group: 'counter.example.com', version: 'v1', kind: 'Dot', plural: 'dots', singular: 'dot' })(Dot);

const nowMs = () => Number(process.hrtime.bigint()) / 1e6;
const state = { reconciled: 0, firstMs: 0, lastMs: 0 };

export class DotReconciler {
  reconcile() {
    state.lastMs = nowMs();
    if (state.reconciled++ === 0) state.firstMs = state.lastMs;
  }
  setupWith(builder) {
    return builder.extension(Dot).build();
  }
}

export class CountedEndpoint {
  groupVersion() {
    return 'counter.example.com/v1';
  }
  endpoint() {
    return RouteBuilder.route()
      .GET('/counted', () => ({ ...state, spanMs: state.lastMs - state.firstMs }), (d) => d.operationId('GetCounted'))
      .build();
  }
}

export default class extends BasePlugin {
  start() {
    this.ctx.schemeManager.register(Dot);
  }
}
`,
  );
}
