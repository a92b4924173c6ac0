/**
 * Measures the cost of declared indexes for writers: durable creates per second, 64 at a time, in process, of a
 * model with 0, 4 and 12 indexes. Needs `npm run build`. Usage: node test/bench/write-cost.mjs [rounds=5] [seconds=3]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { median } from './packages.mjs';
import { openPluginService } from './plugin-service.mjs';
import { formatTable } from './timing.mjs';

const rounds = Number(process.argv[2] ?? 5);
const seconds = Number(process.argv[3] ?? 3);
const CASES = [0, 4, 12];
const CONCURRENT = 64;
/** Every object has as many fields in every case, so that only the indexes differ. */
const FIELDS = Math.max(...CASES);

const MANIFEST = `apiVersion: plugin.platform.run/v1alpha1
kind: Plugin
metadata:
  name: write-cost
spec:
  version: 1.0.0
`;

const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));

const cases = [];
for (const indexes of CASES) cases.push(await openCase(indexes));
// Rounds take turns, so that what else the machine does meets all cases alike.
for (let round = 0; round < rounds; round++) {
  for (const one of cases) one.rates.push(await createsPerSecond(one));
}
for (const { close } of cases) await close();

const base = median(cases[0].rates);
console.log(`durable creates per second, ${CONCURRENT} at a time, ${rounds} rounds of ${seconds} s:`);
console.log(
  formatTable([
    ['declared indexes', 'median', 'lowest', 'highest', 'of those without'],
    ...cases.map(({ indexes, rates }) => [
      String(indexes),
      ...[median(rates), Math.min(...rates), Math.max(...rates)].map((rate) => rate.toFixed(0)),
      (median(rates) / base).toFixed(2),
    ]),
  ]),
);

async function openCase(indexes) {
  const root = path.join(directory, `indexes-${indexes}`);
  const plugin = path.join(root, 'plugin');
  mkdirSync(plugin, { recursive: true });
  writeFileSync(path.join(plugin, 'plugin.yaml'), MANIFEST);
  writeFileSync(path.join(plugin, 'index.js'), moduleOf(indexes));
  const { service, find, close } = await openPluginService(path.join(root, 'data'), plugin);
  return { indexes, service, resource: find('records'), close, created: 0, rates: [] };
}

async function createsPerSecond(one) {
  const first = one.created;
  const began = performance.now();
  const until = began + seconds * 1000;
  const worker = async () => {
    while (performance.now() < until) await one.service.create(one.resource, objectOf(one.created++));
  };
  await Promise.all(Array.from({ length: CONCURRENT }, worker));
  return ((one.created - first) / (performance.now() - began)) * 1000;
}

function objectOf(number) {
  const spec = {};
  for (let i = 0; i < FIELDS; i++) spec[`field${i}`] = `value-${(number * (2 * i + 7919)) % 10_007}`;
  return { metadata: { name: `record-${number}` }, spec };
}

function moduleOf(indexes) {
  const numbers = Array.from({ length: indexes }, (_, i) => i);
  return `import { AbstractExtension, BasePlugin, GVK, IndexSpecs } from 'xsvc';

class Record extends AbstractExtension {
  static schema = {
    type: 'object',
    required: ['spec'],
    properties: { spec: { type: 'object', additionalProperties: { type: 'string' } } },
  };
}

GVK({ group: 'bench.example.com', version: 'v1alpha1', kind: 'Record', plural: 'records', singular: 'record' })(Record);

export default class WriteCostPlugin extends BasePlugin {
  start() {
    this.ctx.schemeManager.register(Record, (specs) => {
${numbers
  .map(
    (i) =>
      `      specs.add(IndexSpecs.single('spec.field${i}', 'string').indexFunc(({ spec }) => spec.field${i}));`,
  )
  .join('\n')}
    });
  }
}
`;
}
