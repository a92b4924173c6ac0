import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import type { BatchItem } from '../../src/service/verbs.js';
import type { BoundCondition } from '../../src/query/bound-condition.js';
import type { ListCacheOptions } from '../../src/list/cache.js';
import type { ReadView } from '../../src/store/read-view.js';
import type { IdSet } from '../../src/list/filter/id-set.js';
import { PostingLists } from '../../src/list/filter/posting-lists.js';
import { getEntries } from '../../src/store/index/keys.js';
import {
  openTestService,
  removeDirectories,
  temporaryDirectory,
  type TestService,
} from '../helpers/store.js';
import { byColorAndTags, createThings, tableOf, Thing, THING, thing } from '../store/helpers.js';

const COLORS = 8;
const COUNT = 640;
const AT_ONCE: ListCacheOptions = { postingListThresholdEntries: 0 };
/** Posting lists are not read again for ten times as long as reading them took, which is long when the machine stood still. */
const UNTIL_READ_AGAIN = { timeout: 60_000 };

const opened: TestService[] = [];
afterEach(async () => {
  for (const t of opened.splice(0)) await t.close();
});
afterAll(removeDirectories);

async function open(
  options: ListCacheOptions,
  directory = temporaryDirectory(),
  memory: { readonly cacheBytes?: number } = {},
): Promise<TestService> {
  const t = await openTestService(directory, options, memory);
  await t.register(Thing, byColorAndTags);
  opened.push(t);
  return t;
}

/** Things of eight colors, 80 each; every second has two tags, which 320 things share, the others have none. */
async function openFilled(options: ListCacheOptions, cacheBytes?: number): Promise<TestService> {
  const t = await open(options, undefined, cacheBytes === undefined ? {} : { cacheBytes });
  await createThings(t, COUNT, (i) => {
    return { color: `color-${i % COLORS}`, ...(i % 2 === 0 && { tags: ['even', `tag-${i % 4}`] }) };
  });
  return t;
}

function position(t: TestService, field: string): number {
  return tableOf(t).indexes.findIndex(({ name }) => name === field);
}

function isOf(t: TestService, field: string, ...values: string[]): BoundCondition {
  return { op: 'in', index: position(t, field), values: values.map((value) => Buffer.from(value)) };
}

interface Found {
  readonly names: string[];
  readonly entries: number;
  readonly from: string[];
}

/** Finds the matches as a list does, in a snapshot of this moment unless one is given. */
async function find(t: TestService, condition: BoundCondition, view?: ReadView): Promise<Found> {
  const snapshot = view ?? t.store.read();
  try {
    const { revision } = await snapshot.count(tableOf(t));
    const { scope, known } = await t.service.listCaches.scope(
      { view: snapshot, table: tableOf(t) },
      revision,
    );
    const ids: number[] = [];
    (await known.matches(scope, condition)).forEach((id) => ids.push(id));
    const { entries, filters } = scope.stats;
    const names = (await scope.view.readNames(scope.table, ids)).sort();
    return { names, entries, from: filters.map((filter) => filter.from) };
  } finally {
    if (view === undefined) snapshot.close();
  }
}

const color = (t: TestService, ...numbers: number[]): BoundCondition =>
  isOf(t, 'spec.color', ...numbers.map((number) => `color-${number}`));

const sizeOf = (ids: Uint32Array | IdSet): number => (ids instanceof Uint32Array ? ids.length : ids.size);

/** Has the posting lists of an index read; the condition is one on it. */
async function missOnce(t: TestService, condition: BoundCondition): Promise<void> {
  await find(t, condition);
  await t.service.listCaches.idle();
}

function namesWith(isWanted: (i: number) => boolean, length = COUNT): string[] {
  return Array.from({ length }, (_, i) => i)
    .filter(isWanted)
    .map((i) => `t${i}`)
    .sort();
}

