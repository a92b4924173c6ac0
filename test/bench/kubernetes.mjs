/**
 * Measures definitions and namespaces: how soon a defined kind has its first object, what stored definitions cost at the start,
 * with objects of these kinds, what a definition of 1.2 MB costs, how soon a service for a test serves its first kind, the list of one of 20 namespaces beside a kind with these objects alone,
 * and the renewal of a Lease beside creates. Needs `npm run build`, wrk and two cores.
 * Usage: node test/bench/kubernetes.mjs [rounds=5] [definitions=143] [objects of their kinds at the start=0]
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cpuMicros } from './cpu.mjs';
import { startDaemon } from './daemon.mjs';
import { NUMBER, putLoad } from './load.mjs';
import { median } from './packages.mjs';
import { formatMs, inMiB, memoryOf, quantile } from './timing.mjs';

const [rounds, count, objects] = [5, 143, 0].map((value, i) => Number(process.argv[i + 2] ?? value));
const LISTED = 10_000;
const NAMESPACES = 20;
/** Fields of a definition of 1.2 MB. */
const LARGE_FIELDS = 1_290;
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
const plugins = path.join(directory, 'no-plugins');
mkdirSync(plugins);
let stores = 0;

await firstObjects();
await fillKinds();
await starts();
await largeDefinition();
await firstKind();
await oneNamespace();
await renewals();

async function firstObjects() {
  const daemon = await start(path.join(directory, 'full'));
  const times = [];
  for (let i = 0; i < count; i++) {
    const body = definition(i);
    const began = performance.now();
    await send(daemon, 'POST', DEFINITIONS, body);
    await send(daemon, 'POST', placeOf(i), { ...kindOf(i), metadata: { name: 'a' }, spec: {} });
    times.push(performance.now() - began);
  }
  await daemon.stop();
  const bytes = JSON.stringify(definition(0)).length;
  print(`definition of ${bytes} bytes stored -> first object stored, ${count} one after another`, [
    `p50 ${formatMs(median(times))} ms`,
    `max ${formatMs(Math.max(...times))} ms`,
  ]);
}

async function fillKinds() {
  if (objects === 0) return;
  const daemon = await start(path.join(directory, 'full'));
  for (let i = 0; i < count; i++) await fill(daemon, i, 'default', Math.ceil(objects / count));
  await daemon.stop();
}

async function largeDefinition() {
  const times = [];
  const body = definition(0, LARGE_FIELDS);
  for (let round = 0; round < rounds; round++) {
    const daemon = await start(newPlace());
    // Code that the first definition needs is compiled before.
    await send(daemon, 'POST', DEFINITIONS, definition(1, 1));
    const before = cpuMicros(daemon.pid);
    await send(daemon, 'POST', DEFINITIONS, body);
    times.push((cpuMicros(daemon.pid) - before) / 1000);
    await daemon.stop();
  }
  const bytes = JSON.stringify(body).length;
  print(`definition of ${bytes} bytes accepted`, [`CPU p50 ${formatMs(median(times))} ms`]);
}

async function starts() {
  const stored = { none: [], all: [] };
  const places = { none: path.join(directory, 'empty'), all: path.join(directory, 'full') };
  for (let round = 0; round <= rounds; round++)
    for (const [name, place] of Object.entries(places)) {
      const daemon = await start(place);
      await send(daemon, 'GET', '/readyz');
      const cpuMs = cpuMicros(daemon.pid) / 1000;
      // The first round fills the caches of compiled code.
      if (round > 0) stored[name].push({ ms: daemon.readyMs, cpuMs, ...memoryOf(daemon.pid) });
      await daemon.stop();
    }
  const more = (member) =>
    median(stored.all.map((one) => one[member])) - median(stored.none.map((one) => one[member]));
  print(
    `start with ${count} stored definitions${objects > 0 ? ` and ${objects} objects` : ''}, more than without`,
    [`ready ${formatMs(more('ms'))} ms`, `CPU ${formatMs(more('cpuMs'))} ms`, `memory ${inMiB(more('own'))}`],
  );
}

async function firstKind() {
  const times = [];
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    const daemon = await start(newPlace());
    await send(daemon, 'POST', DEFINITIONS, definition(0));
    times.push(performance.now() - began);
    await daemon.stop();
  }
  print('start on an empty directory -> first kind served', [`p50 ${formatMs(median(times))} ms`]);
}

