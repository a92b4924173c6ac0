import { execFileSync, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createExpressApp } from '../../../src/http/express-app.js';
import { listen, type RunningServer } from '../../../src/http/server.js';
import { isOwnerAlive, ownerName } from '../../../src/lib/process/process-identity.js';
import { SILENT } from '../../../src/lib/log/logger.js';
import { AbstractExtension } from '../../../src/model/declare/extension.js';
import { GVK } from '../../../src/model/declare/gvk.js';
import { IndexSpecs } from '../../../src/model/declare/index-spec.js';
import type { ObjectDraft } from '../../../src/model/object.js';
import { SchemeRegistry } from '../../../src/model/declare/registry.js';
import { Models } from '../../../src/service/models.js';
import { Service } from '../../../src/service/service.js';
import { openLmdb } from '../../../src/engines/lmdb/engine.js';
import { ModelLifecycle } from '../../../src/lifecycle/model-lifecycle.js';
import { countSnapshots, type CountedSnapshots } from '../../helpers/snapshots.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

const OBJECTS = 400_000;
const RANKS = 1_000;
const TEAMS = 7;
const HALVES = 2;
/** Every so many objects, one is being deleted: it has a `metadata.deletionTimestamp`. */
const DELETED_EVERY = 4_000;
const BATCH = 5_000;
/** For a reader that is meant to be cut off, but not by a pause of the machine; the others read on after any. */
const STALL_MS = 3_000;
/**
 * Time that a request for one object may wait, and that the event loop may be blocked. One of a hundred waits, and
 * of a thousand blocks, may be longer: a shared machine pauses at times.
 */
const WAIT_MS_MAX = 100;
const HELD_MS_MAX = 50;
/** Memory that a list may use without garbage: a small part of the answer. */
const LIVE_BYTES_MAX = 24 * 1024 * 1024;
/** Interval of garbage collections, after each of which the live memory is read. */
const COLLECT_MS = 200;

const ITEM = { group: 'demo.example.com', version: 'v1', kind: 'Item', plural: 'items' } as const;
const ITEMS = '/apis/demo.example.com/v1/items';
const CLIENT = new URL('../../helpers/long-list-client.mjs', import.meta.url);

@GVK({ ...ITEM, singular: 'item' })
class Item extends AbstractExtension {
  static readonly schema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: { rank: { type: 'integer' }, team: { type: 'string' }, half: { type: 'boolean' } },
      },
    },
  };

  declare spec: { rank: number; team: string; half: boolean };
}

/** When deletion of an object was asked for, by its number. */
const deleted = new Map<number, string>();
let snapshots: CountedSnapshots;
let service: Service;
let server: RunningServer;

beforeAll(async () => {
  snapshots = countSnapshots(await openLmdb(temporaryDirectory(), { relaxed: true }));
  const lifecycle = await ModelLifecycle.open(snapshots.engine, {
    now: () => Date.now(),
    owner: ownerName(),
    isAlive: isOwnerAlive,
  });
  const models = new Models(lifecycle);
  const { store } = lifecycle;
  service = new Service({ store, models });
  await models.open(
    new SchemeRegistry().register(Item, 'test', (specs) => {
      specs.add(IndexSpecs.single<Item, number>('spec.rank', 'integer').indexFunc((o) => o.spec.rank));
      specs.add(IndexSpecs.single<Item, string>('spec.team', 'string').indexFunc((o) => o.spec.team));
      specs.add(IndexSpecs.single<Item, boolean>('spec.half', 'boolean').indexFunc((o) => o.spec.half));
    }),
  );
  for (let from = 0; from < OBJECTS; from += BATCH) {
    await service.batch(
      Array.from({ length: BATCH }, (_, i) => ({ verb: 'create', resource: ITEM, object: item(from + i) })),
    );
  }
  for (let i = 0; i < OBJECTS; i += DELETED_EVERY) {
    const { object } = await service.delete(ITEM, `item-${i}`);
    deleted.set(i, object.metadata.deletionTimestamp ?? '');
  }
  // Flushes the writes to the disk now, not while lists are measured.
  execFileSync('sync');
  server = await serve(60_000);
}, 600_000);

