import { describe, expect, it } from 'vitest';
import { IndexSpecs } from '../../src/model/declare/index-spec.js';
import type { DeclareIndexes } from '../../src/model/declare/scheme-builder.js';
import { headOfDocument } from '../../src/model/words.js';
import type { Engine } from '../../src/store/engine.js';
import { keepTexts, type TextLimits } from '../../src/store/text/keep.js';
import {
  countsKey,
  decodeCounts,
  decodeSegments,
  freshKey,
  getFreshRows,
  getTerms,
  getTextRows,
  segmentsKey,
  type Segments,
} from '../../src/store/text/rows.js';
import { Random, seedOfRun } from '../helpers/seed.js';
import { temporaryDirectory, type TestService } from '../helpers/store.js';
import { refusal } from '../suites/verbs-helpers.js';
import {
  byColor,
  createThings,
  indexIdOf,
  scanAll,
  tableOf,
  Thing,
  thing,
  THING,
  useStores,
} from './helpers.js';

const stores = useStores();

const SMALL: TextLimits = { rows: 5, bytes: 1_000, segments: 3 };

const byText: DeclareIndexes = (specs) => {
  specs.add(IndexSpecs.text<Thing>('search').indexFunc((o) => [o.spec.color, ...(o.spec.tags ?? [])]));
};

function keep(t: TestService, limits = SMALL): Promise<void> {
  return keepTexts(t.store.engine, [tableOf(t)], { limits });
}

async function segmentsOf(engine: Engine, indexId: number): Promise<Segments> {
  return decodeSegments(await engine.get(segmentsKey(indexId)));
}

/** The engine as another object, as in another process. @param before called before each commit */
function anotherEngine(engine: Engine, before = (): void => undefined): Engine {
  return new Proxy(engine, {
    get(target, member) {
      const value: unknown = Reflect.get(target, member, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        if (member === 'commit') before();
        return Reflect.apply(value, target, args);
      };
    },
  });
}

async function openThings(objects: number): Promise<TestService> {
  const t = await stores.open();
  await t.register(Thing, byText);
  for (let i = 0; i < objects; i++)
    await t.service.create(THING, thing(`t${i}`, { color: `red ${i}`, tags: ['one two', 'three'] }));
  return t;
}

