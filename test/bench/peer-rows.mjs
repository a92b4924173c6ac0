import { get } from 'node:http';
import { performance } from 'node:perf_hooks';
import { amongWrites, middle, requestBytes } from '../../dist/cli/bench/load.js';
import { broadcast, watcherBytes } from '../../dist/cli/bench/watchers.js';
import { recordJson, recordName, RECORDS } from '../../dist/cli/bench/workload.js';
import { NUMBER, putLoad } from './load.mjs';
import { timesOf } from './timing.mjs';

const MERGE_PATCH = 'application/merge-patch+json';
export const PAGE = `${RECORDS}?labelSelector=stage%3Dlive&sort=spec.priority,desc&size=10`;
/** Different requests of a load. */
const REQUESTS = 1_000;
const WATCHERS = 200;
const WRITES = 200;
const IDLE_WATCHERS = 2_000;
const LISTS = 10_000;

const OURS = ['xsvc'];
const BOTH = ['xsvc', 'PostgreSQL'];
const ALL = [...BOTH, 'node:http'];

/**
 * The rows of `peers.mjs`, for so many objects and seconds of a load. `run` measures a side once: its value in the unit, and
 * microseconds of processor time for an operation, which is a request or an event. A plain server answers with what `plain`
 * names.
 */
export function peerRows({ objects, seconds }) {
  const target = (n) => `${RECORDS}/${recordName((n * 7919) % objects)}`;
  const priorityOf = (side) => (n) => patch(side.url + target(n), { priority: n });
  const load = (connections, requestOf, count = REQUESTS) => {
    const requests = Array.from({ length: count }, (_, n) => requestOf(n));
    return (side, round) => measureLoad(side, { connections, requests, seconds }, round);
  };
  // A third of the objects match.
  const many = Math.max(1, Math.min(1_000, Math.floor(objects / 30)));
  const few = Math.min(50, many);
  const pages = (count) => load(16, (n) => requestBytes('GET', `${PAGE}&page=${n + 1}`), count);
  const hear = (atOnce, read) => async (side) => {
    const before = side.cpu;
    const write = (n) => patch(side.url + target(n), { note: `heard ${n} ${performance.now()}` });
    const heard = await broadcast({ url: watchOf(side), watchers: WATCHERS, writes: WRITES, atOnce, write });
    return { value: read(heard), cpu: (side.cpu - before) / heard.latenciesMs.length };
  };
  return [
    {
      name: 'bytes',
      title: 'an object in all files (PostgreSQL: table and indexes)',
      unit: 'bytes',
      sides: BOTH,
      run: (side) => ({ value: side.bytesPerObject }),
    },
    {
      name: 'start',
      title: 'start to first answer (PostgreSQL runs already)',
      unit: 'ms',
      sides: ALL,
      plain: target(0),
      run: async (side) => {
        const readyMs = await side.restart();
        const began = performance.now();
        await drain(side.url + target(0));
        return { value: readyMs + performance.now() - began, cpu: side.cpuSinceStart };
      },
    },
    {
      name: 'watcher',
      title: 'an idle watcher, without its socket (node:http: its socket)',
      unit: 'KiB',
      sides: ALL,
      plain: target(0),
      run: async (side) => {
        await side.restart();
        await watcherBytes(watchOf(side), IDLE_WATCHERS / 10, () => side.rssBytes);
        return { value: (await watcherBytes(watchOf(side), IDLE_WATCHERS, () => side.rssBytes)) / 1024 };
      },
      finish: lessPlain,
    },
    {
      name: 'rss before lists',
      title: 'RSS after a start',
      unit: 'MiB',
      sides: OURS,
      run: async (side) => {
        await side.restart();
        await drain(side.url + target(0));
        return { value: side.rssBytes / 2 ** 20 };
      },
    },
    {
      name: 'rss after lists',
      title: `RSS after ${LISTS} different lists`,
      unit: 'MiB',
      sides: OURS,
      run: async (side) => ({ cpu: await askLists(side), value: side.rssBytes / 2 ** 20 }),
    },
    {
      name: 'own after lists',
      title: `RSS after ${LISTS} different lists, without mapped files`,
      unit: 'MiB',
      sides: OURS,
      run: async (side) => ({ cpu: await askLists(side), value: side.ownBytes / 2 ** 20 }),
    },
    {
      name: 'get',
      title: 'GET by name, 32 connections',
      unit: '/s',
      sides: ALL,
      plain: target(0),
      run: load(32, (n) => requestBytes('GET', target(n))),
    },
    {
      name: 'page',
      title: `page of 10, selected and sorted, with total, any of ${few}, 16 connections`,
      unit: '/s',
      sides: BOTH,
      run: pages(few),
    },
    {
      name: 'page any',
      title: `the same, any of ${many}`,
      unit: '/s',
      sides: ALL,
      plain: PAGE,
      run: pages(many),
    },
    {
      name: 'page under writes',
      title: `the same, any of ${few}, among 20 patches/s of the sorted field`,
      unit: '/s',
      sides: BOTH,
      run: (side, round) => amongWrites(priorityOf(side), () => pages(few)(side, round)),
    },
    {
      name: 'list',
      title: `whole list of ${objects}`,
      unit: 'ms',
      sides: BOTH,
      run: async (side) => {
        const before = side.cpu;
        const times = await timesOf(() => drain(side.url + RECORDS), { runs: 3, seconds });
        return { value: middle(times), cpu: (side.cpu - before) / times.length };
      },
    },
    ...[1, 8, 32, 64].map((connections) => ({
      name: `patch at ${connections}`,
      title: `durable merge patches, connections: ${connections}`,
      unit: '/s',
      sides: BOTH,
      run: load(connections, (n) =>
        requestBytes('PATCH', target(n), `{"spec":{"priority":1${NUMBER}}}`, MERGE_PATCH),
      ),
    })),
    {
      name: 'watch',
      title: `events to ${WATCHERS} watchers, one patch after the other`,
      unit: '/s',
      sides: BOTH,
      run: hear(1, ({ perSecond }) => perSecond),
    },
    {
      name: 'watch p50',
      title: 'the same, from the request of a patch to an event, p50',
      unit: 'ms',
      sides: BOTH,
      run: hear(1, ({ latenciesMs }) => middle(latenciesMs)),
    },
    {
      name: 'watch burst',
      title: `events to ${WATCHERS} watchers, a burst of ${WRITES} patches`,
      unit: '/s',
      sides: BOTH,
      run: hear(WRITES, ({ perSecond }) => perSecond),
    },
    {
      // Last: the sides differ in how many objects they have afterwards.
      name: 'create at 64',
      title: 'durable creates, 64 connections',
      unit: '/s',
      sides: BOTH,
      run: load(64, (n) =>
        requestBytes('POST', RECORDS, recordJson(n).replace(recordName(n), `record-new-${NUMBER}`)),
      ),
    },
  ];
}

