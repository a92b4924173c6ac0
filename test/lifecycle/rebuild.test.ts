import { describe, expect, it } from 'vitest';
import { IndexSpecs } from '../../src/model/declare/index-spec.js';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import type { DeclareIndexes } from '../../src/model/declare/scheme-builder.js';
import {
  CatalogEditor,
  readCatalog,
  readDropped,
  type Catalog,
  type ModelRecord,
} from '../../src/store/catalog.js';
import type { Engine } from '../../src/store/engine.js';
import { fillIndexes } from '../../src/lifecycle/index-fill.js';
import { getEntries, FAMILY, idInKey, getObjects } from '../../src/store/index/keys.js';
import type { AttachProgress } from '../../src/lifecycle/attach.js';
import { indexRecordIn } from '../../src/store/object-record.js';
import { Table } from '../../src/store/table.js';
import { TEST_ENGINE } from '../engines/engines.js';
import type { TestService } from '../helpers/store.js';
import { temporaryDirectory } from '../helpers/store.js';
import { expectCode, refusal } from '../suites/verbs-helpers.js';
import {
  byColor,
  byColorAndTags,
  contents,
  createThings,
  indexIdOf,
  revisionOf,
  scanAll,
  tableOf,
  Thing,
  thing,
  THING,
  useStores,
} from '../store/helpers.js';

const stores = useStores();

const COLORS = ['red', 'green', 'blue'];
const OBJECTS = 250;

const byLength: DeclareIndexes = (specs) => {
  specs.add(
    IndexSpecs.single<Thing, string>('spec.color', 'string').indexFunc((o) => `${o.spec.color ?? ''}!`),
  );
};
const byBoom: DeclareIndexes = (specs) => {
  const boom = (o: Thing): string => {
    if (o.metadata.name === 't90') throw new Error('boom');
    return `${o.spec.color ?? ''}!`;
  };
  specs.add(IndexSpecs.single<Thing, string>('spec.color', 'string').indexFunc(boom));
};
const byUniqueColor: DeclareIndexes = (specs) => {
  specs.add(
    IndexSpecs.single<Thing, string>('spec.color', 'string')
      .unique()
      .indexFunc((o) => o.spec.color),
  );
};
const nothing: DeclareIndexes = () => undefined;

/** A closed store with objects that were indexed by color. */
async function storeWithThings(): Promise<string> {
  const directory = temporaryDirectory();
  const t = await stores.open(directory);
  await t.register(Thing, byColor);
  await createThings(t, OBJECTS, (i) => ({ color: COLORS[i % 3] ?? '', tags: [`a${i % 2}`, 'all'] }));
  await t.close();
  return directory;
}

async function reopened(directory: string, declare: DeclareIndexes): Promise<TestService> {
  const t = await stores.open(directory);
  await t.register(Thing, declare);
  return t;
}

async function total(t: TestService, fieldSelector: string): Promise<number> {
  return (await t.service.list(THING, { fieldSelector, size: 1 })).total;
}

async function entryCount(t: TestService, indexId: number): Promise<number> {
  return (await scanAll(t.store.engine, getEntries(indexId))).length;
}

async function rowIndexIds(t: TestService): Promise<number[]> {
  const rows = await scanAll(t.store.engine, getObjects(tableOf(t).modelId));
  return [
    ...new Set(rows.flatMap(({ key, value }) => [...indexRecordIn(idInKey(key), value).values.keys()])),
  ].sort((a, b) => a - b);
}

function catalogOf(t: TestService): Promise<Catalog> {
  return readCatalog(t.store.engine);
}

