import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.js';
import { oldestIn } from '../../src/store/log/object-past.js';
import { expireRevisions } from '../../src/engines/replicated/expire-revisions.js';
import { Random } from '../helpers/seed.js';
import type { HistoryPage } from '../../src/service/verbs.js';
import { useStores, byColor, Thing, thing, THING } from '../store/helpers.js';
import { registerOldTickets, registerTickets, OLD_TICKET, TICKET } from '../helpers/tickets.js';
import type { TestService } from '../helpers/store.js';
import { expectCode, refusal } from '../suites/verbs-helpers.js';

const stores = useStores();

async function openThings(): Promise<TestService> {
  const t = await stores.open();
  await t.register(Thing, byColor);
  return t;
}

async function sizes(t: TestService, name: string, from: number, to: number): Promise<void> {
  for (let size = from; size <= to; size++)
    await t.service.update(THING, name, thing(name, { size }), { user: `u${size}` });
}

const trim = (t: TestService, count: number): Promise<number> =>
  t.store.history.trim({ count, ageMs: -60_000 });

const usersIn = ({ items }: HistoryPage) => items.map(({ user }) => user);

describe('a history', () => {
  it('has the user of each change, also within one commit', async () => {
    const t = await openThings();
    const items = [1, 2, 3].map((size) => ({
      verb: 'update' as const,
      resource: THING,
      name: 'a',
      object: thing('a', { size }),
    }));
    await t.service.create(THING, thing('a'));
    await t.service.batch(items, { user: 'ann' });
    await t.service.delete(THING, 'a', { user: 'bob' });
    const page = await t.service.history(THING, 'a');
    expect(usersIn(page)).toEqual(['bob', 'ann', 'ann', 'ann', undefined]);
    expect(new Set(page.items.slice(1, 4).map(({ time }) => time)).size).toBe(1);
  });

  it('ends where the log begins, and says where that is', async () => {
    const t = await openThings();
    await t.service.create(THING, thing('a', { size: 0 }));
    await sizes(t, 'a', 1, 5);
    expect((await t.service.history(THING, 'a')).metadata.oldest).toBe('1');
    await trim(t, 2);
    const page = await t.service.history(THING, 'a');
    expect(page.metadata).toMatchObject({ oldest: '5', resourceVersion: '6' });
    expect(page.items.map(({ resourceVersion, user, changes }) => [resourceVersion, user, changes])).toEqual([
      ['6', 'u5', [{ path: 'spec.size', from: 4, to: 5 }]],
      ['5', 'u4', [{ path: 'spec.size', from: 3, to: 4 }]],
    ]);
    expect(page.metadata).not.toHaveProperty('continue');
    await trim(t, 0);
    expect(await t.service.history(THING, 'a')).toMatchObject({ metadata: { oldest: '7' }, items: [] });
  });

  it('of an object whose every change was trimmed goes on with what comes', async () => {
    const t = await openThings();
    await t.service.create(THING, thing('a', { size: 0 }));
    await trim(t, 0);
    await sizes(t, 'a', 1, 1);
    expect((await t.service.history(THING, 'a')).items.map(({ changes }) => changes)).toEqual([
      [{ path: 'spec.size', from: 0, to: 1 }],
    ]);
    expect((await t.service.getAt(THING, 'a', '2')).spec).toEqual({ size: 1 });
    expect((await refusal(t.service.getAt(THING, 'a', '1'))).code).toBe('Expired');
  });

  it('refuses to go on where the log no longer begins', async () => {
    const t = await openThings();
    await t.service.create(THING, thing('a', { size: 0 }));
    await sizes(t, 'a', 1, 5);
    const { metadata } = await t.service.history(THING, 'a', { limit: 3 });
    expect(metadata.continue).toBe('4');
    await trim(t, 2);
    await expectCode('Expired', t.service.history(THING, 'a', metadata));
  });

  it('of an object that is gone from store and log is not found', async () => {
    const t = await openThings();
    await t.service.create(THING, thing('a'));
    await t.service.delete(THING, 'a');
    await trim(t, 1);
    expect((await t.service.history(THING, 'a')).items.map(({ verb }) => verb)).toEqual(['delete']);
    await trim(t, 0);
    await expectCode('NotFound', t.service.history(THING, 'a'));
  });

  it('tells what many fields are part of when too many of them differ', async () => {
    const t = await openThings();
    const many = (value: string) => Array.from({ length: 1200 }, (_, i) => `${value}${i}`);
    await t.service.create(THING, thing('a', { tags: many('x'), color: 'red' }));
    await t.service.update(THING, 'a', thing('a', { tags: many('y'), color: 'blue' }));
    const [item] = (await t.service.history(THING, 'a')).items;
    expect(item?.changes).toEqual([
      { path: 'spec.tags', from: many('x'), to: many('y') },
      { path: 'spec.color', from: 'red', to: 'blue' },
    ]);
  });

  it('ends an answer when its objects take much, and goes on from there', async () => {
    const t = await openThings();
    const big = 'x'.repeat(1024 * 1024);
    for (let size = 0; size < 7; size++) {
      const object = { ...thing('a', { size }), data: big };
      await (size === 0 ? t.service.create(THING, object) : t.service.update(THING, 'a', object));
    }
    const first = await t.service.history(THING, 'a');
    expect(first.items).toHaveLength(4);
    const rest = await t.service.history(THING, 'a', { continue: first.metadata.continue ?? '' });
    expect(rest.items).toHaveLength(3);
    expect(rest.metadata).not.toHaveProperty('continue');
  });
});