async function measureLoad(side, { connections, requests, seconds }, round) {
  const how = { url: side.url, connections, requests };
  // A warm-up: new code and empty caches are slower.
  if (round === 0) await putLoad({ ...how, seconds: Math.min(1, seconds) });
  const before = side.cpu;
  const { rate, count } = await putLoad({ ...how, seconds });
  return { value: rate, cpu: (side.cpu - before) / count };
}

/** Starts a side again, and asks it for lists that differ in their conditions. @returns processor time of a list */
async function askLists(side) {
  await side.restart();
  const before = side.cpu;
  const sorts = ['metadata.name', 'spec.title', 'spec.owner', 'spec.priority', 'spec.due'];
  const targetOf = (n) =>
    `${RECORDS}?filter=spec.owner=='owner-${n % 1_000}'&sort=${sorts[Math.floor(n / 1_000) % 5]},desc&size=10` +
    `&labelSelector=stage=${n < LISTS / 2 ? 'live' : 'test'}`;
  let next = 0;
  const ask = async () => {
    while (next < LISTS) await drain(encodeURI(side.url + targetOf(next++)));
  };
  await Promise.all(Array.from({ length: 16 }, ask));
  return (side.cpu - before) / LISTS;
}

function lessPlain({ 'node:http': plain, ...sides }) {
  const less = Object.entries(sides).map(([side, { value }]) => [side, { value: value - plain.value }]);
  return { ...Object.fromEntries(less), 'node:http': plain };
}

function watchOf({ url }) {
  return `${url}${RECORDS}?watch=true`;
}

/** Reads an answer to its end. */
function drain(url) {
  return new Promise((resolve, reject) => {
    get(url, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${url} was answered with ${answer.statusCode}`));
      answer.resume();
      answer.once('end', resolve);
    }).once('error', reject);
  });
}

async function patch(url, spec) {
  const headers = { 'Content-Type': MERGE_PATCH };
  const answer = await fetch(url, { method: 'PATCH', headers, body: JSON.stringify({ spec }) });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`a patch was answered with ${answer.status}`);
}
