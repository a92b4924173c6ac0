import { expect, it } from 'vitest';
import { CacheBudget } from '../../src/lib/cache-budget.js';
import { ChangeTracker } from '../../src/list/change-tracker.js';
import { byColor, tableOf, Thing, THING, thing, useStores } from '../store/helpers.js';

const stores = useStores();

async function openTracked(...options: ConstructorParameters<typeof ChangeTracker>) {
  const t = await stores.open();
  await t.register(Thing, byColor);
  const table = tableOf(t);
  const feed = new ChangeTracker(...options);
  const advance = async (): Promise<number> => {
    const view = t.store.read();
    try {
      const { revision } = await view.count(table);
      await feed.advance({ view, table }, revision);
      return revision;
    } finally {
      view.close();
    }
  };
  return { t, table, feed, advance };
}

it('tells the changes between revisions that were read up to, and of no other', async () => {
  const { t, table, feed, advance } = await openTracked(new CacheBudget());
  await t.service.create(THING, thing('a', { color: 'red' }));
  const first = await advance();
  await t.service.update(THING, 'a', thing('a', { color: 'green' }));
  await t.service.update(THING, 'a', thing('a', { color: 'blue' }));
  const third = await advance();
  expect(third).toBe(first + 2);

  const changes = feed.between(first, third) ?? expect.fail();
  expect(changes).toHaveLength(1);
  const { id } = table.indexes.find(({ name }) => name === 'spec.color') ?? expect.fail();
  expect(changes[0]?.before?.values.get(id)).toEqual([Buffer.from('red')]);
  expect(changes[0]?.after?.values.get(id)).toEqual([Buffer.from('blue')]);
  expect(feed.between(third, third)).toEqual([]);
  expect([first, first + 1, third, third + 1].map((revision) => feed.reaches(revision))).toEqual([
    true,
    false,
    true,
    false,
  ]);
  // A cache of a revision in between contains "green", which the change from red to blue does not mention.
  expect(feed.between(first + 1, third)).toBeUndefined();
  expect(feed.between(first, first + 1)).toBeUndefined();
  // Readers may miss the newest commit for a moment: later data is not that of the earlier revision.
  expect(feed.between(third, first)).toBeUndefined();
});

it('knows objects that did not exist before, and objects that are gone', async () => {
  const { t, feed, advance } = await openTracked(new CacheBudget());
  await t.service.create(THING, thing('a', { color: 'red' }));
  const first = await advance();
  await t.service.delete(THING, 'a');
  await t.service.create(THING, thing('b', { color: 'blue' }));
  const second = await advance();
  const changes = feed.between(first, second) ?? expect.fail();
  expect(changes.map(({ before, after }) => [before?.name, after?.name])).toEqual([
    ['a', undefined],
    [undefined, 'b'],
  ]);
});

it('keeps changes within the memory for caches, and goes on without them', async () => {
  const budget = new CacheBudget(1_000);
  const { t, feed, advance } = await openTracked(budget);
  await t.service.create(THING, thing('a', { color: 'red' }));
  const first = await advance();
  await t.service.update(THING, 'a', thing('a', { color: 'green' }));
  const second = await advance();
  expect(feed.between(first, second)).toHaveLength(1);
  expect(budget.bytesByName().get('changes')).toBe(budget.bytes);

  budget.cache('other').set('large', 'value', 1_000);
  expect([feed.reaches(first), feed.reaches(second)]).toEqual([false, true]);
  await t.service.update(THING, 'a', thing('a', { color: 'blue' }));
  const third = await advance();
  expect(feed.between(first, third)).toBeUndefined();
  expect(feed.between(second, third)).toHaveLength(1);
});

it.each([
  { changes: 5, bytes: Infinity },
  // A step of three changes takes more than half of it.
  { changes: Infinity, bytes: 900 },
])('discards the oldest changes beyond %o', async (limits) => {
  const { t, feed, advance } = await openTracked(new CacheBudget(), limits);
  const write = async (prefix: string, count: number): Promise<number> => {
    for (let i = 0; i < count; i++) await t.service.create(THING, thing(`${prefix}${i}`, { color: 'red' }));
    return advance();
  };
  const first = await write('a', 1);
  const second = await write('b', 3);
  const third = await write('c', 2);
  expect([first, second, third].map((revision) => feed.reaches(revision))).toEqual([true, true, true]);
  const fourth = await write('d', 1);
  expect([first, second].map((revision) => feed.reaches(revision))).toEqual([false, true]);
  expect(feed.between(second, fourth)).toHaveLength(3);
  const fifth = await write('e', 20);
  expect([fourth, fifth].map((revision) => feed.reaches(revision))).toEqual([false, true]);
});