describe('a restart', () => {
  it('with unchanged declarations writes nothing and builds nothing', async () => {
    const directory = await storeWithThings();
    const t = await stores.open(directory);
    const before = await contents(t.store.engine);
    const progress: AttachProgress[] = [];
    await t.service.models.lifecycle.attach(new SchemeRegistry().register(Thing, 'test', byColor), {
      progress: (at) => progress.push(at),
    });
    expect(progress).toEqual([]);
    expect(await contents(t.store.engine)).toEqual(before);
    expect((await catalogOf(t)).models.size).toBe(1);
  });

  it('with a changed function text builds that index again and takes the old entries away', async () => {
    const directory = await storeWithThings();
    const t = await stores.open(directory);
    const old = indexIdOf(t, 'spec.color');
    const labels = indexIdOf(t, 'metadata.creationTimestamp');
    const revision = await revisionOf(t);
    await t.register(Thing, byLength);
    const fresh = indexIdOf(t, 'spec.color');
    expect(fresh).not.toBe(old);
    expect(indexIdOf(t, 'metadata.creationTimestamp')).toBe(labels);
    expect(await entryCount(t, old)).toBe(0);
    expect(await entryCount(t, fresh)).toBe(OBJECTS);
    expect(await rowIndexIds(t)).toEqual(
      tableOf(t)
        .indexes.map(({ id }) => id)
        .sort((a, b) => a - b),
    );
    expect(await readDropped(t.store.engine)).toEqual([]);
    expect(await total(t, 'spec.color=red!')).toBe(84);
    expect(await total(t, 'spec.color=red')).toBe(0);
    expect(await revisionOf(t)).toBe(revision);
  });

  it('keeps what the catalogue says of versions and migrations, whatever is built', async () => {
    const directory = await storeWithThings();
    const t = await stores.open(directory);
    const recordOf = async (): Promise<ModelRecord | undefined> =>
      [...(await catalogOf(t)).models.values()][0];
    const record = await recordOf();
    expect(record).toMatchObject({ storedVersions: ['v1'], migrations: [] });
    await t.store.engine.commit((tx) => {
      const editor = new CatalogEditor(tx);
      if (record !== undefined) editor.put({ ...record, migrations: ['2026-11-color'] });
    });
    await t.register(Thing, byLength);
    expect(await recordOf()).toMatchObject({ storedVersions: ['v1'], migrations: ['2026-11-color'] });
  });

  it('with an added index builds only that one, and says how far it is', async () => {
    const directory = await storeWithThings();
    const t = await stores.open(directory);
    const kept = indexIdOf(t, 'spec.color');
    const progress: AttachProgress[] = [];
    const scheme = t.registry.register(Thing, 'test', byColorAndTags);
    await t.service.models.lifecycle.attach(scheme, {
      progress: (at) => progress.push(at),
    });
    expect(indexIdOf(t, 'spec.color')).toBe(kept);
    expect(progress.length).toBeGreaterThan(2);
    expect(progress[0]).toEqual({
      kind: 'Thing',
      task: 'index',
      indexes: ['spec.tags'],
      done: 0,
      total: OBJECTS,
    });
    expect(progress.at(-1)?.done).toBe(OBJECTS);
    expect(await entryCount(t, indexIdOf(t, 'spec.tags'))).toBe(2 * OBJECTS);
    await t.close();
    const again = await reopened(directory, byColorAndTags);
    expect(await total(again, 'spec.tags=a1')).toBe(OBJECTS / 2);
  });

  it('without an index takes its entries and values away', async () => {
    const directory = await storeWithThings();
    const t = await stores.open(directory);
    const old = indexIdOf(t, 'spec.color');
    await t.register(Thing, nothing);
    expect(await entryCount(t, old)).toBe(0);
    expect(await rowIndexIds(t)).not.toContain(old);
    await expectCode('BadRequest', t.service.list(THING, { fieldSelector: 'spec.color=red' }));
    await t.service.update(THING, 't0', thing('t0', { color: 'pink' }));
    await t.close();
    const back = await reopened(directory, byColor);
    expect(indexIdOf(back, 'spec.color')).not.toBe(old);
    expect(await total(back, 'spec.color=pink')).toBe(1);
    expect(await total(back, 'spec.color=red')).toBe(83);
  });

  it('with another declaration of an empty model has nothing to build', async () => {
    const directory = temporaryDirectory();
    await (await reopened(directory, byColor)).close();
    const t = await reopened(directory, byLength);
    await createThings(t, 3, () => ({ color: 'red' }));
    expect(await total(t, 'spec.color=red!')).toBe(3);
  });
});

describe('a build', () => {
  it('that stops midway because the function throws is refused, naming the index, and can be done again', async () => {
    const directory = await storeWithThings();
    const failed = await stores.open(directory);
    const error = await refusal(failed.register(Thing, byBoom));
    expect(error.code).toBe('Invalid');
    expect(error.details.causes?.[0]?.field).toBe('spec.color');
    expect(error.message).toContain('boom');
    await failed.close();

    const t = await reopened(directory, byLength);
    expect(await total(t, 'spec.color=red!')).toBe(84);
    const ids = new Set(tableOf(t).indexes.map(({ id }) => id));
    for (let id = 1; id < (await catalogOf(t)).nextId; id++) {
      if (!ids.has(id)) expect(await entryCount(t, id), `entries of index ${id}`).toBe(0);
    }
    expect(await rowIndexIds(t)).toEqual([...ids].sort((a, b) => a - b));
    expect(await readDropped(t.store.engine)).toEqual([]);
  });

  it('that stops midway can be taken back to the first declaration', async () => {
    const directory = await storeWithThings();
    const failed = await stores.open(directory);
    await refusal(failed.register(Thing, byBoom));
    await failed.close();
    const t = await reopened(directory, byColor);
    expect(await total(t, 'spec.color=red')).toBe(84);
    expect(await t.check()).toEqual([]);
  });

  it('that failed keeps the model unavailable, not wrong', async () => {
    const directory = await storeWithThings();
    const t = await stores.open(directory);
    await refusal(t.register(Thing, byBoom));
    await expectCode('ServiceUnavailable', t.service.list(THING));
    await expectCode('ServiceUnavailable', t.service.create(THING, thing('new')));
  });

  it('that finds a value twice in a unique index is refused', async () => {
    const directory = await storeWithThings();
    const t = await stores.open(directory);
    const error = await refusal(t.register(Thing, byUniqueColor));
    expect(error.code).toBe('AlreadyExists');
    expect(error.details.causes?.[0]?.field).toBe('spec.color');
    await t.close();
    const back = await reopened(directory, byColor);
    expect(await total(back, 'spec.color=red')).toBe(84);
  });
});

