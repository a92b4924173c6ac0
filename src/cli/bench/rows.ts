import { performance } from 'node:perf_hooks';
import type { Bench, Figure } from './figure.js';
import { amongWrites, answersPerSecond, middle, requestBytes, type Load } from './load.js';
import { cpuMicros, ownBytes, startPlain, type ServerProcess } from './processes.js';
import { broadcast, watcherBytes, type Broadcast } from './watchers.js';
import { recordJson, recordName, RECORDS } from './workload.js';

type Measured = Pick<Figure, 'value' | 'cpuMicros' | 'note'>;

interface Row extends Pick<Figure, 'what' | 'unit' | 'objective'> {
  readonly run: () => Promise<Measured>;
}

interface Running extends Bench {
  readonly service: ServerProcess;
}

const READERS = 32;
const CREATORS = 64;
const WATCHERS = 200;
const IDLE_WATCHERS = 1_000;
const WRITES = 200;
const PAGES = 1_000;
/** Pages that many ask for, while objects change. */
const FIRST_PAGES = 50;
/** A create must not use the name of an existing object. */
const NEW_FROM = 10_000_000;
const MERGE_PATCH = 'application/merge-patch+json';
/** The minimum of patches per second by connections. */
const PATCHES = { 1: 50, 8: 300, 32: 1_500, 64: 1_500 };

/** The measurements of a running service, in their order. */
export function rows(running: Running): readonly Row[] {
  const { service, objects } = running;
  const pages = Math.max(1, Math.min(PAGES, Math.floor(objects / 10)));
  const target = (n: number): string => `${RECORDS}/${recordName((n * 7919) % objects)}`;
  const page = (n: number, sort: string): string => `${RECORDS}?sort=${sort},desc&size=10&page=${n + 1}`;
  return [
    // First: later on the service has memory that it used before.
    {
      what: 'memory of an idle watcher',
      unit: 'KiB',
      objective: { most: 100 },
      run: async () => {
        const bytes = await watcherBytes(watchOf(service), IDLE_WATCHERS, () => ownBytes(service.pid));
        return { value: bytes / 1024 };
      },
    },
    {
      what: `GET by name, ${READERS} connections, compared with plain node:http`,
      unit: 'of it',
      objective: { least: 0.5 },
      run: () => besidePlain(running, target),
    },
    {
      what: `page of 10 by an indexed field, any of ${pages}, compared with plain node:http`,
      unit: 'of it',
      objective: { least: 0.3 },
      run: () => besidePlain(running, (n) => page((n * 7919) % pages, 'spec.due')),
    },
    {
      what: `page of 10, any of ${FIRST_PAGES}, while 20 patches a second change the sorted field`,
      unit: '/s',
      objective: { least: 1_000 },
      run: () =>
        amongWrites(
          (n) => patch(service, target(n), { priority: n }),
          () => load(running, READERS, (n) => requestBytes('GET', page(n % FIRST_PAGES, 'spec.priority'))),
        ),
    },
    {
      what: `durable creates, ${CREATORS} connections`,
      unit: '/s',
      objective: { least: 2_000 },
      run: () => load(running, CREATORS, (n) => requestBytes('POST', RECORDS, recordJson(NEW_FROM + n))),
    },
    ...Object.entries(PATCHES).map(([connections, least]) => ({
      what: `durable patches of one field, connections: ${connections}`,
      unit: '/s',
      objective: { least },
      run: () =>
        load(running, Number(connections), (n) =>
          requestBytes('PATCH', target(n), JSON.stringify({ spec: { priority: n } }), MERGE_PATCH),
        ),
    })),
    {
      what: 'time from the request of a write until a watcher receives it, p50',
      unit: 'ms',
      objective: { most: 10 },
      run: async () => {
        const { latenciesMs, cpuMicros } = await hear(running, { watchers: 1, atOnce: 1 });
        return { value: middle(latenciesMs), cpuMicros };
      },
    },
    {
      what: `time from the request of a write until ${WATCHERS} watchers receive it, p50`,
      unit: 'ms',
      objective: { most: 50 },
      run: async () => {
        const { latenciesMs, cpuMicros } = await hear(running, { watchers: WATCHERS, atOnce: 1 });
        return { value: middle(latenciesMs), cpuMicros };
      },
    },
    {
      what: `events to ${WATCHERS} watchers, a burst of ${WRITES} patches`,
      unit: '/s',
      objective: { least: 20_000 },
      run: async () => {
        const { perSecond, cpuMicros } = await hear(running, { watchers: WATCHERS, atOnce: WRITES });
        return { value: perSecond, cpuMicros };
      },
    },
    {
      what: 'memory of the service at the end',
      unit: 'MiB',
      objective: { most: 1_024 },
      run: async () => ({ value: (await ownBytes(service.pid)) / 2 ** 20 }),
    },
  ];
}

/** Answers per second. */
async function load(
  { service, durationMs }: Running,
  connections: number,
  request: Load['request'],
): Promise<Measured> {
  const cpu = await cpuMicros(service.pid);
  const value = await answersPerSecond({ url: service.url, durationMs, connections, request });
  const answers = (value * durationMs) / 1000;
  return { value, cpuMicros: ((await cpuMicros(service.pid)) - cpu) / answers };
}

/** A load of reads, compared with a plain server that answers with the same bytes. */
async function besidePlain(running: Running, getTarget: (n: number) => string): Promise<Measured> {
  const { service, signal, durationMs } = running;
  const requests = Array.from({ length: PAGES }, (_, n) => requestBytes('GET', getTarget(n)));
  const request = (n: number): Buffer => requests[n % PAGES] ?? Buffer.alloc(0);
  const answer = await fetch(service.url + getTarget(0), { signal });
  const plain = await startPlain(Buffer.from(await answer.arrayBuffer()), signal);
  try {
    // A warm-up: new code and empty caches are slower.
    await load({ ...running, durationMs: durationMs / 2 }, READERS, request);
    const theirs = await load({ ...running, service: plain }, READERS, request);
    const ours = await load(running, READERS, request);
    return { ...ours, value: ours.value / theirs.value, note: `${ours.value.toFixed(0)}/s` };
  } finally {
    await plain.stop();
  }
}

async function hear(
  { service, objects }: Running,
  how: Pick<Broadcast, 'watchers' | 'atOnce'>,
): Promise<{ perSecond: number; latenciesMs: readonly number[]; cpuMicros: number }> {
  const cpu = await cpuMicros(service.pid);
  const heard = await broadcast({
    ...how,
    url: watchOf(service),
    writes: WRITES,
    write: (n) =>
      patch(service, `${RECORDS}/${recordName(n % objects)}`, { note: `heard ${n} ${performance.now()}` }),
  });
  return { ...heard, cpuMicros: ((await cpuMicros(service.pid)) - cpu) / heard.latenciesMs.length };
}

function watchOf({ url }: ServerProcess): string {
  return `${url}${RECORDS}?watch=true`;
}

async function patch({ url }: ServerProcess, target: string, spec: object): Promise<void> {
  const headers = { 'Content-Type': MERGE_PATCH };
  const answer = await fetch(url + target, { method: 'PATCH', headers, body: JSON.stringify({ spec }) });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`the service answered a patch with ${answer.status}`);
}