describe('posting lists', () => {
  it('is read after a few misses, and then has the sets of values that nobody asked for', async () => {
    const t = await openFilled({ postingListThresholdEntries: 300 });
    for (const number of [0, 1, 2, 3]) {
      expect((await find(t, color(t, number))).from).toEqual(['index']);
      await t.service.listCaches.idle();
    }
    const found = await find(t, color(t, 4));
    expect(found).toEqual({ names: namesWith((i) => i % COLORS === 4), entries: 0, from: ['memory'] });
    const three = await find(t, color(t, 5, 6, 7));
    expect(three.names).toEqual(namesWith((i) => i % COLORS > 4));
    expect(three.entries).toBe(0);
    expect((await find(t, isOf(t, 'spec.color', 'none'))).names).toEqual([]);
  });

  it('is not read for misses that cost little', async () => {
    const t = await openFilled({ postingListThresholdEntries: 1 });
    for (let i = 0; i < 40; i++) await missOnce(t, isOf(t, 'spec.color', `nothing-${i}`));
    expect((await find(t, color(t, 1))).from).toEqual(['index']);
  });

  it('has several values of one object, and the objects without a value', async () => {
    const t = await openFilled(AT_ONCE);
    await missOnce(t, isOf(t, 'spec.tags', 'tag-0'));
    const tag = await find(t, isOf(t, 'spec.tags', 'tag-2'));
    expect(tag).toEqual({ names: namesWith((i) => i % 4 === 2), entries: 0, from: ['memory'] });
    const none = await find(t, { op: 'isNull', index: position(t, 'spec.tags') });
    expect(none).toEqual({ names: namesWith((i) => i % 2 === 1), entries: 0, from: ['memory'] });
  });

  it('is asked for parts of a condition before rows are, unless that takes longer', async () => {
    const t = await openFilled(AT_ONCE);
    await missOnce(t, color(t, 0));
    await missOnce(t, isOf(t, 'spec.tags', 'tag-0'));
    const both = await find(t, { op: 'and', of: [color(t, 2), isOf(t, 'spec.tags', 'tag-2')] });
    expect(both.names).toEqual(namesWith((i) => i % COLORS === 2));
    expect([both.entries, ...both.from]).toEqual([0, 'memory', 'memory']);
    const one = { op: 'in', index: -1, values: [Buffer.from('t4')] } as const;
    const few = await find(t, { op: 'and', of: [one, isOf(t, 'spec.tags', 'even')] });
    expect(few.names).toEqual(['t4']);
    expect(few.from).toEqual(['index', 'records']);
  });

  it('has labels, of whose index objects without a label are no part', async () => {
    const t = await open({ ...AT_ONCE, filterSetBytesMax: 0 });
    const items = Array.from({ length: 50 }, (_, i): BatchItem => {
      const metadata = { name: `t${i}`, ...(i < 40 && { labels: { tier: `${i % 2}`, all: 'yes' } }) };
      return { verb: 'create', resource: THING, object: { ...thing(`t${i}`), metadata } };
    });
    await t.service.batch(items);
    await missOnce(t, isOf(t, 'metadata.labels', 'x=y'));
    const odd = await find(t, isOf(t, 'metadata.labels', 'tier=1'));
    expect(odd.names).toEqual(namesWith((i) => i < 40 && i % 2 === 1));
    expect(odd.from).toEqual(['memory']);
    const none = await find(t, { op: 'isNull', index: position(t, 'metadata.labels') });
    expect(none.names).toHaveLength(10);
    expect(none.from).toEqual(['index']);
  });

  it('tells long values apart that begin alike, and zero bytes', async () => {
    const t = await open(AT_ONCE);
    const long = 'x'.repeat(1_500);
    const values = [`${long}a`, `${long}b`, 'a', 'a\0', 'a\0b', long.slice(0, 1_000)];
    await createThings(t, 20 * values.length, (i) => ({ color: values[i % values.length] ?? '' }));
    await missOnce(t, isOf(t, 'spec.color', 'nothing'));
    for (const [number, value] of values.entries()) {
      const found = await find(t, isOf(t, 'spec.color', value));
      const expected = Array.from({ length: 20 }, (_, i) => `t${i * values.length + number}`).sort();
      expect(found, `value ${number}`).toEqual({ names: expected, entries: 0, from: ['memory'] });
    }
  });

  it('has values that many objects share', async () => {
    const t = await open(AT_ONCE);
    await createThings(t, 4_200, (i) => ({ color: i < 4_101 ? 'most' : 'few' }));
    await missOnce(t, isOf(t, 'spec.color', 'nothing'));
    const most = await find(t, isOf(t, 'spec.color', 'most'));
    expect(most.names).toEqual(Array.from({ length: 4_101 }, (_, i) => `t${i}`).sort());
    expect(most.from).toEqual(['memory']);
    expect((await find(t, isOf(t, 'spec.color', 'few'))).names).toHaveLength(99);
  });

  it('follows writes, of other processes too', async () => {
    const t = await openFilled(AT_ONCE);
    const other = await open({}, t.directory);
    await missOnce(t, color(t, 0));
    await other.service.update(THING, 't1', thing('t1', { color: 'color-2' }));
    await t.service.delete(THING, 't2');
    await t.service.create(THING, thing('new', { color: 'color-2' }));
    await t.service.update(THING, 't3', thing('t3', { color: 'color-2' }));
    await t.service.update(THING, 't3', thing('t3', { color: 'unheard-of' }));
    await t.service.update(THING, 't4', thing('t4', {}));
    const two = namesWith((i) => i % COLORS === 2 && i !== 2).concat('new', 't1');
    expect(await find(t, color(t, 2))).toEqual({ names: two.sort(), entries: 0, from: ['memory'] });
    expect((await find(t, color(t, 3))).names).toEqual(namesWith((i) => i % COLORS === 3 && i !== 3));
    expect((await find(t, isOf(t, 'spec.color', 'unheard-of'))).names).toEqual(['t3']);
    const none = await find(t, { op: 'isNull', index: position(t, 'spec.color') });
    expect(none).toEqual({ names: ['t4'], entries: 0, from: ['memory'] });
  });

  it('leaves older snapshots to the index', async () => {
    const t = await openFilled(AT_ONCE);
    await missOnce(t, color(t, 0));
    const before = t.store.read();
    try {
      // Its moment is that of its first read, at the latest.
      await before.revision();
      await t.service.delete(THING, 't1');
      expect((await find(t, color(t, 2))).from).toEqual(['memory']);
      const old = await find(t, color(t, 1), before);
      expect(old.names).toEqual(namesWith((i) => i % COLORS === 1));
      expect(old.from).toEqual(['index']);
    } finally {
      before.close();
    }
    expect((await find(t, color(t, 1))).names).toEqual(namesWith((i) => i % COLORS === 1 && i !== 1));
  });

  it('is dropped when the log no longer has the changes since, and read again', async () => {
    const t = await openFilled({ ...AT_ONCE, filterSetBytesMax: 0 });
    await missOnce(t, color(t, 0));
    expect((await find(t, color(t, 1))).from).toEqual(['memory']);
    await t.service.delete(THING, 't1');
    await t.store.history.trim({ count: 0, ageMs: -60_000 });
    const found = await find(t, color(t, 2));
    expect(found).toEqual({ names: namesWith((i) => i % COLORS === 2), entries: 80, from: ['index'] });
    await vi.waitFor(async () => {
      await missOnce(t, color(t, 3));
      expect((await find(t, color(t, 1))).from).toEqual(['memory']);
    }, UNTIL_READ_AGAIN);
    expect((await find(t, color(t, 1))).names).toEqual(namesWith((i) => i % COLORS === 1 && i !== 1));
  });

  it('is not read of an index that has too few entries for each value, until that has changed', async () => {
    const t = await open({ ...AT_ONCE, filterSetBytesMax: 0 });
    await createThings(t, 150, (i) => ({ color: `color-${Math.floor(i / 3)}` }));
    await missOnce(t, color(t, 0));
    expect((await find(t, color(t, 1))).from).toEqual(['index']);
    const more = Array.from({ length: 150 }, (_, i): BatchItem => {
      return { verb: 'create', resource: THING, object: thing(`more-${i}`, { color: `color-${i % 50}` }) };
    });
    await t.service.batch(more);
    await vi.waitFor(async () => {
      await missOnce(t, color(t, 0));
      expect((await find(t, color(t, 1))).from).toEqual(['memory']);
    }, UNTIL_READ_AGAIN);
  });

  it('stays within its memory: the one used last is kept, one that is too large is not read', async () => {
    // Those of the color take 2,560 bytes for ids and 75 for each value, those of the tags 3,840 and more.
    const t = await openFilled({ ...AT_ONCE, filterSetBytesMax: 0 }, 6_000);
    await missOnce(t, color(t, 0));
    expect((await find(t, color(t, 1))).from).toEqual(['memory']);
    await missOnce(t, isOf(t, 'spec.tags', 'even'));
    expect((await find(t, isOf(t, 'spec.tags', 'tag-0'))).from).toEqual(['memory']);
    expect((await find(t, color(t, 2))).from).toEqual(['index']);

    const small = await openFilled({ ...AT_ONCE, filterSetBytesMax: 0, postingListBytesMax: 3_000 });
    await missOnce(small, color(small, 0));
    expect((await find(small, color(small, 1))).from).toEqual(['index']);
  });

  it('finds the objects with any of many values, also of those that changed since', async () => {
    const t = await open({ ...AT_ONCE, filterSetBytesMax: 0 });
    await createThings(t, 500, (i) => ({ color: `color-${i % 100}` }));
    const some = isOf(t, 'spec.color', ...Array.from({ length: 90 }, (_, i) => `color-${i + 5}`).sort());
    await missOnce(t, some);
    await t.service.update(THING, 't7', thing('t7', { color: 'color-1' }));
    await t.service.update(THING, 't1', thing('t1', { color: 'color-50' }));
    await t.service.delete(THING, 't99');
    await t.service.delete(THING, 't8');
    const { names, from } = await find(t, some);
    expect(from).toEqual(['memory']);
    expect(names).toEqual(
      namesWith((i) => i === 1 || (i % 100 >= 5 && i % 100 < 95 && i !== 7 && i !== 8), 500),
    );
  });

  it('keeps the values of one revision for an iteration, while it follows writes for others', async () => {
    const t = await openFilled({});
    const table = tableOf(t);
    const index = table.indexes[position(t, 'spec.color')] ?? expect.fail();
    const view = t.store.read();
    try {
      const { objects, revision } = await view.count(table);
      const source = { snapshot: view.snapshot, index, objects, revision };
      const limits = { entriesPerValueMin: 16, bytesMax: 10_000 };
      const lists = (await PostingLists.read(source, limits)) ?? expect.fail();
      const state = (id: number, color: number) => {
        return { id, name: `n${id}`, values: new Map([[index.id, [Buffer.from(`color-${color}`)]]]) };
      };
      const counts = () => Array.from(lists.valuesIn(getEntries(index.id)), ({ ids }) => sizeOf(ids));
      lists.follow([{ before: undefined, after: state(10_000, 7) }], revision + 1);
      const before = counts();
      const all = lists.valuesIn(getEntries(index.id));
      const first = all.next();
      const seen = first.done === true ? [] : [sizeOf(first.value.ids)];
      // From the last value to the first, which was gone through already, and one that is new.
      lists.follow([{ before: state(10_000, 7), after: state(10_000, 0) }], revision + 2);
      lists.follow([{ before: undefined, after: state(10_001, 7) }], revision + 3);
      for (const { ids } of all) seen.push(sizeOf(ids));
      expect(seen).toEqual(before);
      expect(counts().sort()).toEqual([80, 80, 80, 80, 80, 80, 81, 81]);
    } finally {
      view.close();
    }
  });

  it('takes 4 bytes an entry, grows by what changes, and is to be read again when that is too much', async () => {
    const t = await openFilled({});
    const table = tableOf(t);
    const index = table.indexes[position(t, 'spec.color')];
    const view = t.store.read();
    try {
      const { objects, revision } = await view.count(table);
      const source = { snapshot: view.snapshot, index: index ?? expect.fail(), objects, revision };
      const limits = { entriesPerValueMin: 16, bytesMax: 10_000 };
      const lists = (await PostingLists.read(source, limits)) ?? expect.fail();
      expect(lists.bytes).toBeGreaterThan(4 * COUNT);
      expect(lists.bytes).toBeLessThan(4 * COUNT + COLORS * 100);
      const added = (from: number, to: number): void =>
        lists.follow(
          Array.from({ length: to - from }, (_, i) => {
            const values = new Map([[source.index.id, [Buffer.from('color-0')]]]);
            const after = { id: 10_000 + from + i, name: `n${from + i}`, values };
            return { before: undefined, after };
          }),
          revision + to,
        );
      added(0, 5_000);
      expect([lists.isStale, lists.isWornOut]).toEqual([false, false]);
      expect(lists.bytes).toBeGreaterThan(4 * COUNT + 5_000 * 50);
      added(5_000, 5_001);
      expect([lists.isStale, lists.isWornOut]).toEqual([true, false]);
      added(5_001, 20_001);
      expect(lists.isWornOut).toBe(true);
      expect(lists.revision).toBe(revision + 20_001);
      expect((await lists.getSet([Buffer.from('color-0')])).size).toBe(80 + 20_001);
      expect(await PostingLists.read(source, { ...limits, bytesMax: 2_000 })).toBeUndefined();
      expect(await PostingLists.read(source, limits, () => true)).toBeUndefined();
    } finally {
      view.close();
    }
  });
});
