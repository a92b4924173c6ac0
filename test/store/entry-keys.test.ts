import { afterAll, describe, expect, it } from 'vitest';
import { encodeValue } from '../../src/model/key-type.js';
import type { Engine, KeyRange, Snapshot } from '../../src/store/engine.js';
import {
  afterKey,
  getEntries,
  entriesStartingWith,
  entryKey,
  entryPrefix,
  rangeOfRun,
  VALUE_BYTES_MAX,
} from '../../src/store/index/keys.js';
import { openLmdb } from '../../src/engines/lmdb/engine.js';
import { Random, seedOfRun } from '../helpers/seed.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterAll(removeDirectories);

const INDEX = 7;
const NOTHING = Buffer.alloc(0);
const LONG = 'l'.repeat(VALUE_BYTES_MAX);
/** Some are the beginning of others, some are cut. */
const VALUES = ['', 'a', 'a\0', 'a\0b', 'a\u0001', 'aa', 'b', LONG, `${LONG}1`, `${LONG}2`, '\uffff'];

function keyOf(value: string, id: number, index = INDEX): Buffer {
  const object = { id, isSmallest: id % 3 > 0, isLargest: id % 2 > 0 };
  return entryKey(index, 'string', encodeValue('string', value), object);
}

/** Few in a row, then others far away. */
function idOf(number: number): number {
  return 1 + number + (number >> 9) * 15_000;
}

function prefixOf(value: string): Buffer {
  return entryPrefix(INDEX, 'string', encodeValue('string', value));
}

/** The answer of a store of plain keys. */
function expected(keys: readonly Buffer[], { start, end, after }: KeyRange, reverse: boolean): Buffer[] {
  const inRange = keys.filter((key) => Buffer.compare(key, start) >= 0 && Buffer.compare(key, end) < 0);
  const ordered = inRange.toSorted((a, b) => Buffer.compare(a, b) * (reverse ? -1 : 1));
  if (after === undefined) return ordered;
  return ordered.filter((key) => Buffer.compare(key, after) * (reverse ? -1 : 1) > 0);
}

const hex = (keys: readonly Buffer[]): string[] => keys.map((key) => key.toString('hex'));

describe('index entries in the engine', () => {
  const seed = seedOfRun();

  it(`are one ordered list of keys, whatever is put, removed and read (SEED=${seed})`, async () => {
    const random = new Random(seed);
    const engine = await openLmdb(temporaryDirectory(), { relaxed: true });
    const stored = new Map<string, Buffer>();
    /** Of a value there may be one entry, some, or more than a page of them. */
    const idMax = new Map(VALUES.map((value) => [value, random.pick([1, 5, 60, 1_200, 3_000])]));
    const anyKey = (): Buffer => {
      const value = random.pick(VALUES);
      return keyOf(value, idOf(random.below(idMax.get(value) ?? 1)));
    };
    const anyRange = (): KeyRange => {
      const prefixes = [prefixOf(random.pick(VALUES)), prefixOf(random.pick(VALUES))];
      const [start = NOTHING, end = NOTHING] = prefixes.sort((a, b) => Buffer.compare(a, b));
      return random.pick([
        getEntries(INDEX),
        rangeOfRun(start),
        { start, end },
        { start, end: rangeOfRun(end).end },
        entriesStartingWith(INDEX, encodeValue('string', random.pick(['', 'a', 'l']))) ?? getEntries(INDEX),
      ]);
    };
    await engine.commit((tx) => {
      for (const index of [INDEX - 1, INDEX + 1]) tx.put(keyOf('a', 1, index), NOTHING);
    });
    for (let round = 0; round < 6; round++) {
      const writes = random.many(1_500, 1_500, () => ({ key: anyKey(), isPut: random.chance(0.7) }));
      for (const { key, isPut } of writes) {
        if (isPut) stored.set(key.toString('hex'), key);
        else stored.delete(key.toString('hex'));
      }
      const ranges = random.many(20, 20, anyRange);
      // It is run again, for it reads what it has written.
      await engine.commit((tx) => {
        for (const { key, isPut } of writes) {
          if (isPut) tx.put(key, NOTHING);
          else tx.remove(key);
        }
        for (const range of ranges)
          expect(tx.first(range)?.key).toEqual(expected([...stored.values()], range, false)[0]);
      });
      const snapshot = engine.snapshot();
      const keys = [...stored.values()];
      for (let i = 0; i < 60; i++) {
        const whole = anyRange();
        const reverse = random.chance(0.5);
        const after = anyKey();
        const isInside = expected([after], whole, false).length > 0;
        const range = isInside && random.chance(0.7) ? afterKey(whole, after) : whole;
        await compareReads(snapshot, range, { reverse, limit: random.pick([1, 7, 500, 100_000]) }, keys);
        expect(await snapshot.get(after)).toEqual(stored.has(after.toString('hex')) ? NOTHING : undefined);
      }
      snapshot.close();
    }
    await engine.close();
  });

  async function compareReads(
    snapshot: Snapshot,
    range: KeyRange,
    options: { readonly reverse: boolean; readonly limit: number },
    keys: readonly Buffer[],
  ): Promise<void> {
    const all = hex(expected(keys, range, options.reverse));
    const wanted = all.slice(0, options.limit);
    expect(hex((await snapshot.scan(range, options)).map(({ key }) => key))).toEqual(wanted);
    const seen: string[] = [];
    const last = await snapshot.scanInPlace(range, options, (value, { bytes, start, end }) => {
      expect(value.length).toBe(0);
      seen.push(Buffer.from(bytes.subarray(start, end)).toString('hex'));
      return true;
    });
    expect(seen).toEqual(wanted);
    expect(last?.toString('hex')).toBe(wanted.length === options.limit ? wanted.at(-1) : undefined);
  }

  it('have no value', async () => {
    const engine = await openLmdb(temporaryDirectory());
    await expect(engine.commit((tx) => tx.put(keyOf('a', 1), Buffer.from('b')))).rejects.toThrow('no value');
    await engine.close();
  });
});

describe('a page of very short and very long entries', () => {
  /** Long ones are put before each other, so that the page is halved with all short ones in one half. */
  async function fill(engine: Engine, index: number, short: number, length: number): Promise<void> {
    await engine.commit((tx) => {
      for (let i = 0; i < short; i++) tx.put(keyOf(String.fromCharCode(0x61 + i), 1, index), NOTHING);
      for (let i = 99; i > 59; i--) tx.put(keyOf(`z${i}`.padEnd(length, 'x'), i, index), NOTHING);
    });
  }

  it.each([15, 16, 17, 18])('can be halved, with %i short ones and any length', async (short) => {
    for (let length = 200; length <= 520; length += 1) {
      const engine = await openLmdb(temporaryDirectory(), { relaxed: true });
      await fill(engine, INDEX, short, length);
      await engine.close();
    }
  });

  const seed = seedOfRun();
  it(`can be halved in any order, also where many objects share a value (SEED=${seed})`, async () => {
    const random = new Random(seed);
    const engine = await openLmdb(temporaryDirectory(), { relaxed: true });
    for (let index = 1; index <= 30; index++) {
      await engine.commit((tx) => {
        for (let i = 0; i < 150; i++) {
          const length = random.pick([1, 2, 2, 250, 280, 300, 330, 340, 400, 459, 463, 480, 1_000]);
          const value = String.fromCharCode(0x61 + random.below(26)).padEnd(length, 'x');
          const many = random.chance(0.1) ? 800 : 1;
          for (let j = 0; j < many; j++) tx.put(keyOf(value, i * 1_000 + j, index), NOTHING);
        }
      });
    }
    await engine.close();
  });
});
