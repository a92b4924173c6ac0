import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { list } from '../../src/list/execute.js';
import type { BoundCondition } from '../../src/query/bound-condition.js';
import {
  openTestService,
  removeDirectories,
  temporaryDirectory,
  type TestService,
} from '../helpers/store.js';
import { byColorAndTags, createThings, tableOf, Thing, THING } from '../store/helpers.js';

const COLORS = 100;
const COUNT = 1_000;

let t: TestService;
beforeAll(async () => {
  t = await openTestService(temporaryDirectory(), { cacheThresholdEntries: 10, filterSetBytesMax: 0 });
  await t.register(Thing, byColorAndTags);
  await createThings(t, COUNT, (i) => (i % 10 === 3 ? {} : { color: colorOf(i % COLORS) }));
});
afterAll(async () => {
  await t.close();
  removeDirectories();
});

const colorOf = (n: number): string => `color-${String(n).padStart(2, '0')}`;

async function inRange(from: number, to: number): Promise<{ total: number; entries: number }> {
  const view = t.store.read();
  try {
    const index = tableOf(t).indexes.findIndex(({ name }) => name === 'spec.color');
    const [first, last] = [from, to].map((n) => Buffer.from(colorOf(n)));
    const condition: BoundCondition = {
      op: 'range',
      index,
      from: { value: first ?? expect.fail(), inclusive: true },
      to: { value: last ?? expect.fail(), inclusive: false },
    };
    const query = { condition, order: [], offset: 0, limit: 0 };
    const { total, stats } = await list({ view, table: tableOf(t) }, query, t.service.listCaches);
    return { total, entries: stats.entries };
  } finally {
    view.close();
  }
}

describe('the matches of a range', () => {
  it('are read from the index at first, then taken from the order of the index by its two ends', async () => {
    expect(await inRange(20, 60)).toEqual({ total: 360, entries: 360 });
    await t.service.listCaches.idle();
    expect(await inRange(20, 60)).toEqual({ total: 360, entries: 20 });
    expect(await inRange(0, 99)).toEqual({ total: 890, entries: 20 });
    expect(await inRange(57, 58)).toEqual({ total: 10, entries: 20 });
    expect(await inRange(53, 54)).toEqual({ total: 0, entries: 0 });
  });

  it('are read from the index again when an object has moved in the order', async () => {
    await t.service.patch(THING, 't20', { spec: { color: colorOf(70) } }, 'merge');
    expect(await inRange(20, 60)).toEqual({ total: 359, entries: 359 });
  });
});
