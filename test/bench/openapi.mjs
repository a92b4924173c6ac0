/**
 * Measures the cost of describing many models: the first build, the bytes, the memory, one model more, and how many
 * requests per second are answered 304. Needs `npm run build`.
 * Usage: node test/bench/openapi.mjs [models=300] [rounds=21]
 */
import express from 'express';
import { addDocs } from '../../dist/http/docs/docs.js';
import { AbstractExtension } from '../../dist/model/declare/extension.js';
import { GVK } from '../../dist/model/declare/gvk.js';
import { IndexSpecs } from '../../dist/model/declare/index-spec.js';
import { SchemeRegistry } from '../../dist/model/declare/registry.js';
import { Describer } from '../../dist/openapi/description.js';
import { median } from './packages.mjs';
import { formatMs, formatTable, inMiB } from './timing.mjs';

const count = Number(process.argv[2] ?? 300);
const rounds = Number(process.argv[3] ?? 21);
const FIELDS = 20;

class Record extends AbstractExtension {
  static schema = {
    type: 'object',
    required: ['spec'],
    properties: { spec: { $ref: '#/$defs/RecordSpec' } },
    $defs: {
      RecordSpec: {
        type: 'object',
        description: 'What is asked for',
        properties: Object.fromEntries(
          Array.from({ length: FIELDS }, (_, i) => [
            `field${i}`,
            {
              type: 'string',
              maxLength: 100,
              description: `The field of the number ${i}`,
              example: `value-${i}`,
            },
          ]),
        ),
      },
    },
  };
}
GVK({ group: 'bench.example.com', version: 'v1', kind: 'Record', plural: 'records', singular: 'record' })(
  Record,
);
const { resource } = new SchemeRegistry().register(Record, 'bench', (specs) => {
  for (let i = 0; i < 4; i++)
    specs.add(IndexSpecs.single(`spec.field${i}`, 'string').indexFunc(({ spec }) => spec[`field${i}`]));
});

const modelNumber = (i) => ({
  ...resource,
  kind: `Record${i}`,
  plural: `records${i}`,
  singular: `record${i}`,
});
const modelList = (n) => Array.from({ length: n }, (_, i) => modelNumber(i));
const programVersion = '0.0.0';
const build = (describer, models) =>
  describer.describe({ models, routes: [], programVersion }).aggregated().json();

// Before anything else has made the process large.
const before = process.memoryUsage().rss;
const describer = new Describer();
const models = modelList(count);
const bytes = build(describer, models).length;
const memory = process.memoryUsage().rss - before;

const first = [];
const more = [];
for (let round = 0; round < rounds; round++) {
  const describer = new Describer();
  const models = modelList(count);
  first.push(elapsed(() => build(describer, models)));
  models.push(modelNumber(count));
  more.push(elapsed(() => build(describer, models)));
}

console.log(`description of ${count} models with ${FIELDS} fields each, ${rounds} rounds:`);
console.log(
  formatTable([
    ['', 'median', 'highest'],
    ['first build (ms)', formatMs(median(first)), formatMs(Math.max(...first))],
    ['one model more (ms)', formatMs(median(more)), formatMs(Math.max(...more))],
  ]),
);
console.log(`${inMiB(bytes)} of JSON, ${inMiB(Math.max(0, memory))} of memory more`);
console.log(`${(await notModifiedPerSecond(models)).toFixed(0)} answers 304 per second, one connection`);

function elapsed(task) {
  const began = performance.now();
  task();
  return performance.now() - began;
}

async function notModifiedPerSecond(models) {
  const app = express();
  addDocs(app, { models: () => models, routes: () => [], version: () => 1, programVersion });
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${server.address().port}/v3/api-docs`;
  const etag = (await fetch(url)).headers.get('etag');
  const began = performance.now();
  let answers = 0;
  while (performance.now() - began < Math.min(2000, rounds * 100)) {
    const { status } = await fetch(url, { headers: { 'if-none-match': etag } });
    if (status !== 304) throw new Error(`status ${status} instead of 304`);
    answers += 1;
  }
  const rate = (answers * 1000) / (performance.now() - began);
  server.closeAllConnections();
  server.close();
  return rate;
}
