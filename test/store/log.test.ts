import { describe, expect, it } from 'vitest';
import { earliestNow, latestNow } from '../../src/lib/clock.js';
import type { ExtensionObject } from '../../src/model/object.js';
import { LOG, revisionInLogKey } from '../../src/store/keys.js';
import { decodeLogEntry } from '../../src/store/log.js';
import { decodeIndexRecord } from '../../src/store/index-record.js';
import type { TestService } from '../helpers/store.js';
import { byColor, createThings, revisionOf, scanAll, Thing, thing, THING, useStores } from './helpers.js';

const stores = useStores();

interface Logged {
  readonly at: number;
  readonly type: string;
  readonly name: string;
  /** The object kept in the entry; undefined while the store itself has it. */
  readonly object: ExtensionObject | undefined;
  readonly hadRow: boolean;
}

async function log(t: TestService): Promise<Logged[]> {
  return (await scanAll(t.store.engine, LOG)).map(({ key, value }) => {
    const at = revisionInLogKey(key);
    const { type, name, object, previousRecord } = decodeLogEntry(value);
    if (previousRecord.length > 0) decodeIndexRecord(previousRecord);
    return {
      at,
      type,
      name,
      object: object.length === 0 ? undefined : (JSON.parse(object.toString()) as ExtensionObject),
      hadRow: previousRecord.length > 0,
    };
  });
}

async function openThings(directory?: string): Promise<TestService> {
  const t = await stores.open(directory);
  await t.register(Thing, byColor);
  return t;
}

describe('the change log', () => {
  it('has each change in order, and keeps every state that the store no longer has', async () => {
    const t = await openThings();
    const first = (await t.service.create(THING, thing('a', { color: 'red' }))).object;
    const second = (await t.service.update(THING, 'a', thing('a', { color: 'blue' }))).object;
    expect(await log(t)).toEqual([
      { at: 1, type: 'ADDED', name: 'a', object: first, hadRow: false },
      { at: 2, type: 'MODIFIED', name: 'a', object: undefined, hadRow: true },
    ]);
    const last = (await t.service.delete(THING, 'a')).object;
    expect(await log(t)).toEqual([
      { at: 1, type: 'ADDED', name: 'a', object: first, hadRow: false },
      { at: 2, type: 'MODIFIED', name: 'a', object: second, hadRow: true },
      { at: 3, type: 'DELETED', name: 'a', object: last, hadRow: true },
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
    expect(entries.map(({ at, type, name }) => `${at} ${type} ${name}`)).toEqual([
      '1 ADDED b',
      '2 ADDED a',
      '3 MODIFIED b',
      '4 DELETED a',
    ]);
    expect(entries.map(({ object }) => object?.metadata.version)).toEqual([0, 0, undefined, 1]);
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
    expect(await t.store.trimLog({ count: 4, ageMs: -60_000 })).toBe(6);
    expect(await log(t)).toHaveLength(4);
    expect(await t.check()).toEqual([]);
    await t.service.update(THING, 't0', thing('t0', { size: 1 }));
    expect(await t.check()).toEqual([]);
  });

  it('keeps what is young, and the last entries, whichever is more', async () => {
    const t = await openThings();
    await createThings(t, 1_200, () => ({}));
    expect(await t.store.trimLog({ count: 1, ageMs: 60_000 })).toBe(0);
    expect(await t.store.trimLog({ count: 2_000, ageMs: -60_000 })).toBe(0);
    expect(await t.store.trimLog({ count: 0, ageMs: -60_000 })).toBe(1_200);
    expect(await log(t)).toEqual([]);
    await t.service.create(THING, thing('new'));
    expect(await revisionOf(t)).toBe(1_201);
  });

  it('does not keep what a clock wrote that ran ahead and was set back', async () => {
    const ahead = { ms: 3_600_000 };
    const t = await stores.open(undefined, () => Date.now() + ahead.ms);
    await t.register(Thing, byColor);
    await createThings(t, 5, () => ({}));
    ahead.ms = 0;
    await createThings(t, 5, () => ({}), 'later');
    expect(await t.store.trimLog({ count: 2, ageMs: -60_000 }, Date.now())).toBe(8);
    expect(await t.check()).toEqual([]);
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
