import { readFile, stat, writeFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import path from 'node:path';
import { answersPerSecond, requestBytes } from './load.js';
import { bareNodeMs, runProgram, startPlain, startService, type ServerProcess } from './processes.js';
import { eventsPerSecond, latenciesMs } from './watchers.js';
import { PLUGIN, recordJson, recordName, RECORDS } from './workload.js';

/** A measurement. */
export interface Figure {
  readonly what: string;
  readonly value: number;
  /** The unit of value and objective. */
  readonly unit: string;
  /** The minimum or maximum of the value. */
  readonly objective: { readonly least: number } | { readonly most: number };
  /** Additional information, such as the other side of a ratio. */
  readonly note?: string;
}

/** The common options of the measurements. */
export interface Bench {
  readonly directory: string;
  /** The duration of each load. */
  readonly durationMs: number;
  /** The number of objects at the start. */
  readonly objects: number;
  readonly signal: AbortSignal;
  /** Called before each measurement. */
  readonly onStep: (what: string) => void;
}

const READERS = 32;
const CREATORS = 64;
const PATCHERS = 32;
const WATCHERS = 200;
const BURST = 200;
const WRITES_HEARD = 200;
const PAGES = 1_000;
/** A create must not use the name of an existing object. */
const NEW_FROM = 10_000_000;
const MERGE_PATCH = 'application/merge-patch+json';

/** Runs the measurements one after the other, each against a service in a separate process. */
export async function* figures(bench: Bench): AsyncGenerator<Figure> {
  const dataDir = path.join(bench.directory, 'data');
  const flags = ['--data-dir', dataDir, '--plugins', PLUGIN];
  yield* filling(bench, flags, dataDir);
  yield await starting(bench, flags);
  const service = await startService(flags, bench.signal);
  try {
    yield* reading(bench, service);
    yield* writing(bench, service);
    yield* watching(bench, service);
    yield* memory(service);
  } finally {
    await service.stop();
  }
}

async function* filling(bench: Bench, flags: readonly string[], dataDir: string): AsyncGenerator<Figure> {
  const { objects, directory, signal } = bench;
  bench.onStep(`importing ${objects} objects`);
  const file = path.join(directory, 'records.ndjson');
  await writeFile(file, Array.from({ length: objects }, (_, n) => `${recordJson(n)}\n`).join(''));
  const begun = performance.now();
  await runProgram(['import', '-f', file, ...flags], signal);
  const value = (objects * 1000) / (performance.now() - begun);
  const what = `import of ${objects} objects, the whole command`;
  yield { what, value, unit: 'objects/s', objective: { least: 4_000 } };
  const { size } = await stat(path.join(dataDir, 'data.mdb'));
  const bytes = size / objects;
  yield { what: 'size of the store', value: bytes, unit: 'bytes/object', objective: { most: 4_000 } };
}

async function starting(bench: Bench, flags: readonly string[]): Promise<Figure> {
  bench.onStep('starting the service');
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round < 3; round += 1) {
    theirs.push(await bareNodeMs());
    const begun = performance.now();
    const service = await startService(flags, bench.signal);
    ours.push(performance.now() - begun);
    await service.stop();
  }
  const ms = middle(ours);
  const what = 'time until serve is ready, compared with `node -e 0`';
  const [value, note] = [ms / middle(theirs), `${ms.toFixed(0)} ms`];
  return { what, value, unit: 'times', objective: { most: 10 }, note };
}

async function* reading(bench: Bench, service: ServerProcess): AsyncGenerator<Figure> {
  const { objects } = bench;
  yield await besidePlain(bench, service, {
    what: `GET by name, ${READERS} connections, compared with plain node:http`,
    getTarget: (n) => `${RECORDS}/${recordName((n * 7919) % objects)}`,
    least: 0.5,
  });
  const pages = Math.max(1, Math.min(PAGES, Math.floor(objects / 10)));
  yield await besidePlain(bench, service, {
    what: `page of 10 by an indexed field, any of ${pages}, compared with plain node:http`,
    getTarget: (n) => `${RECORDS}?sort=spec.due,desc&size=10&page=${1 + ((n * 7919) % pages)}`,
    least: 0.3,
  });
}