/** @param stallMs how long a reader may take nothing */
async function serve(stallMs: number): Promise<RunningServer> {
  const app = createExpressApp({
    service,
    models: service.models,
    logger: SILENT,
    bodyBytesMax: 1024 * 1024,
    loopbackOnly: true,
    version: '0.1.0',
    stallMs,
  });
  return listen(app, { host: '127.0.0.1', port: 0 });
}

afterAll(async () => {
  await server.close(1_000);
  await service.close();
  removeDirectories();
});

const rankOf = (i: number): number => Math.imul(i + 1, 2_654_435_761) % RANKS;
const teamOf = (i: number): string => `team-${i % TEAMS}`;
const isInHalf = (i: number): boolean => rankOf(i) % HALVES === 1;

function item(i: number): ObjectDraft {
  const finalizers = i % DELETED_EVERY === 0 ? ['demo.example.com/keep'] : [];
  const spec: Item['spec'] = { rank: rankOf(i), team: teamOf(i), half: isInHalf(i) };
  return { metadata: { name: `item-${i}`, finalizers }, spec };
}

interface Seen {
  readonly bytes: number;
  /** Objects that were read meanwhile; the longest wait for one, and the one that all but a hundredth stay below. */
  readonly gets: number;
  readonly slowestMs: number;
  readonly slowMs: number;
}

/** Reads a list in another process, so that reading it holds nothing up here. */
class Reader {
  private readonly client: ChildProcess;
  private readonly failed: Promise<never>;

  private constructor(query: string) {
    this.client = fork(CLIENT, [server.url, `${ITEMS}${query}`, ITEMS, String(OBJECTS)]);
    this.failed = once(this.client, 'exit').then(() => Promise.reject(new Error('the client failed')));
    this.failed.catch(() => undefined);
  }

  static async start(query: string): Promise<Reader> {
    const reader = new Reader(query);
    await reader.said();
    return reader;
  }

  async read(): Promise<Seen> {
    this.client.send('read');
    return (await this.said()) as Seen;
  }

  /** Names in the list that was read. The reader ends afterwards. */
  async names(): Promise<string[]> {
    this.client.send('names');
    return (await this.said()) as string[];
  }

  end(): void {
    this.client.kill();
  }

  private async said(): Promise<unknown> {
    const [message] = (await Promise.race([once(this.client, 'message'), this.failed])) as [unknown];
    return message;
  }
}

interface Cost {
  /** Longest that the event loop was held, and what all but a thousandth of the holds stay below. */
  readonly longestMs: number;
  readonly longMs: number;
  /** Most memory that was added, garbage included, without what is mapped. */
  readonly bytes: number;
}

async function measured<T>(work: () => Promise<T>): Promise<readonly [T, Cost]> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const sampled = sampleMemory(10);
  delay.enable();
  const result = await work();
  delay.disable();
  const [longestMs, longMs] = [delay.max / 1e6, delay.percentile(99.9) / 1e6];
  return [result, { longestMs, longMs, bytes: sampled.end() }];
}

/** Most memory that was added of what is not garbage. Collecting garbage holds the event loop. */
async function liveBytesOf(work: () => Promise<unknown>): Promise<number> {
  const sampled = sampleMemory(COLLECT_MS, collectGarbage);
  await work();
  return sampled.end();
}

function sampleMemory(everyMs: number, before = (): void => undefined): { end(): number } {
  collectGarbage();
  const initial = memory();
  let most = initial;
  const sampling = setInterval(() => {
    before();
    most = Math.max(most, memory());
  }, everyMs);
  return {
    end: () => {
      clearInterval(sampling);
      return most - initial;
    },
  };
}

