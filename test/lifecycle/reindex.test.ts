import { describe, expect, it } from 'vitest';
import { readDropped } from '../../src/store/catalog.js';
import { getEntries } from '../../src/store/index/keys.js';
import type { AttachProgress } from '../../src/lifecycle/attach.js';

import type { TestService } from '../helpers/store.js';
import {
  byColorAndTags,
  createThings,
  rewrite,
  indexIdOf,
  scanAll,
  tableOf,
  Thing,
  THING,
  useStores,
} from '../store/helpers.js';

const stores = useStores();

async function openThings(count: number): Promise<TestService> {
  const t = await stores.open();
  await t.register(Thing, byColorAndTags);
  await createThings(t, count, (i) => ({ color: `c${i % 3}`, tags: [`t${i % 7}`, 'all'] }));
  return t;
}

async function reindex(t: TestService): Promise<AttachProgress[]> {
  const reported: AttachProgress[] = [];
  const { scheme } = tableOf(t);
  if (scheme === undefined) throw new Error('no code');
  await t.service.models.lifecycle.reindex(scheme, (progress) => reported.push(progress));
  return reported;
}

const NOTHING = Buffer.alloc(0);

describe('reindex', () => {
  it('mends entries that are missing, superfluous or wrong, and values that are not those of the object', async () => {
    const t = await openThings(250);
    const before = await t.service.list(THING, { sort: 'spec.color,desc' });
    const colors = await scanAll(t.store.engine, getEntries(indexIdOf(t, 'spec.color')));
    const tags = await scanAll(t.store.engine, getEntries(indexIdOf(t, 'spec.tags')));
    await t.store.engine.commit((tx) => {
      const [first, second] = colors;
      const [third, fourth] = tags;
      if (!first || !second || !third || !fourth) throw new Error('nothing to damage');
      tx.remove(first.key);
      tx.remove(second.key);
      tx.put(Buffer.concat([third.key, Buffer.from('z')]), NOTHING);
      tx.put(Buffer.concat([fourth.key, Buffer.from('z')]), NOTHING);
      rewrite(tx, t, 't7', ({ values }) => ({ values: new Map([...values.keys()].map((id) => [id, []])) }));
    });
    expect((await t.check()).length).toBeGreaterThan(3);
    const reported = await reindex(t);
    expect(await t.check()).toEqual([]);
    expect(await t.service.list(THING, { sort: 'spec.color,desc' })).toEqual(before);
    expect(reported.map(({ done, total }) => [done, total])).toEqual([
      [0, 250],
      [250, 250],
      [250, 250],
    ]);
    expect((await t.service.list(THING, { fieldSelector: 'spec.tags=t0' })).total).toBe(36);
  });

  it('takes the old entries out, and leaves writes possible', async () => {
    const t = await openThings(30);
    const old = indexIdOf(t, 'spec.color');
    await reindex(t);
    expect(await scanAll(t.store.engine, getEntries(old))).toEqual([]);
    expect(await readDropped(t.store.engine)).toEqual([]);
    await t.service.create(THING, { metadata: { name: 'new' }, spec: { color: 'c9', tags: [] } });
    expect((await t.service.list(THING, { fieldSelector: 'spec.color=c9' })).total).toBe(1);
  });

  it('of a model without objects drops what is left in its indexes', async () => {
    const t = await openThings(1);
    const id = indexIdOf(t, 'spec.color');
    const [entry] = await scanAll(t.store.engine, getEntries(id));
    await t.service.delete(THING, 't0');
    await t.store.engine.commit((tx) => tx.put(entry?.key ?? NOTHING, NOTHING));
    expect(await t.check()).not.toEqual([]);
    await reindex(t);
    expect(await t.check()).toEqual([]);
    expect(await scanAll(t.store.engine, getEntries(id))).toEqual([]);
  });

  it('is seen by another process that has the store open', async () => {
    const t = await openThings(20);
    const other = await stores.open(t.directory);
    await other.register(Thing, byColorAndTags);
    await reindex(t);
    expect((await other.service.list(THING, { fieldSelector: 'spec.color=c1' })).total).toBe(7);
    await other.service.create(THING, { metadata: { name: 'new' }, spec: { color: 'c1', tags: [] } });
    expect((await t.service.list(THING, { fieldSelector: 'spec.color=c1' })).total).toBe(8);
  });
});