describe('an object as of a revision', () => {
  it('is refused when the log no longer has it, except for the current state', async () => {
    const t = await openThings();
    await t.service.create(THING, thing('a', { size: 0 }));
    await t.service.create(THING, thing('b'));
    await sizes(t, 'a', 1, 5);
    await trim(t, 3);
    for (const revision of ['1', '4']) {
      const error = await refusal(t.service.getAt(THING, 'a', revision));
      expect([error.code, error.message]).toEqual(['Expired', expect.stringContaining('begins with 5')]);
    }
    expect((await t.service.getAt(THING, 'a', '5')).spec).toEqual({ size: 3 });
    expect((await t.service.getAt(THING, 'b', '2')).metadata.resourceVersion).toBe('2');
    expect((await t.service.getAt(THING, 'b', '5')).metadata.resourceVersion).toBe('2');
    await expectCode('Expired', t.service.getAt(THING, 'b', '3'));
    await expectCode('Expired', t.service.getAt(THING, 'c', '4'));
    await expectCode('NotFound', t.service.getAt(THING, 'c', '5'));
  });

  it('is not taken from entries that no longer count, though they are still there', async () => {
    const t = await openThings();
    await t.service.create(THING, thing('a'));
    await t.service.delete(THING, 'a');
    await t.service.create(THING, thing('b', { size: 0 }));
    await sizes(t, 'b', 1, 1);
    await t.store.engine.commit(expireRevisions);
    await sizes(t, 'b', 2, 2);
    await expectCode('NotFound', t.service.history(THING, 'a'));
    await expectCode('Expired', t.service.getAt(THING, 'b', '3'));
    const { items, metadata } = await t.service.history(THING, 'b');
    expect(items.map(({ changes }) => changes)).toEqual([[{ path: 'spec.size', from: 1, to: 2 }]]);
    expect(metadata).toMatchObject({ oldest: items[0]?.resourceVersion });
  });

  it('is known from what a trimmed change left to the next one', async () => {
    const t = await openThings();
    await t.service.create(THING, thing('a', { size: 0 }));
    await t.service.create(THING, thing('b'));
    await t.service.create(THING, thing('c'));
    await sizes(t, 'a', 1, 1);
    await trim(t, 2);
    expect((await t.service.getAt(THING, 'a', '3')).spec).toEqual({ size: 0 });
  });
});

