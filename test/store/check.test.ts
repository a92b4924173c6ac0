import { describe, expect, it } from 'vitest';
import type { Transaction } from '../../src/store/engine.js';
import { countKey, getEntries, logKey, nameKey } from '../../src/store/index/keys.js';
import { LOG_HEAD_KEY } from '../../src/store/log/log.js';
import type { TestService } from '../helpers/store.js';
import { refusal } from '../suites/verbs-helpers.js';
import {
  byColorAndTags,
  bytesAt,
  indexIdOf,
  recordKeyOf,
  rewrite,
  scanAll,
  tableOf,
  Thing,
  thing,
  THING,
  useStores,
} from './helpers.js';

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

const NOTHING = Buffer.alloc(0);

/** The key of another entry: of an object that there is not, or with other flags. */
function withLastByte(key: Buffer | undefined, change: (last: number) => number): Buffer {
  if (key === undefined) throw new Error('nothing to damage');
  const other = Buffer.from(key);
  other[other.length - 1] = change(other.at(-1) ?? 0);
  return other;
}

describe('the consistency check', () => {
  it('finds a missing index entry', async () => {
    const t = await openThings();
    const [entry] = await scanAll(t.store.engine, getEntries(indexIdOf(t, 'spec.color')));
    const found = await foundAfter(t, (tx) => {
      tx.remove(entry?.key ?? Buffer.alloc(0));
    });
    expect(found).toEqual(['Thing 1 index entries are missing']);
  });

  it('finds an index entry that no object has', async () => {
    const t = await openThings();
    const [entry] = await scanAll(t.store.engine, getEntries(indexIdOf(t, 'spec.tags')));
    const found = await foundAfter(t, (tx) => {
      tx.put(
        withLastByte(entry?.key, (last) => last + 8),
        NOTHING,
      );
    });
    expect(found).toEqual(['Thing index spec.tags has an entry that belongs to no object']);
  });

  it('finds an index entry that places its object wrongly', async () => {
    const t = await openThings();
    const [entry] = await scanAll(t.store.engine, getEntries(indexIdOf(t, 'spec.color')));
    const found = await foundAfter(t, (tx) => {
      tx.remove(entry?.key ?? NOTHING);
      tx.put(
        withLastByte(entry?.key, (last) => last - 1),
        NOTHING,
      );
    });
    expect(found).toEqual([
      'Thing index spec.color has an entry that belongs to no object',
      'Thing 1 index entries are missing',
    ]);
  });

  it('finds an object that is not found by its name', async () => {
    const t = await openThings();
    const found = await foundAfter(t, (tx) => {
      tx.remove(nameKey(tableOf(t).modelId, 'b'));
    });
    expect(found).toEqual(['Thing b is not found by its name']);
  });

  it('finds a name without its object', async () => {
    const t = await openThings();
    const found = await foundAfter(t, (tx) => {
      tx.remove(recordKeyOf(tx, t, 'b'));
    });
    expect(found).toEqual(
      expect.arrayContaining(['Thing b has a name but no object', 'Thing counts 3 objects but has 2']),
    );
  });

  it('finds two names of one object', async () => {
    const t = await openThings();
    const { modelId } = tableOf(t);
    const found = await foundAfter(t, (tx) => {
      tx.put(nameKey(modelId, 'b'), bytesAt(tx, nameKey(modelId, 'a')));
    });
    expect(found).toEqual(['Thing b is not found by its name']);
  });

  it('finds an object whose bytes were changed', async () => {
    const t = await openThings();
    const found = await foundAfter(t, (tx) => {
      rewrite(tx, t, 'b', ({ json }) => ({ json: json.toString().replace('"color":"b"', '"color":"z"') }));
    });
    expect(found).toEqual(['Thing b index spec.color does not match the result of its function']);
  });

  it('finds bytes that are not JSON', async () => {
    const t = await openThings();
    const found = await foundAfter(t, (tx) => {
      rewrite(tx, t, 'b', ({ json }) => ({ json: json.toString().slice(0, 20) }));
    });
    expect(found).toEqual([expect.stringContaining('Thing b its stored bytes are not JSON')]);
  });

  it('finds an object of another revision than its own text', async () => {
    const t = await openThings();
    const found = await foundAfter(t, (tx) => {
      rewrite(tx, t, 'b', () => ({ revision: 1 }));
    });
    expect(found).toEqual(
      expect.arrayContaining(['Thing b its resourceVersion differs from that of its record']),
    );
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
      'Thing b log entry 1 lacks the state of the object',
      'Thing c log entry 2 lacks the state of the object',
      expect.stringMatching(/^the log counts \d+ bytes but has \d+$/),
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

  it.each([0, 5, 12, 40, -30])(
    'finds a record of which byte %i was changed, and no read answers it',
    async (at) => {
      const t = await openThings();
      const found = await foundAfter(t, (tx) => {
        const key = recordKeyOf(tx, t, 'b');
        const record = Buffer.from(bytesAt(tx, key));
        const place = at < 0 ? record.length + at : at;
        record[place] = (record[place] ?? 0) ^ 0x10;
        tx.put(key, record);
      });
      expect(found[0]).toMatch(/^Thing \S+ its record is damaged; restore a backup$/);
      const writes = [
        () => t.service.update(THING, 'b', thing('b', { color: 'new' })),
        () => t.service.patch(THING, 'b', { spec: { size: 1 } }, 'merge'),
        () => t.service.delete(THING, 'b'),
        () => t.service.batch([{ verb: 'delete', resource: THING, name: 'b' }]),
      ];
      const reads = [
        () => t.service.get(THING, 'b'),
        () => t.service.getMany(THING, ['a', 'b']),
        () => t.service.list(THING, { size: 10 }),
        () => t.service.list(THING),
        () => t.service.list(THING, { limit: 2 }),
      ];
      for (const action of [...writes, ...reads]) {
        const error = await refusal(action());
        expect([error.code, error.details.kind]).toEqual(['InternalError', 'Thing']);
        expect(error.message).toMatch(/the stored record of Thing "\S+" is damaged; run `xsvc check`/);
      }
      expect((await t.service.get(THING, 'a')).metadata.name).toBe('a');
    },
  );
});
