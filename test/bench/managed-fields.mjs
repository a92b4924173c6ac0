/**
 * Measures server-side apply over HTTP, on one processor: an apply that changes nothing beside a PUT that changes nothing, for an
 * object of 4 KB and one with a list map of 5,000 items; and creates of a kind whose managers are kept beside creates of one of a
 * plugin.
 * Needs `npm run build`. Usage: node test/bench/managed-fields.mjs [rounds=3]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startDaemon } from './daemon.mjs';

const rounds = Number(process.argv[2] ?? 3);
const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
const daemon = await startDaemon(directory);
const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
const { hostname, port } = new URL(daemon.url);

function send(method, target, body, type = 'application/json') {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const headers = { 'content-type': type, 'content-length': bytes.length };
  return new Promise((resolve, reject) => {
    const request = http.request({ hostname, port, method, path: target, agent, headers }, (response) => {
      response.resume();
      response.once('end', () =>
        response.statusCode < 300
          ? resolve()
          : reject(new Error(`${method} ${target}: ${response.statusCode}`)),
      );
    });
    request.once('error', reject);
    request.end(bytes);
  });
}

const text = { type: 'string' };
const PORT = {
  type: 'object',
  required: ['name'],
  properties: { name: text, port: { type: 'integer' }, note: text },
};
const SPEC = {
  type: 'object',
  properties: {
    size: { type: 'integer' },
    title: text,
    env: { type: 'object', additionalProperties: text },
    ports: {
      type: 'array',
      items: PORT,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
  },
};
const GROUP = 'bench.example.com';
const openAPIV3Schema = { type: 'object', properties: { spec: SPEC } };
await send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `boxes.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: 'boxes', kind: 'Box' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
  },
});

const BOXES = `/apis/${GROUP}/v1/namespaces/default/boxes`;
const numbered = (count, make) => Array.from({ length: count }, (_, i) => make(i));
const box = (name, ports) => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Box',
  metadata: { name, labels: { app: 'bench' } },
  spec: {
    size: 3,
    title: 'A box',
    env: Object.fromEntries(numbered(30, (i) => [`KEY_${i}`, `value of the key ${i}`])),
    ports: numbered(ports, (i) => ({ name: `p${i}`, port: i, note: `a longer note for the port ${i}` })),
  },
});

/** @returns requests per second */
async function measure(count, connections, run) {
  const began = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < count) await run(next++);
  };
  await Promise.all(numbered(connections, worker));
  return (count * 1_000) / (performance.now() - began);
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const show = (title, values, unit) =>
  console.log(
    `${title.padEnd(52)} ${median(values).toFixed(1)} ${unit} (${values.map((one) => one.toFixed(1)).join(', ')})`,
  );

const apply = (name, body) =>
  send('PATCH', `${BOXES}/${name}?fieldManager=bench`, body, 'application/apply-patch+yaml');
const [small, large] = [JSON.stringify(box('small', 45)), JSON.stringify(box('large', 5_000))];
await apply('small', small);
await apply('large', large);
const person = (name) => ({ metadata: { name }, spec: { name, age: 7, tags: ['a', 'b'] } });
const managed = (name) => ({ ...box(name, 0), spec: { size: 7, title: name, env: { a: 'a', b: 'b' } } });
const found = { apply: [], put: [], large: [], managed: [], plain: [] };
for (let round = 0; round <= rounds; round++) {
  const one = {
    apply: await measure(4_000, 32, () => apply('small', small)),
    put: await measure(4_000, 32, () => send('PUT', `${BOXES}/small`, small)),
    large: 1_000 / (await measure(10, 1, () => apply('large', large))),
    managed: await measure(4_000, 64, (i) => send('POST', BOXES, managed(`m-${round}-${i}`))),
    plain: await measure(4_000, 64, (i) =>
      send('POST', '/apis/demo.example.com/v1alpha1/persons', person(`p-${round}-${i}`)),
    ),
  };
  // The first round warms up.
  if (round > 0) for (const [name, value] of Object.entries(one)) found[name].push(value);
}
show(`unchanged apply, ${small.length} bytes, 32 connections`, found.apply, '/s');
show('unchanged PUT of the same', found.put, '/s');
show(`unchanged apply of 5,000 items, ${large.length} bytes`, found.large, 'ms');
show('creates with managers, 64 connections', found.managed, '/s');
show('creates of a model of a plugin, 64 connections', found.plain, '/s');
agent.destroy();
await daemon.stop();
rmSync(directory, { recursive: true });