async function oneNamespace() {
  const daemon = await start(newPlace());
  const names = Array.from({ length: NAMESPACES }, (_, i) => `n${i}`);
  for (const name of names) await send(daemon, 'POST', '/api/v1/namespaces', { metadata: { name } });
  for (const i of [0, 1]) await send(daemon, 'POST', DEFINITIONS, definition(i, 1));
  for (const name of names) await fill(daemon, 0, name);
  await fill(daemon, 1, 'n0');
  const times = { shared: [], alone: [] };
  const list = async (i) => {
    const began = performance.now();
    await send(daemon, 'GET', placeOf(i, 'n0'));
    return performance.now() - began;
  };
  for (let round = 0; round < rounds * 4; round++) {
    times.shared.push(await list(0));
    times.alone.push(await list(1));
  }
  await daemon.stop();
  const [shared, alone] = [median(times.shared), median(times.alone)];
  print(`list of one of ${NAMESPACES} namespaces with ${LISTED} objects each`, [
    `${formatMs(shared)} ms`,
    `${(shared / alone).toFixed(2)} times that of a kind with these alone`,
  ]);
}

async function fill(daemon, i, namespace, total = LISTED) {
  const PART = 500;
  for (let at = 0; at < total; at += PART)
    await send(daemon, 'POST', '/apis/api.platform.run/v1alpha1/batches?return=none', {
      items: Array.from({ length: Math.min(PART, total - at) }, (_, k) => ({
        verb: 'create',
        object: { ...kindOf(i), metadata: { name: `o${at + k}`, namespace }, spec: { field0: { p0: 'x' } } },
      })),
    });
}

async function renewals() {
  const daemon = await start(newPlace());
  await send(daemon, 'POST', DEFINITIONS, definition(0, 1));
  const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
  const renewTime = () => new Date().toISOString().replace('Z', '000Z');
  const spec = { holderIdentity: 'bench', leaseDurationSeconds: 15 };
  let lease = await send(daemon, 'POST', leases, {
    metadata: { name: 'bench' },
    spec: { ...spec, renewTime: renewTime() },
  });
  const times = [];
  let isLoaded = true;
  const load = putLoad({ url: daemon.url, connections: 4, seconds: 10, requests: [createRequest(0)] });
  const ended = load.finally(() => (isLoaded = false));
  while (isLoaded) {
    const began = performance.now();
    lease = await send(daemon, 'PUT', `${leases}/bench`, {
      ...lease,
      spec: { ...spec, renewTime: renewTime() },
    });
    times.push(performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { rate } = await ended;
  await daemon.stop();
  print(`renewal of a Lease beside ${rate.toFixed(0)} creates a second`, [
    `p50 ${formatMs(median(times))} ms`,
    `p99 ${formatMs(quantile(times, 0.99))} ms`,
  ]);
}

function createRequest(i) {
  const body = JSON.stringify({
    ...kindOf(i),
    metadata: { name: `o${NUMBER}` },
    spec: { field0: { p0: 'x' } },
  });
  const head = [
    `POST ${placeOf(i)} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** A definition of a kind whose schema has so many fields of eight texts each. */
function definition(i, fields = 60) {
  const text = {
    type: 'string',
    description: 'Describes a property for people who read it.',
    maxLength: 100,
  };
  const texts = Object.fromEntries(Array.from({ length: 8 }, (_, k) => [`p${k}`, text]));
  const description = 'A field with a description of some length, as real definitions have.';
  const field = { type: 'object', description, properties: texts };
  const properties = Object.fromEntries(Array.from({ length: fields }, (_, k) => [`field${k}`, field]));
  const { group, plural, kind } = namesOf(i);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: { type: 'object', properties },
                status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
              },
            },
          },
        },
      ],
    },
  };
}

function namesOf(i) {
  return { group: `g${i % 12}.example.com`, plural: `kinds${i}`, kind: `Kind${i}` };
}

function kindOf(i) {
  const { group, kind } = namesOf(i);
  return { apiVersion: `${group}/v1`, kind };
}

function placeOf(i, namespace = 'default') {
  const { group, plural } = namesOf(i);
  return `/apis/${group}/v1/namespaces/${namespace}/${plural}`;
}

function newPlace() {
  stores += 1;
  return path.join(directory, `store${stores}`);
}

function start(place) {
  return startDaemon(place, { plugins, core: 0 });
}

async function send({ url }, method, target, body) {
  const response = await fetch(new URL(target, url), {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${target}: ${response.status} ${text.slice(0, 300)}`);
  return text.startsWith('{') ? JSON.parse(text) : text;
}

function print(what, figures) {
  console.log(`${what}: ${figures.join(', ')}`);
}
