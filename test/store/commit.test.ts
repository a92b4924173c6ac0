import { ObjectText, ReadyObject } from '../../src/store/ready-object.js';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { open } from 'lmdb';
import { afterEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/store/engine.js';
import { openLmdb } from '../../src/engines/lmdb/engine.js';
import { TEST_ENGINE } from '../engines/engines.js';
import { removeDirectories, temporaryDirectory, type TestService } from '../helpers/store.js';
import { expectCode } from '../suites/verbs-helpers.js';
import {
  byColorAndTags,
  contents,
  expectUnavailable,
  revisionOf,
  stamped,
  tableOf,
  Thing,
  thing,
  THING,
  useStores,
} from './helpers.js';

const stores = useStores();

async function openThings(directory?: string): Promise<TestService> {
  const t = await stores.open(directory);
  await t.register(Thing, byColorAndTags);
  return t;
}

class Planned extends Error {}

describe('a commit', () => {
  it('that throws after an object was put leaves nothing at all', async () => {
    const t = await openThings();
    await t.service.create(THING, thing('old', { color: 'red' }));
    const before = await contents(t.store.engine);
    const table = tableOf(t);
    const write = t.store.commit((tx) => {
      tx.insert(new ReadyObject(table, stamped('new', tx.nextRevision, { color: 'blue', tags: ['a'] })));
      const old = tx.find(table, 'old');
      if (old !== undefined)
        tx.replace(new ReadyObject(table, stamped('old', tx.nextRevision, { color: 'green' })), old);
      tx.finish();
      throw new Planned();
    });
    await expect(write).rejects.toBeInstanceOf(Planned);
    expect(await contents(t.store.engine)).toEqual(before);
  });

  it('sees its own writes', async () => {
    const t = await openThings();
    const table = tableOf(t);
    const seen = await t.store.commit((tx) => {
      tx.insert(new ReadyObject(table, stamped('new', tx.nextRevision)));
      return tx.find(table, 'new')?.revision;
    });
    expect(seen).toBe(1);
  });

  it.runIf(TEST_ENGINE === 'lmdb')(
    'that changes an object runs once: it reads nothing that it has written',
    async () => {
      const t = await openThings();
      await t.service.create(THING, thing('a', { color: 'red' }));
      const table = tableOf(t);
      let runs = 0;
      await t.store.commit((tx) => {
        runs += 1;
        const old = tx.find(table, 'a');
        if (old === undefined) throw new Planned();
        tx.replace(new ReadyObject(table, stamped('a', tx.nextRevision, { color: 'blue' })), old);
      });
      expect(runs).toBe(1);
    },
  );

  it.runIf(TEST_ENGINE === 'lmdb')(
    'that reads what it has written, and what it has not, runs once',
    async () => {
      const t = await openThings();
      await t.service.create(THING, thing('a', { color: 'red' }));
      await t.service.create(THING, thing('b', { color: 'red' }));
      const table = tableOf(t);
      let runs = 0;
      const seen = await t.store.commit((tx) => {
        runs += 1;
        const [a, b] = [tx.find(table, 'a'), tx.find(table, 'b')];
        if (a === undefined || b === undefined) throw new Planned();
        tx.remove(table, new ObjectText(stamped('a', tx.nextRevision)), a);
        tx.replace(new ReadyObject(table, stamped('b', tx.nextRevision, { color: 'blue' })), b);
        tx.insert(new ReadyObject(table, stamped('c', tx.nextRevision)));
        return ['a', 'b', 'c', 'd'].map((name) => tx.find(table, name)?.revision);
      });
      expect(seen).toEqual([undefined, 4, 5, undefined]);
      expect(runs).toBe(1);
    },
  );

  it('that throws does not disturb those around it', async () => {
    const t = await openThings();
    const table = tableOf(t);
    const writes = Array.from({ length: 60 }, (_, i) =>
      t.store.commit((tx) => {
        tx.insert(new ReadyObject(table, stamped(`t${i}`, tx.nextRevision, { color: 'red' })));
        if (i % 3 === 0) throw new Planned();
        return tx.lastRevision;
      }),
    );
    const settled = await Promise.allSettled(writes);
    expect(settled.map(({ status }) => status === 'fulfilled')).toEqual(settled.map((_, i) => i % 3 !== 0));
    expect((await t.service.list(THING, { fieldSelector: 'spec.color=red' })).total).toBe(40);
    expect(await revisionOf(t)).toBe(40);
  });

  it('that is a dry run answers as always and leaves nothing, among others that do', async () => {
    const t = await openThings();
    const table = tableOf(t);
    const insert = (name: string, dryRun: boolean): Promise<number> =>
      t.store.commit(
        (tx) => {
          tx.insert(new ReadyObject(table, stamped(name, tx.nextRevision)));
          return tx.lastRevision;
        },
        { dryRun },
      );
    const revisions = await Promise.all([insert('a', false), insert('b', true), insert('c', false)]);
    expect(revisions).toEqual([1, 2, 2]);
    expect((await t.service.list(THING)).items.map((item) => item.metadata.name)).toEqual(['a', 'c']);
  });

  it('leaves no trace of a dry run in the bytes of the store', async () => {
    const t = await openThings();
    await t.service.create(THING, thing('a'));
    const before = await contents(t.store.engine);
    await t.service.create(THING, thing('b'), { dryRun: true });
    await t.service.delete(THING, 'a', { dryRun: true });
    await t.service.batch([{ verb: 'create', resource: THING, object: thing('c') }], { dryRun: true });
    expect(await contents(t.store.engine)).toEqual(before);
  });

  it('is answered for each of 64 writers at the same time, each with its own revision', async () => {
    const t = await openThings();
    const results = await Promise.all(
      Array.from({ length: 64 }, (_, i) => t.service.create(THING, thing(`t${i}`, { tags: [`x${i}`] }))),
    );
    const revisions = results
      .map(({ object }) => Number(object.metadata.resourceVersion))
      .sort((a, b) => a - b);
    expect(revisions).toEqual(Array.from({ length: 64 }, (_, i) => i + 1));
    expect((await t.service.list(THING)).total).toBe(64);
  });

  it('is there after the store was closed and opened', async () => {
    const directory = temporaryDirectory();
    const first = await openThings(directory);
    const { object } = await first.service.create(THING, thing('a', { color: 'red' }));
    await first.close();
    const second = await openThings(directory);
    expect(await second.service.get(THING, 'a')).toEqual(object);
    expect(await revisionOf(second)).toBe(1);
  });
});

describe('a snapshot', () => {
  it('keeps its moment while others write, and a later one sees the writes', async () => {
    const t = await openThings();
    await t.service.create(THING, thing('a', { size: 1 }));
    const table = tableOf(t);
    const early = t.store.read();
    // Its moment is that of its first read, at the latest.
    await early.revision();
    await t.service.update(THING, 'a', thing('a', { size: 2 }));
    await t.service.create(THING, thing('b'));
    const late = t.store.read();
    try {
      expect((await early.find(table, 'a'))?.revision).toBe(1);
      expect(await early.find(table, 'b')).toBeUndefined();
      expect(await early.revision()).toBe(1);
      expect((await early.count(table)).objects).toBe(1);
      expect((await late.find(table, 'a'))?.revision).toBe(2);
      expect(await late.revision()).toBe(3);
    } finally {
      early.close();
      late.close();
    }
  });

  it('gives bytes that stay as they were', async () => {
    const t = await openThings();
    await t.service.create(THING, thing('a', { size: 1 }));
    const view = t.store.read();
    const found = await view.find(tableOf(t), 'a');
    view.close();
    const text = found?.bytes.toString();
    for (let size = 2; size < 30; size++) await t.service.update(THING, 'a', thing('a', { size }));
    for (let i = 0; i < 30; i++) await t.service.get(THING, 'a');
    expect(found?.bytes.toString()).toBe(text);
  });
});

describe('the engine', () => {
  const engines: Engine[] = [];
  afterEach(async () => {
    for (const engine of engines.splice(0)) await engine.close();
    removeDirectories();
  });

  async function openEngine(): Promise<Engine> {
    const engine = await openLmdb(temporaryDirectory());
    engines.push(engine);
    return engine;
  }

  it.each([1, 3, 7])('keeps keys of family %i in their order, whatever database has them', async (family) => {
    const engine = await openEngine();
    const key = (text: string): Buffer => Buffer.from(`${String.fromCharCode(family)}${text}`, 'latin1');
    await engine.commit((tx) => {
      for (const text of ['b', 'a', 'c']) tx.put(key(text), Buffer.from(text));
      tx.remove(key('c'));
      expect(tx.first({ start: key('b'), end: key('z') })?.key).toEqual(key('b'));
    });
    expect(await engine.get(key('a'))).toEqual(Buffer.from('a'));
    const snapshot = engine.snapshot();
    const pairs = await snapshot.scan({ start: key(''), end: key('z') }, { limit: 10 });
    expect(pairs.map((pair) => pair.key)).toEqual([key('a'), key('b')]);
    expect(await snapshot.get(key('c'))).toBeUndefined();
    snapshot.close();
  });

  const key = (text: string): Buffer => Buffer.from(`\x03${text}`, 'latin1');

  it('scans by byte order, from the start inclusive to the end exclusive, both ways', async () => {
    const engine = await openEngine();
    const keys = ['b', 'a', 'ab', 'c', 'b\0', 'b\xff'].map(key);
    await engine.commit((tx) => {
      for (const one of keys) tx.put(one, one.subarray(1));
    });
    const snapshot = engine.snapshot();
    const range = { start: key('ab'), end: key('c') };
    const texts = async (options: { limit: number; reverse?: boolean }): Promise<string[]> =>
      (await snapshot.scan(range, options)).map((pair) => pair.key.toString('latin1', 1));
    expect(await texts({ limit: 10 })).toEqual(['ab', 'b', 'b\0', 'b\xff']);
    expect(await texts({ limit: 10, reverse: true })).toEqual(['b\xff', 'b\0', 'b', 'ab']);
    expect(await texts({ limit: 2 })).toEqual(['ab', 'b']);
    expect(await texts({ limit: 2, reverse: true })).toEqual(['b\xff', 'b\0']);
    const some = [key('c'), key('x'), key('a'), key('ab')];
    expect(await snapshot.getMany(some)).toEqual(
      ['c', undefined, 'a', 'ab'].map((text) => text && Buffer.from(text)),
    );
    const seen: (string | undefined)[] = [];
    await snapshot.visitMany(some, (value) => void seen.push(value?.toString()));
    expect(seen).toEqual(['c', undefined, 'a', 'ab']);
    await expect(
      (async () =>
        snapshot.visitMany(some, () => {
          throw new Error('enough');
        }))(),
    ).rejects.toThrow('enough');
    snapshot.close();
  });

  it('shows a commit its own puts, removals and first pairs', async () => {
    const engine = await openEngine();
    await engine.commit((tx) => {
      tx.put(key('a'), key('1'));
      tx.put(key('b'), key('2'));
      tx.remove(key('a'));
      expect(tx.get(key('a'))).toBeUndefined();
      expect(tx.first({ start: key('a'), end: key('z') })).toEqual({ key: key('b'), value: key('2') });
      expect(tx.first({ start: key('c'), end: key('z') })).toBeUndefined();
    });
  });
});

describe('opening a store', () => {
  it.runIf(TEST_ENGINE === 'lmdb')(
    'refuses a format that it does not know, in words, and changes nothing',
    async () => {
      const directory = temporaryDirectory();
      const engine = await openLmdb(directory);
      const format = Buffer.from('\x01format', 'latin1');
      await engine.commit((tx) => {
        tx.put(format, Buffer.from([0, 0, 0, 0, 0, 99]));
      });
      await engine.close();
      const error = await expectUnavailable(stores.open(directory));
      expect(error.message).toContain('99');
      const again = await openLmdb(directory);
      expect(await contents(again)).toHaveLength(1);
      await again.close();
    },
  );

  it.runIf(TEST_ENGINE === 'lmdb')(
    'refuses one of the time before objects had a database of their own, and changes nothing',
    async () => {
      const directory = temporaryDirectory();
      const options = {
        path: directory,
        keyEncoding: 'binary',
        encoding: 'binary',
        noSubdir: false,
      } as const;
      const old = open<Buffer, Uint8Array>(options);
      await old.put(Buffer.from('\x01format', 'latin1'), Buffer.from([0, 0, 0, 0, 0, 2]));
      await old.close();
      const before = readFileSync(`${directory}/data.mdb`);
      const error = await expectUnavailable(stores.open(directory));
      expect(error.message).toContain('the store has format 2, this version supports format 6; export it');
      expect(readFileSync(`${directory}/data.mdb`)).toEqual(before);
    },
  );

  it('read-only creates nothing where there is nothing', async () => {
    const parent = temporaryDirectory();
    const directory = `${parent}/missing`;
    const error = await expectUnavailable(openLmdb(directory, { readOnly: true }));
    expect(error.message).toContain(directory);
    expect(readdirSync(parent)).toEqual([]);
  });

  it.runIf(TEST_ENGINE === 'lmdb')('read-only reads what is there and refuses to write', async () => {
    const directory = temporaryDirectory();
    const t = await openThings(directory);
    await t.service.create(THING, thing('a'));
    await t.close();
    const engine = await openLmdb(directory, { readOnly: true });
    expect((await contents(engine)).length).toBeGreaterThan(3);
    await expectUnavailable(
      engine.commit((tx) => {
        tx.put(Buffer.from('x'), Buffer.from('y'));
      }),
    );
    await engine.close();
  });

  it('creates a directory that only its owner can enter', async () => {
    const directory = `${temporaryDirectory()}/data`;
    const engine = await openLmdb(directory);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(readFileSync(`${directory}/data.mdb`).length).toBeGreaterThan(0);
    await engine.close();
  });

  it('where a file stands is refused as unavailable', async () => {
    const directory = temporaryDirectory();
    await (await openLmdb(directory)).close();
    await expectCode('ServiceUnavailable', openLmdb(`${directory}/data.mdb`));
  });
});
