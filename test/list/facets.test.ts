import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { list } from '../../src/list/execute.js';
import type { FacetCount } from '../../src/list/facets/facets.js';
import type { BoundCondition } from '../../src/query/bound-condition.js';
import {
  openTestService,
  removeDirectories,
  temporaryDirectory,
  type TestService,
} from '../helpers/store.js';
import { byColorAndTags, createThings, tableOf, Thing, THING } from '../store/helpers.js';

const COLORS = 8;
const COUNT = 640;

let t: TestService;
beforeAll(async () => {
  t = await openTestService(temporaryDirectory(), { postingListThresholdEntries: 0 });
  await t.register(Thing, byColorAndTags);
  await createThings(t, COUNT, (i) => ({ color: `color-${i % COLORS}`, tags: [`half-${i % 2}`] }));
});
afterAll(async () => {
  await t.close();
  removeDirectories();
});

function position(field: string): number {
  return tableOf(t).indexes.findIndex(({ name }) => name === field);
}

async function colors(
  condition: BoundCondition,
): Promise<{ counts: FacetCount[]; entries: number; records: number }> {
  const view = t.store.read();
  try {
    const query = { condition, order: [], offset: 0, limit: 1 };
    const answer = await list({ view, table: tableOf(t) }, query, t.service.listCaches);
    const { entries, records } = answer.stats;
    const field = { name: 'spec.color', index: position('spec.color') };
    const counts = await answer.facet(field, COLORS);
    return { counts, entries: answer.stats.entries - entries, records: answer.stats.records - records };
  } finally {
    view.close();
  }
}

const half: BoundCondition = { op: 'in', index: 1, values: [Buffer.from('half-1')] };

describe('a facet', () => {
  it('of many matches is read from the index at first, then counted in posting lists', async () => {
    const condition = { ...half, index: position('spec.tags') };
    const counts = [1, 3, 5, 7].map((n) => ({ value: `color-${n}`, count: COUNT / COLORS }));
    expect(await colors(condition)).toEqual({ counts, entries: COUNT, records: 0 });
    await t.service.listCaches.idle();
    expect(await colors(condition)).toEqual({ counts, entries: 0, records: 0 });
    expect((await colors({ op: 'all' })).counts).toHaveLength(COLORS);
  });

  it('follows the writes since the posting lists were read', async () => {
    const condition = { ...half, index: position('spec.tags') };
    await t.service.patch(THING, 't1', { spec: { color: 'a new one' } }, 'merge');
    await t.service.delete(THING, 't3');
    const { counts, entries } = await colors(condition);
    expect(entries).toBe(0);
    expect(counts).toEqual([
      { value: 'color-5', count: 80 },
      { value: 'color-7', count: 80 },
      { value: 'color-1', count: 79 },
      { value: 'color-3', count: 79 },
      { value: 'a new one', count: 1 },
    ]);
  });

  it('of a few matches is counted by their records', async () => {
    const names = {
      op: 'in',
      index: -1,
      values: ['t5', 't13', 't6'].map((name) => Buffer.from(name)),
    } as const;
    t.service.listCaches.forget(tableOf(t).modelId);
    const { counts, entries, records } = await colors(names);
    expect(counts).toEqual([
      { value: 'color-5', count: 2 },
      { value: 'color-6', count: 1 },
    ]);
    expect({ entries, records }).toEqual({ entries: 0, records: 3 });
  });
});
