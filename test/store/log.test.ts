import { describe, expect, it, vi } from 'vitest';
import { earliestNow, latestNow } from '../../src/lib/time/clock.js';
import type { ExtensionObject } from '../../src/model/object.js';
import { LOG, revisionInLogKey } from '../../src/store/index/keys.js';
import { decodeLogEntry } from '../../src/store/log/log.js';
import { readStep } from '../../src/store/log/log-reader.js';
import { bodyIn, nameIn, parseObject } from '../../src/store/object-record.js';
import type { BatchItem } from '../../src/service/verbs.js';
import type { TestService } from '../helpers/store.js';
import {
  byColor,
  createThings,
  revisionOf,
  scanAll,
  stamped,
  tableOf,
  Thing,
  thing,
  THING,
  useStores,
} from './helpers.js';
import { ReadyObject } from '../../src/store/ready-object.js';

const stores = useStores();

interface Logged {
  readonly at: number;
  readonly type: string;
  readonly id: number;
  /** Of the object kept in the entry; undefined while the store itself has it. */
  readonly name: string | undefined;
  readonly object: ExtensionObject | undefined;
  readonly previous: number | undefined;
  /** Undefined when it is said by an entry before of the same commit. */
  readonly user: string | undefined;
}

async function log(t: TestService): Promise<Logged[]> {
  return (await scanAll(t.store.engine, LOG)).map(({ key, value }) => {
    const at = revisionInLogKey(key);
    const { type, id, record, previous, stamp } = decodeLogEntry(value);
    return {
      at,
      type,
      id,
      name: record.length === 0 ? undefined : nameIn(record),
      object: record.length === 0 ? undefined : parseObject(bodyIn(record)),
      previous,
      user: stamp?.user,
    };
  });
}

async function openThings(directory?: string): Promise<TestService> {
  const t = await stores.open(directory);
  await t.register(Thing, byColor);
  return t;
}

async function logBytes(t: TestService): Promise<number> {
  return (await scanAll(t.store.engine, LOG)).reduce((sum, { value }) => sum + value.length, 0);
}

/** The next state of two things. */
function puts(i: number, text: string): BatchItem[] {
  return ['a', 'b'].map((name) => {
    const object = thing(name, { color: `${text}${i}` });
    return i === 0
      ? { verb: 'create', resource: THING, object }
      : { verb: 'update', resource: THING, name, object };
  });
}