/** A load of reads, compared with a plain server that answers with the same bytes. */
async function besidePlain(
  { onStep, signal, durationMs }: Bench,
  { url }: ServerProcess,
  { what, getTarget, least }: { what: string; getTarget: (n: number) => string; least: number },
): Promise<Figure> {
  onStep(what);
  const requests = Array.from({ length: PAGES }, (_, n) => requestBytes('GET', getTarget(n)));
  const request = (n: number): Buffer => requests[n % PAGES] ?? Buffer.alloc(0);
  const load = { connections: READERS, durationMs, request };
  const answer = await fetch(url + getTarget(0), { signal });
  const plain = await startPlain(Buffer.from(await answer.arrayBuffer()), signal);
  try {
    // A warm-up: new code and empty caches are slower.
    await answersPerSecond({ ...load, url, durationMs: durationMs / 2 });
    const theirs = await answersPerSecond({ ...load, url: plain.url });
    const ours = await answersPerSecond({ ...load, url });
    const note = `${ours.toFixed(0)}/s`;
    return { what, value: ours / theirs, unit: 'of it', objective: { least }, note };
  } finally {
    await plain.stop();
  }
}

async function* writing(
  { durationMs, objects, onStep }: Bench,
  { url }: ServerProcess,
): AsyncGenerator<Figure> {
  const creates = `durable creates, ${CREATORS} connections`;
  onStep(creates);
  const create = (n: number): Buffer => requestBytes('POST', RECORDS, recordJson(NEW_FROM + n));
  const created = await answersPerSecond({ url, durationMs, connections: CREATORS, request: create });
  yield { what: creates, value: created, unit: '/s', objective: { least: 2_000 } };
  const patches = `durable patches of one field, ${PATCHERS} connections`;
  onStep(patches);
  const patch = (n: number): Buffer => {
    const body = JSON.stringify({ spec: { priority: n } });
    return requestBytes('PATCH', `${RECORDS}/${recordName((n * 7919) % objects)}`, body, MERGE_PATCH);
  };
  const patched = await answersPerSecond({ url, durationMs, connections: PATCHERS, request: patch });
  yield { what: patches, value: patched, unit: '/s', objective: { least: 1_500 } };
}

async function* watching({ objects, onStep }: Bench, { url }: ServerProcess): AsyncGenerator<Figure> {
  onStep('watching');
  const patch = async (n: number): Promise<void> => {
    const answer = await fetch(`${url}${RECORDS}/${recordName(n % objects)}`, {
      method: 'PATCH',
      headers: { 'Content-Type': MERGE_PATCH },
      body: JSON.stringify({ spec: { note: `heard ${n} ${performance.now()}` } }),
    });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`the service answered a patch with ${answer.status}`);
  };
  const target = `${url}${RECORDS}?watch=true`;
  const p50 = middle(await latenciesMs(target, WRITES_HEARD, patch));
  const time = 'time from the request of a write until a watcher receives it, p50';
  yield { what: time, value: p50, unit: 'ms', objective: { most: 10 } };
  const events = await eventsPerSecond(target, WATCHERS, BURST, patch);
  const burst = `events to ${WATCHERS} watchers, a burst of ${BURST} patches`;
  yield { what: burst, value: events, unit: '/s', objective: { least: 20_000 } };
}

/** Nothing when the system does not report it. */
async function* memory({ pid }: ServerProcess): AsyncGenerator<Figure> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => undefined);
  if (status === undefined) return;
  const value = Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? NaN) / 1024;
  yield { what: 'memory of the service at the end', value, unit: 'MiB', objective: { most: 1_024 } };
}

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

/** True when a figure meets its objective. */
export function isMet({ value, objective }: Figure): boolean {
  return 'least' in objective ? value >= objective.least : value <= objective.most;
}
