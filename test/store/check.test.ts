import { describe, expect, it } from 'vitest';
import type { Transaction } from '../../src/store/engine.js';
import { countKey, entriesOf, logKey, objectKey, indexRecordKey } from '../../src/store/keys.js';
import { LOG_HEAD_KEY } from '../../src/store/log.js';
import { decodeIndexRecord, encodeIndexRecord } from '../../src/store/index-record.js';
import type { TestService } from '../helpers/store.js';
import { byColorAndTags, indexIdOf, scanAll, tableOf, Thing, thing, THING, useStores } from './helpers.js';

const stores = useStores();

/** A store with three objects; `a` is at revision 4, `b` at 2, `c` at 3. */
async function openThings(): Promise<TestService> {
  const t = await stores.open();
  await t.register(Thing, byColorAndTags);
  for (const name of ['a', 'b', 'c'])
    await t.service.create(THING, thing(name, { color: name, tags: ['x', name] }));
  await t.service.update(THING, 'a', thing('a', { color: 'red', tags: ['x', 'y'] }));
  expect(await t.check()).toEqual([]);
  return t;
}

/** Writes past everything that keeps a store consistent, and says what the check finds then. */
async function foundAfter(t: TestService, damage: (tx: Transaction) => void): Promise<string[]> {
  stores.damaged(t);
  await t.store.engine.commit(damage);
  return t.check();
}

function bytesAt(tx: Transaction, key: Buffer): Buffer {
  const bytes = tx.get(key);
  if (bytes === undefined) throw new Error('nothing to damage');
  return bytes;
}

describe('the consistency check', () => {
  it('finds a missing index entry', async () => {
    const t = await openThings();
    const [entry] = await scanAll(t.store.engine, entriesOf(indexIdOf(t, 'spec.color')));
    const found = await foundAfter(t, (tx) => {
      tx.remove(entry?.key ?? Buffer.alloc(0));
    });
    expect(found).toEqual(['Thing 1 index entries are missing']);
  });

  it('finds an index entry that no object has', async () => {
    const t = await openThings();
    const [entry] = await scanAll(t.store.engine, entriesOf(indexIdOf(t, 'spec.tags')));
    const found = await foundAfter(t, (tx) => {
      const key = Buffer.concat([entry?.key ?? Buffer.alloc(0), Buffer.from('z')]);
      tx.put(key, entry?.value ?? Buffer.alloc(0));
    });
    expect(found).toEqual(['Thing index spec.tags has an entry that no object has']);
  });

  it('finds an index entry with the id of another object', async () => {
    const t = await openThings();
    const [entry, other] = await scanAll(t.store.engine, entriesOf(indexIdOf(t, 'spec.color')));
    const found = await foundAfter(t, (tx) => {
      tx.put(entry?.key ?? Buffer.alloc(0), other?.value ?? Buffer.alloc(0));
    });
    expect(found).toEqual(['Thing index spec.color has an entry with the wrong id or place']);
  });

  it('finds an object without its row', async () => {
    const t = await openThings();
    const found = await foundAfter(t, (tx) => {
      tx.remove(indexRecordKey(tableOf(t).modelId, 'b'));
    });
    expect(found).toEqual(
      expect.arrayContaining([expect.stringContaining('3 objects but index values of 2')]),
    );
  });

  it('finds a row without its object', async () => {
    const t = await openThings();
    const found = await foundAfter(t, (tx) => {
      tx.remove(objectKey(tableOf(t).modelId, 'b'));
    });
    expect(found).toEqual(expect.arrayContaining(['Thing b has index values but no object']));
  });

  it('finds an object whose bytes were changed', async () => {
    const t = await openThings();
    const key = objectKey(tableOf(t).modelId, 'b');
    const found = await foundAfter(t, (tx) => {
      const text = bytesAt(tx, key).toString('latin1');
      tx.put(key, Buffer.from(text.replace('"color":"b"', '"color":"z"'), 'latin1'));
    });
    expect(found).toEqual(['Thing b index spec.color does not hold what its function returns']);
  });

  it('finds bytes that are not JSON', async () => {
    const t = await openThings();
    const key = objectKey(tableOf(t).modelId, 'b');
    const found = await foundAfter(t, (tx) => {
      tx.put(key, bytesAt(tx, key).subarray(0, 20));
    });
    expect(found).toEqual([expect.stringContaining('Thing b its stored bytes are not JSON')]);
  });

  it('finds an object of another revision than its row and its own text', async () => {
    const t = await openThings();
    const key = objectKey(tableOf(t).modelId, 'b');
    const found = await foundAfter(t, (tx) => {
      const bytes = Buffer.from(bytesAt(tx, key));
      bytes.writeUIntBE(1, 0, 6);
      tx.put(key, bytes);
    });
    expect(found).toEqual(
      expect.arrayContaining([
        'Thing b its resourceVersion is not that of its record',
        'Thing b its index values are of another revision',
      ]),
    );
  });

  it('finds an id that two objects share', async () => {
    const t = await openThings();
    const { modelId } = tableOf(t);
    const found = await foundAfter(t, (tx) => {
      const { id } = decodeIndexRecord(bytesAt(tx, indexRecordKey(modelId, 'a')));
      const row = decodeIndexRecord(bytesAt(tx, indexRecordKey(modelId, 'b')));
      tx.put(indexRecordKey(modelId, 'b'), encodeIndexRecord({ ...row, id }));
    });
    expect(found).toEqual(expect.arrayContaining([expect.stringContaining('Thing b shares its id')]));
  });

  it('finds a wrong number of objects', async () => {
    const t = await openThings();
    const key = countKey(tableOf(t).modelId);
    const found = await foundAfter(t, (tx) => {
      const bytes = Buffer.from(bytesAt(tx, key));
      bytes.writeUIntBE(9, 0, 6);
      tx.put(key, bytes);
    });
    expect(found).toEqual(['Thing counts 9 objects but has 3']);
  });

  it.each([
    ['the last change of an object', 4],
    ['a change that was followed by others', 1],
  ])('finds a missing log entry: %s', async (_what, revision) => {
    const t = await openThings();
    const found = await foundAfter(t, (tx) => {
      tx.remove(logKey(revision));
    });
    expect(found).toContain('the log counts 4 entries but has 3');
    expect(found.includes('Thing a its last change is not in the log')).toBe(revision === 4);
  });

  it('finds a log entry that has lost a state which the store no longer has', async () => {
    const t = await openThings();
    const found = await foundAfter(t, (tx) => {
      tx.put(logKey(1), bytesAt(tx, logKey(2)));
      tx.put(logKey(2), bytesAt(tx, logKey(3)));
    });
    expect(found).toEqual([
      "Thing b log entry 1 has lost the object's state",
      "Thing c log entry 2 has lost the object's state",
    ]);
  });

  it('finds changes newer than the revision of the store', async () => {
    const t = await openThings();
    const found = await foundAfter(t, (tx) => {
      const head = Buffer.from(bytesAt(tx, LOG_HEAD_KEY));
      head.writeUIntBE(3, 0, 6);
      tx.put(LOG_HEAD_KEY, head);
    });
    expect(found).toEqual(
      expect.arrayContaining([
        'Thing a is newer than the revision of the store',
        'log entry 4 is newer than the revision of the store',
      ]),
    );
  });
});
