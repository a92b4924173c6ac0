import { expect, it } from 'vitest';
import { ChangeTracker } from '../../src/list/change-tracker.js';
import { byColor, tableOf, Thing, THING, thing, useStores } from '../store/helpers.js';

const stores = useStores();

it('tells the changes between revisions that were read up to, and of no other', async () => {
  const t = await stores.open();
  await t.register(Thing, byColor);
  const table = tableOf(t);
  const feed = new ChangeTracker();
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
