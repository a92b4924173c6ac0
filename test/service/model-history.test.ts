import { describe, expect, it } from 'vitest';
import type { ModelHistoryItem, ModelHistoryOptions } from '../../src/service/verbs.js';
import type { TestService } from '../helpers/store.js';
import { byColor, Thing, thing, THING, useStores } from '../store/helpers.js';
import { expectCode } from '../suites/verbs-helpers.js';

const stores = useStores();

/** The clock of the store, in milliseconds. */
let nowMs = 0;
async function openThings(): Promise<TestService> {
  nowMs = Date.parse('2026-01-01T00:00:00Z');
  const t = await stores.open(undefined, () => nowMs);
  await t.register(Thing, byColor);
  return t;
}

const shortOf = ({ name, verb, user = '' }: ModelHistoryItem): string => `${verb} ${name} ${user}`;

async function readAll(
  { service }: TestService,
  options: ModelHistoryOptions = {},
): Promise<ModelHistoryItem[]> {
  const items: ModelHistoryItem[] = [];
  for (let token: string | undefined, first = true; first || token !== undefined; first = false) {
    const page = await service.modelHistory(THING, {
      ...options,
      ...(token !== undefined && { continue: token }),
    });
    items.push(...page.items);
    token = page.metadata.continue;
  }
  return items;
}

describe('the history of a model', () => {
  it('has the changes of all its objects, newest first, with the names of deleted ones', async () => {
    const t = await openThings();
    await t.service.create(THING, thing('a', { size: 1 }), { user: 'ann' });
    await t.service.create(THING, thing('b'), { user: 'bob' });
    await t.service.update(THING, 'a', thing('a', { size: 2 }), { user: 'bob' });
    await t.service.delete(THING, 'b', { user: 'ann' });
    const page = await t.service.modelHistory(THING, { before: true });
    expect(page.items.map(shortOf)).toEqual(['delete b ann', 'update a bob', 'create b bob', 'create a ann']);
    expect(page).toMatchObject({ kind: 'ThingHistoryList', metadata: { oldest: '1', resourceVersion: '4' } });
    expect(page.metadata).not.toHaveProperty('continue');
    const [, update, create] = page.items;
    expect(update).toMatchObject({
      changes: [{ path: 'spec.size', from: 1, to: 2 }],
      before: { metadata: { name: 'a', resourceVersion: '1' }, spec: { size: 1 } },
    });
    expect(create).not.toHaveProperty('before');
    expect((await t.service.modelHistory(THING)).items[1]).not.toHaveProperty('before');
  });

  it('can be limited to a user and to the time since a moment', async () => {
    const t = await openThings();
    await t.service.create(THING, thing('a'), { user: 'ann' });
    nowMs += 3_600_000;
    await t.service.create(THING, thing('b'), { user: 'bob' });
    nowMs += 60_000;
    await t.service.create(THING, thing('c'), { user: 'ann' });
    expect((await readAll(t, { user: 'ann' })).map(shortOf)).toEqual(['create c ann', 'create a ann']);
    expect((await readAll(t, { since: '2026-01-01T01:00:00Z' })).map(shortOf)).toEqual([
      'create c ann',
      'create b bob',
    ]);
    expect((await readAll(t, { since: '2026-01-01T01:00:00Z', user: 'ann' })).map(shortOf)).toEqual([
      'create c ann',
    ]);
    expect((await readAll(t, { since: '2026-01-01T01:00:00.001Z' })).map(shortOf)).toEqual(['create c ann']);
    expect(await readAll(t, { user: 'nobody' })).toEqual([]);
  });

  it('comes in parts that go on where they ended, across commits and entries of others', async () => {
    const t = await openThings();
    const items = Array.from({ length: 2_500 }, (_, i) => ({
      verb: 'create' as const,
      resource: THING,
      object: thing(`t-${i}`),
    }));
    await t.service.create(THING, thing('first'), { user: 'ann' });
    await t.service.batch(items, { user: 'bob' });
    const whole = await readAll(t);
    expect(whole).toHaveLength(2_501);
    expect(await readAll(t, { limit: 499 })).toEqual(whole);
    expect((await readAll(t, { user: 'ann', limit: 1 })).map(shortOf)).toEqual(['create first ann']);
    const page = await t.service.modelHistory(THING, { limit: 2_501 });
    expect(page.metadata).not.toHaveProperty('continue');
  });

  it('ends where the log begins, and says when that was', async () => {
    const t = await openThings();
    for (const name of ['a', 'b', 'c']) {
      await t.service.create(THING, thing(name));
      nowMs += 1_000;
    }
    await t.store.history.trim({ count: 1, ageMs: -60_000 });
    const { items, metadata } = await t.service.modelHistory(THING);
    expect(items.map(shortOf)).toEqual(['create c ']);
    expect(metadata).toMatchObject({ oldest: '3', oldestTime: '2026-01-01T00:00:02.000Z' });
    await expectCode('Expired', t.service.modelHistory(THING, { continue: '2' }));
  });

  it.each([
    [{ since: 'soon' }],
    [{ since: '' }],
    [{ since: '2100-01-01T00:00:00Z' }],
    [{ continue: 'x' }],
    [{ continue: '0' }],
    [{ limit: -1 }],
  ])('refuses %j', async (options) => {
    const t = await openThings();
    await t.service.create(THING, thing('a'));
    await expectCode('BadRequest', t.service.modelHistory(THING, options));
  });
});