function memory(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

function report(title: string, { bytes, gets, slowestMs }: Seen, cost: Cost, liveBytes: number): void {
  const mib = (count: number): string => (count / 1024 / 1024).toFixed(1);
  console.info(
    `${title}: ${mib(bytes)} MiB answered, ${gets} objects read meanwhile, ` +
      `slowest ${slowestMs.toFixed(1)} ms, loop held ${cost.longestMs.toFixed(1)} ms, ` +
      `memory ${mib(cost.bytes)} MiB, of which ${mib(liveBytes)} MiB no garbage`,
  );
}

/** Names in the order that the comparison of numbers gives, except those of one rank; names decide ties. */
function namesBy(compare: Compare, without?: number): string[] {
  const all = Array.from({ length: OBJECTS }, (_, i) => ({ i, name: `item-${i}` })).filter(
    ({ i }) => rankOf(i) !== without,
  );
  return all.sort((a, b) => compare(a.i, b.i) || (a.name < b.name ? -1 : 1)).map(({ name }) => name);
}

type Compare = (a: number, b: number) => number;

const byRank: Compare = (a, b) => rankOf(a) - rankOf(b);
const byTeam: Compare = (a, b) => (a % TEAMS) - (b % TEAMS);
const byHalf: Compare = (a, b) => Number(isInHalf(a)) - Number(isInHalf(b));
const byDeletion: Compare = (a, b) => {
  const [x, y] = [deleted.get(a) ?? '', deleted.get(b) ?? ''];
  return x < y ? -1 : x > y ? 1 : 0;
};

interface Case {
  readonly title: string;
  readonly query: string;
  readonly compare: Compare;
  /** Rank of the objects that the list leaves out. */
  readonly without?: number;
}

const CASES: readonly Case[] = [
  { title: 'by name', query: '', compare: () => 0 },
  { title: 'by an index', query: '?sort=spec.rank,asc', compare: byRank },
  { title: 'filtered by an index', query: '?fieldSelector=spec.rank!=7', compare: () => 0, without: 7 },
  { title: 'by an index, downwards', query: '?sort=spec.rank,desc', compare: (a, b) => byRank(b, a) },
  {
    title: 'by two fields, seven values in the first',
    query: '?sort=spec.team,asc&sort=spec.rank,asc',
    compare: (a, b) => byTeam(a, b) || byRank(a, b),
  },
  {
    title: 'by two fields, two values in the first',
    query: '?sort=spec.half,desc&sort=spec.rank,asc&fieldSelector=spec.rank!=7',
    compare: (a, b) => byHalf(b, a) || byRank(a, b),
    without: 7,
  },
  {
    title: 'by three fields',
    query: '?sort=spec.half,asc&sort=spec.team,desc&sort=spec.rank,desc',
    compare: (a, b) => byHalf(a, b) || byTeam(b, a) || byRank(b, a),
  },
  {
    title: 'by when deletion was asked for',
    query: '?sort=metadata.deletionTimestamp,asc',
    compare: byDeletion,
  },
  {
    title: 'by when deletion was asked for, the last first, then by rank',
    query: '?sort=metadata.deletionTimestamp,desc&sort=spec.rank,asc',
    compare: (a, b) => byDeletion(b, a) || byRank(a, b),
  },
];

describe(`a list of ${OBJECTS} objects, while others are answered`, () => {
  it.each(CASES)('$title, in memory that does not grow with it', async (one) => {
    const { title, query, compare, without } = one;
    const reader = await Reader.start(query);
    const [seen, cost] = await measured(() => reader.read());
    const again = await Reader.start(query);
    const liveBytes = await liveBytesOf(() => again.read());
    again.end();
    report(title, seen, cost, liveBytes);
    expect(await reader.names()).toEqual(namesBy(compare, without));
    expect(seen.slowMs).toBeLessThan(WAIT_MS_MAX);
    expect(cost.longMs).toBeLessThan(HELD_MS_MAX);
    expect(liveBytes).toBeLessThan(LIVE_BYTES_MAX);
  });

  it('is cut off when its reader stops reading, and gives its snapshot back', async () => {
    // Earlier lists may have left something to be read in the background.
    await expect.poll(() => snapshots.open()).toBe(0);
    const impatient = await serve(STALL_MS);
    const { hostname, port } = new URL(impatient.url);
    const reader = connect(Number(port), hostname);
    reader.write(`GET ${ITEMS} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
    await once(reader, 'data');
    reader.pause();
    expect(snapshots.open()).toBe(1);
    await expect.poll(() => snapshots.open()).toBe(0);
    const closed = once(reader, 'close');
    reader.on('error', () => undefined).resume();
    await closed;
    await impatient.close(0);
  });
});