describe('a text index', () => {
  it('has the words of all objects through random writes, flushes and merges', async () => {
    const seed = seedOfRun();
    const random = new Random(seed);
    const t = await stores.open();
    await t.register(Thing, byText);
    const text = (): string => {
      const words = random.many(0, 5, () => `w${random.below(20)}`.repeat(1 + random.below(2)));
      return random.chance(0.1) ? `${words.join('-')} Ünïcode 東京` : words.join(' ');
    };
    const names = new Set<string>();
    for (let step = 0; step < 250; step++) {
      const name = `t${random.below(30)}`;
      const object = thing(name, { color: text(), tags: random.many(0, 3, text) });
      if (!names.has(name)) {
        await t.service.create(THING, object);
        names.add(name);
      } else if (random.chance(0.3)) {
        await t.service.delete(THING, name);
        names.delete(name);
      } else {
        await t.service.update(THING, name, object);
      }
      if (random.chance(0.2)) await keep(t);
      if (step % 50 === 0) expect(await t.check(), `seed ${seed}`).toEqual([]);
    }
    await keep(t);
    expect(await t.check(), `seed ${seed}`).toEqual([]);
  });

  it('keeps few segments, and no rows of those that were merged', async () => {
    const t = await openThings(100);
    const indexId = indexIdOf(t, 'search');
    await keep(t);
    const { segments, flushed, begun, dropped } = await segmentsOf(t.store.engine, indexId);
    expect(segments.length).toBeLessThan(8);
    expect({ begun, dropped }).toEqual({ begun: [], dropped: [] });
    expect(await scanAll(t.store.engine, getFreshRows(indexId, 0, flushed))).toEqual([]);
    const known = new Set(segments.map(({ id }) => id));
    for (let id = 1; id < 100; id++)
      if (!known.has(id)) expect(await scanAll(t.store.engine, getTerms(indexId, id))).toEqual([]);
  });

  it('gets no new row when other fields of an object change', async () => {
    const t = await openThings(1);
    const key = countsKey(indexIdOf(t, 'search'));
    const before = await t.store.engine.get(key);
    await t.service.update(THING, 't0', thing('t0', { color: 'red 0', tags: ['one two', 'three'], size: 5 }));
    expect(await t.store.engine.get(key)).toEqual(before);
    await t.service.update(THING, 't0', thing('t0', { color: 'red 0', tags: ['one', 'two three'] }));
    expect(decodeCounts(await t.store.engine.get(key)).nextRow).toBe(2);
  });

  it('is built for objects that were stored before it was declared, and removed with its declaration', async () => {
    const directory = temporaryDirectory();
    const before = await stores.open(directory);
    await before.register(Thing, byColor);
    await createThings(before, 300, (i) => ({ color: `red ${i}` }));
    await before.close();
    const t = await stores.open(directory);
    await t.register(Thing, byText);
    const indexId = indexIdOf(t, 'search');
    expect(decodeCounts(await t.store.engine.get(countsKey(indexId)))).toMatchObject({ words: 600 });
    expect(await t.check()).toEqual([]);
    await t.close();
    const after = await stores.open(directory);
    await after.register(Thing, byColor);
    expect(await scanAll(after.store.engine, getTextRows(indexId))).toEqual([]);
  });

  it('continues after a process that died while it wrote a segment', async () => {
    const t = await openThings(12);
    const indexId = indexIdOf(t, 'search');
    const died = new Error('died');
    let commits = 0;
    const dying = anotherEngine(t.store.engine, () => {
      if (++commits > 1) throw died;
    });
    await expect(keepTexts(dying, [tableOf(t)], { limits: SMALL })).rejects.toBe(died);
    expect((await segmentsOf(t.store.engine, indexId)).begun).toEqual([1]);
    await keep(t);
    expect(await segmentsOf(t.store.engine, indexId)).toMatchObject({ begun: [], dropped: [], flushed: 12 });
  });

  it('stays whole when two processes work on it at once', async () => {
    const t = await openThings(60);
    const other = anotherEngine(t.store.engine);
    await Promise.all([keep(t), keepTexts(other, [tableOf(t)], { limits: SMALL })]);
    await keep(t);
    expect((await segmentsOf(t.store.engine, indexIdOf(t, 'search'))).flushed).toBe(60);
  });

  it('takes texts of 1 MiB, one long word, and none', async () => {
    const t = await stores.open();
    await t.register(Thing, byText);
    await t.service.create(
      THING,
      thing('long', { color: 'x'.repeat(500_000), tags: ['a '.repeat(200_000)] }),
    );
    await t.service.create(THING, thing('none', { color: '--', tags: ['', '!'] }));
    await keep(t, { rows: 1, bytes: 1, segments: 2 });
    expect(await t.check()).toEqual([]);
  });

  it('refuses texts that are none, and names the index', async () => {
    const t = await stores.open();
    await t.register(Thing, (specs) => {
      specs.add(IndexSpecs.text<Thing>('search').indexFunc((o) => o.spec.size as never));
    });
    const error = await refusal(t.service.create(THING, thing('a', { size: 7 })));
    expect(error.code).toBe('Invalid');
    expect(error.details.causes?.[0]).toMatchObject({
      field: 'search',
      message: 'the index function must return a text or an array of texts, got 7',
    });
  });

  it('is one of a model', async () => {
    const t = await stores.open();
    const twice: DeclareIndexes = (specs) => {
      specs.add(IndexSpecs.text('a').indexFunc(() => '')).add(IndexSpecs.text('b').indexFunc(() => ''));
    };
    const error = await refusal(t.register(Thing, twice));
    expect(error.message).toContain('at most one text index; a is one already');
  });
});

describe('the check of a text index', () => {
  it('names words that are missing, too many or counted wrongly', async () => {
    const t = await openThings(10);
    const indexId = indexIdOf(t, 'search');
    await keep(t, { ...SMALL, rows: 8 });
    await t.service.create(THING, thing('fresh', { color: 'new' }));
    stores.damaged(t);
    const { engine } = t.store;
    const [row] = await scanAll(engine, getFreshRows(indexId, 10, 11));
    expect(headOfDocument(row?.value.subarray(6) ?? Buffer.alloc(0)).length).toBe(12);
    await engine.commit((tx) => tx.remove(freshKey(indexId, 10)));
    expect(await t.check()).toEqual(['Thing index search lacks words of 1 objects']);
    const [block] = await scanAll(engine, getTerms(indexId, 1));
    await engine.commit((tx) => tx.remove(block?.key ?? Buffer.alloc(0)));
    expect(await t.check()).toEqual([
      'Thing index search has words of 10 objects that are not there, or have none',
      'Thing index search lacks words of 11 objects',
    ]);
  });
});