describe.skipIf(TEST_ENGINE === 'twice')('entries of a new index', () => {
  /** Calls back with the keys of entries that each commit puts. */
  function watchPuts(engine: Engine, seen: (keys: string[]) => void): () => void {
    const commit = engine.commit.bind(engine);
    engine.commit = async (body, options) => {
      const keys: string[] = [];
      const answer = await commit((tx) => {
        const put = (key: Uint8Array, value: Uint8Array): void => {
          if (key[0] === FAMILY.ENTRY) keys.push(Buffer.from(key).toString('hex'));
          tx.put(key, value);
        };
        return body({
          get: (key) => tx.get(key),
          first: (range) => tx.first(range),
          remove: (key) => tx.remove(key),
          put,
        });
      }, options);
      if (keys.length > 0) seen(keys);
      return answer;
    };
    return () => (engine.commit = commit);
  }

  it('are written in the order of their keys, whatever the order of the objects', async () => {
    const directory = await storeWithThings();
    const t = await stores.open(directory);
    const written: string[] = [];
    const stop = watchPuts(t.store.engine, (keys) => written.push(...keys));
    await t.register(Thing, byColorAndTags);
    stop();
    expect(written).toHaveLength(2 * OBJECTS);
    expect(written).toEqual(written.toSorted());
  });

  it('are all written when they need more memory than there is, as often in order as it is full', async () => {
    const directory = await storeWithThings();
    const t = await reopened(directory, byColorAndTags);
    const table = tableOf(t);
    const { scheme } = table;
    const record = [...(await catalogOf(t)).models.values()][0];
    if (record === undefined || scheme === undefined) throw new Error('no model');
    const NEW = 1_000;
    const indexes = record.indexes.map((index) => ({ ...index, id: index.id + NEW }));
    const commits: string[][] = [];
    const stop = watchPuts(t.store.engine, (keys) => commits.push(keys));
    await fillIndexes({
      engine: t.store.engine,
      table: new Table({ ...record, indexes }, scheme),
      stillMine: () => undefined,
      progress: () => undefined,
      sortBytesMax: 2_000,
    });
    stop();
    expect(commits.length).toBeGreaterThan(5);
    for (const keys of commits) expect(keys).toEqual(keys.toSorted());
    for (const { id } of record.indexes) {
      const texts = async (indexId: number): Promise<string[]> =>
        (await scanAll(t.store.engine, getEntries(indexId))).map(({ key }) => key.toString('hex', 5));
      expect(await texts(id + NEW), `index ${id}`).toEqual(await texts(id));
    }
    stores.damaged(t);
  });
});

describe('a model that is declared again in the same process', () => {
  async function declareAgain(t: TestService, declare: DeclareIndexes): Promise<void> {
    const resource = t.registry.unregister(Thing)?.resource;
    if (resource !== undefined) t.service.models.close(resource);
    await t.register(Thing, declare);
  }

  it('counts by the new function, not by what was counted before', async () => {
    const t = await stores.open();
    await t.register(Thing, byColor);
    await createThings(t, 30, () => ({ color: 'red' }));
    const options = { fieldSelector: 'spec.color!=red', size: 1, sort: 'metadata.name' };
    expect((await t.service.list(THING, options)).total).toBe(0);
    const red = { ...options, fieldSelector: 'spec.color=red' };
    expect((await t.service.list(THING, red)).total).toBe(30);
    await declareAgain(t, byLength);
    expect((await t.service.list(THING, red)).total).toBe(0);
    expect((await t.service.list(THING, options)).total).toBe(30);
  });

  it('keeps its objects while it is not served', async () => {
    const t = await stores.open();
    await t.register(Thing, byColor);
    await createThings(t, 3, () => ({ color: 'red' }));
    t.service.models.close(tableOf(t).resource);
    await expectCode('NotFound', t.service.list(THING));
    await expectCode('NotFound', t.service.create(THING, thing('new')));
    t.registry.unregister(Thing);
    await t.register(Thing, byColor);
    expect(await total(t, 'spec.color=red')).toBe(3);
  });
});