describe('the change log', () => {
  it('has each change in order, and keeps every state that the store no longer has', async () => {
    const t = await openThings();
    const first = (await t.service.create(THING, thing('a', { color: 'red' }))).object;
    const second = (await t.service.update(THING, 'a', thing('a', { color: 'blue' }))).object;
    expect(await log(t)).toEqual([
      { at: 1, type: 'ADDED', id: 1, name: 'a', object: first, previous: undefined, user: '' },
      { at: 2, type: 'MODIFIED', id: 1, name: undefined, object: undefined, previous: 1, user: '' },
    ]);
    const last = (await t.service.delete(THING, 'a')).object;
    expect(await log(t)).toEqual([
      { at: 1, type: 'ADDED', id: 1, name: 'a', object: first, previous: undefined, user: '' },
      { at: 2, type: 'MODIFIED', id: 1, name: 'a', object: second, previous: 1, user: '' },
      { at: 3, type: 'DELETED', id: 1, name: 'a', object: last, previous: 2, user: '' },
    ]);
    expect(last.metadata.deletionTimestamp).toBeDefined();
    expect(last.metadata.resourceVersion).toBe('3');
  });

  it('numbers the changes of one commit', async () => {
    const t = await openThings();
    await t.service.batch([
      { verb: 'create', resource: THING, object: thing('b') },
      { verb: 'create', resource: THING, object: thing('a') },
      { verb: 'patch', resource: THING, name: 'b', patch: { spec: { size: 1 } }, type: 'merge' },
      { verb: 'delete', resource: THING, name: 'a' },
    ]);
    const entries = await log(t);
    expect(entries.map(({ at, type, id }) => `${at} ${type} ${id}`)).toEqual([
      '1 ADDED 1',
      '2 ADDED 2',
      '3 MODIFIED 1',
      '4 DELETED 2',
    ]);
    expect(entries.map(({ object }) => object?.metadata.version)).toEqual([0, 0, undefined, 1]);
  });

  it('says once in a commit when it was and who wrote, also when its first entries are taken out', async () => {
    let now = 1_000;
    const t = await stores.open(undefined, () => now++);
    await t.register(Thing, byColor);
    for (const [i, user] of ['ann', 'bob'].entries()) {
      await t.store.commit(
        (tx) => {
          for (let j = 0; j < 3; j++)
            tx.insert(new ReadyObject(tx.current(tableOf(t)), stamped(`t${3 * i + j}`, 3 * i + j + 1)));
        },
        { user },
      );
    }
    const users = async (): Promise<unknown[]> => (await log(t)).map(({ user }) => user);
    expect(await users()).toEqual(['ann', undefined, undefined, 'bob', undefined, undefined]);
    expect(await t.store.history.trim({ count: 2, ageMs: 0 }, 1_000_000)).toBe(4);
    expect(await users()).toEqual(['bob', undefined]);
    expect(await t.check()).toEqual([]);
  });

  it('tells when a commit was, also from the middle of it', async () => {
    const before = 1_000;
    let now = before;
    const t = await stores.open(undefined, () => now);
    await t.register(Thing, byColor);
    await t.service.create(THING, thing('before'));
    now = before + 1_000;
    await createThings(t, 5, () => ({}));
    const { view, tables } = await t.store.readCurrent();
    try {
      const models = new Set([tableOf(t).modelId]);
      for (const [after, expected] of [
        [0, before],
        [1, before + 1_000],
        [4, before + 1_000],
      ] as const) {
        const { batches } = await readStep({ view, tables }, after, models);
        expect(batches[0]?.madeAtMs).toBe(expected);
      }
    } finally {
      view.close();
    }
  });

  it.each([
    [0, 1],
    [1_000, 1],
    [25_000, 3],
    [undefined, 8],
  ])('is read in steps of %s bytes: %s entries of 10,000 bytes', async (bytesMax, length) => {
    const t = await openThings();
    const note = 'x'.repeat(10_000);
    await t.service.create(THING, thing('a', { color: note }));
    for (let i = 1; i < 8; i++) await t.service.update(THING, 'a', thing('a', { color: `${note}${i}` }));
    const { view, tables } = await t.store.readCurrent();
    try {
      const models = new Set([tableOf(t).modelId]);
      const revisions: number[] = [];
      for (let after = 0, isEnd = false; !isEnd;) {
        const step = await readStep({ view, tables }, after, models, bytesMax);
        const changes = step.batches.flatMap((batch) => batch.changes);
        expect(changes.length).toBeLessThanOrEqual(length);
        revisions.push(...changes.map(({ revision }) => revision));
        ({ until: after, isEnd } = step);
      }
      expect(revisions).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    } finally {
      view.close();
    }
  });

  it('has nothing of writes that change nothing, are refused, or are dry runs', async () => {
    const t = await openThings();
    await t.service.create(THING, thing('a'));
    await t.service.update(THING, 'a', thing('a'));
    await t.service.create(THING, thing('a')).catch(() => undefined);
    await t.service.delete(THING, 'a', { dryRun: true });
    expect(await log(t)).toHaveLength(1);
    expect(await revisionOf(t)).toBe(1);
  });

  it('stays consistent when trimming stops within a commit', async () => {
    const t = await openThings();
    await createThings(t, 10, () => ({}));
    expect(await t.store.history.trim({ count: 4, ageMs: -60_000 })).toBe(6);
    expect(await log(t)).toHaveLength(4);
    expect(await t.check()).toEqual([]);
    await t.service.update(THING, 't0', thing('t0', { size: 1 }));
    expect(await t.check()).toEqual([]);
  });

  it('keeps what is young, and the last entries, whichever is more', async () => {
    const t = await openThings();
    await createThings(t, 1_200, () => ({}));
    expect(await t.store.history.trim({ count: 1, ageMs: 60_000 })).toBe(0);
    expect(await t.store.history.trim({ count: 2_000, ageMs: -60_000 })).toBe(0);
    expect(await t.store.history.trim({ count: 0, ageMs: -60_000 })).toBe(1_200);
    expect(await log(t)).toEqual([]);
    await t.service.create(THING, thing('new'));
    expect(await revisionOf(t)).toBe(1_201);
  });

  it('never takes more than its bytes, whatever count and age would keep', async () => {
    const t = await openThings();
    const text = 'x'.repeat(2_000);
    for (let i = 0; i < 300; i++) await t.service.batch(puts(i, text));
    const before = await logBytes(t);
    expect(before).toBeGreaterThan(1_000_000);
    await t.store.history.trim({ count: 1_000_000, ageMs: 3_600_000, bytesMax: 100_000 });
    expect(await logBytes(t)).toBeLessThanOrEqual(100_000);
    expect((await log(t)).length).toBeGreaterThan(10);
    expect(await t.check()).toEqual([]);
    let passed = 0;
    t.store.history.limit({ bytesMax: 110_000, onPassed: () => passed++ });
    for (let i = 0; i < 10; i++) await t.service.batch(puts(1_000 + i, text));
    expect(passed).toBeGreaterThan(0);
    expect(passed).toBeLessThan(10);
  });

  it('takes out large entries a few at a time, so that others write in between', async () => {
    const t = await openThings();
    const color = 'x'.repeat(300_000);
    await createThings(t, 12, () => ({ color }));
    for (let i = 0; i < 12; i++) await t.service.patch(THING, `t${i}`, { spec: { size: i } }, 'merge');
    const commits = vi.spyOn(t.store.engine, 'commit');
    expect(await t.store.history.trim({ count: 0, ageMs: -60_000 })).toBe(24);
    expect(commits.mock.calls.length).toBeGreaterThan(3);
    expect(await log(t)).toEqual([]);
  });

  it('does not keep what a clock wrote that ran ahead and was set back', async () => {
    const ahead = { ms: 48 * 3_600_000 };
    const t = await stores.open(undefined, () => Date.now() + ahead.ms);
    await t.register(Thing, byColor);
    await createThings(t, 5, () => ({}));
    ahead.ms = 0;
    await createThings(t, 5, () => ({}), 'later');
    expect(await t.store.history.trim({ count: 2, ageMs: -60_000 }, Date.now())).toBe(8);
    expect(await t.check()).toEqual([]);
  });

  it('has times that never go back, though the clocks of processes differ', async () => {
    const ahead = { ms: 3_600_000 };
    const t = await stores.open(undefined, () => 1_800_000_000_000 + ahead.ms);
    await t.register(Thing, byColor);
    await createThings(t, 2, () => ({}));
    ahead.ms = 0;
    await createThings(t, 2, () => ({}), 'later');
    ahead.ms = 3_600_001;
    await createThings(t, 1, () => ({}), 'last');
    const entries = await scanAll(t.store.engine, LOG);
    const times = new Set(entries.flatMap(({ value }) => decodeLogEntry(value).stamp?.timeMs ?? []));
    expect([...times]).toEqual([1_800_003_600_000, 1_800_003_600_001]);
  });

  it('keeps what is young when the clock jumps ahead in a process that runs', async () => {
    const now = Date.now;
    try {
      Date.now = () => now() + 48 * 3_600_000;
      expect(earliestNow()).toBeLessThan(now() + 1_000);
      expect(latestNow()).toBeGreaterThan(now() + 47 * 3_600_000);
      Date.now = () => now() - 48 * 3_600_000;
      expect(earliestNow()).toBeLessThan(now() - 47 * 3_600_000);
      expect(latestNow()).toBeGreaterThan(now() - 1_000);
    } finally {
      Date.now = now;
    }
  });
});

it(
  'objects of any size can be changed in the order in which they were made',
  { timeout: 120_000 },
  async () => {
    const t = await openThings();
    for (let length = 20; length < 620; length += 6) {
      const items = (verb: 'create' | 'update', color: string): BatchItem[] =>
        Array.from({ length: 130 }, (_, i) => {
          const name = `t${length}-${i}`;
          const object = thing(name, { color: color.repeat(length) });
          return verb === 'create'
            ? { verb, resource: THING, object }
            : { verb, resource: THING, name, object };
        });
      await t.service.batch(items('create', 'a'));
      await t.service.batch(items('update', 'b'));
    }
    expect(await t.check()).toEqual([]);
  },
);