describe('the past of a model whose version moved', () => {
  it('is shown in the version asked for', async () => {
    const t = await stores.open();
    await registerOldTickets(t);
    const old = (subject: string) => ({
      metadata: { name: 'a' },
      spec: { subject, urgent: true, city: 'Rome' },
    });
    await t.service.create(OLD_TICKET, old('One'));
    await t.service.update(OLD_TICKET, 'a', old('Two'));
    const [model] = await t.service.resources();
    if (model !== undefined) t.service.models.close(model);
    const again = await stores.open(t.directory);
    await registerTickets(again);
    await again.service.patch(TICKET, 'a', { spec: { title: 'Three' } }, 'merge');
    const titles = async (ref: typeof TICKET, path: string) =>
      (await again.service.history(ref, 'a')).items.map(({ changes }) =>
        changes.filter((change) => change.path === path).map(({ from, to }) => [from, to]),
      );
    expect(await titles(TICKET, 'spec.title')).toEqual([[['Two', 'Three']], [['One', 'Two']], []]);
    expect(await titles(OLD_TICKET, 'spec.subject')).toEqual([[['Two', 'Three']], [['One', 'Two']], []]);
    expect(await again.service.getAt(TICKET, 'a', '1')).toMatchObject({
      apiVersion: 'desk.example.com/v1',
      spec: { title: 'One' },
    });
  });
});

describe('earlier states of objects, after random writes', () => {
  it.each([1, 2, 3, 4, 5, 6])('is what was answered then: seed %i', async (seed) => {
    const t = await openThings();
    const random = new Random(seed);
    const names = ['a', 'b', 'c'];
    /** States of the objects by revision; undefined from a removal on. */
    const states = new Map<string, Map<number, unknown>>(names.map((name) => [name, new Map()]));
    const verbs = new Map<string, string[]>(names.map((name) => [name, []]));
    let oldest = 1;
    for (let step = 0; step < 60; step++) {
      if (random.chance(0.05)) {
        await trim(t, random.below(20));
        const view = t.store.read();
        oldest = oldestIn(await view.logHead());
        view.close();
      }
      const items = Array.from({ length: 1 + random.below(3) }, () => ({
        name: random.pick(names),
        size: step,
      }));
      for (const { name, size } of items) {
        const live = await t.service.get(THING, name).catch(() => undefined);
        const isRemoval = live !== undefined && random.chance(0.3);
        const { object } = isRemoval
          ? await t.service.delete(THING, name)
          : live === undefined
            ? await t.service.create(THING, thing(name, { size }))
            : await t.service.patch(THING, name, { spec: { size: random.below(1e6) } }, 'merge');
        states.get(name)?.set(Number(object.metadata.resourceVersion), isRemoval ? undefined : object);
        verbs.get(name)?.unshift(isRemoval ? 'delete' : live === undefined ? 'create' : 'patch');
      }
    }
    const last = await t.store.revision();
    for (const name of names) {
      const known = states.get(name) ?? new Map<number, unknown>();
      for (let revision = 1; revision <= last; revision++) {
        const state = [...known].findLast(([at]) => at <= revision)?.[1];
        const isLast = state !== undefined && Math.max(...known.keys()) === revision;
        const found = await t.service.getAt(THING, name, String(revision)).catch(codeOf);
        const expected = revision < oldest && !isLast ? 'Expired' : (state ?? 'NotFound');
        expect(found, `${name} at ${revision}, seed ${seed}`).toEqual(expected);
      }
      const kept = [...known.keys()].filter((at) => at >= oldest).reverse();
      const page = await t.service.history(THING, name).catch(() => undefined);
      expect(page?.items.map(({ resourceVersion }) => Number(resourceVersion)) ?? []).toEqual(kept);
      expect(page?.items.map(({ verb }) => verb) ?? []).toEqual(verbs.get(name)?.slice(0, kept.length));
    }
  });
});

function codeOf(error: unknown): string {
  return error instanceof ServiceError ? error.code : String(error);
}
