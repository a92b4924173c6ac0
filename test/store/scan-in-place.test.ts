import { afterAll, describe, expect, it } from 'vitest';
import type { Engine, KeyRange, ScanOptions, Snapshot } from '../../src/store/engine.js';
import { openLmdb } from '../../src/engines/lmdb/engine.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterAll(removeDirectories);

const key = (i: number): Buffer => Buffer.from(`k${String(i).padStart(4, '0')}`);
const value = (i: number): Buffer => Buffer.from(`value ${i}`);
const range = (from: number, to: number): KeyRange => ({ start: key(from), end: key(to) });

async function open(count: number): Promise<Engine> {
  const engine = await openLmdb(temporaryDirectory(), { relaxed: true });
  await engine.commit((tx) => {
    for (let i = 0; i < count; i++) tx.put(key(i), value(i));
  });
  return engine;
}

interface Read {
  readonly values: string[];
  readonly keys: string[];
  readonly last: string | undefined;
}

async function read(snapshot: Snapshot, keys: KeyRange, options: ScanOptions): Promise<Read> {
  const seen = { values: [] as string[], keys: [] as string[] };
  const last = await snapshot.scanInPlace(keys, options, (bytes, { bytes: keyBytes, start, end }) => {
    seen.values.push(textOf(bytes, 0, bytes.length));
    seen.keys.push(textOf(keyBytes, start, end));
    return true;
  });
  return { ...seen, last: last?.toString() };
}

function textOf(bytes: Uint8Array, start: number, end: number): string {
  let text = '';
  for (let i = start; i < end; i++) text += String.fromCharCode(bytes[i] ?? 0);
  return text;
}

async function withSnapshot(engine: Engine, body: (snapshot: Snapshot) => Promise<void>): Promise<void> {
  const snapshot = engine.snapshot();
  try {
    await body(snapshot);
  } finally {
    snapshot.close();
    await engine.close();
  }
}

describe('pairs of a range, without copies', () => {
  it.each([
    { limit: 9, found: 9, last: 'k0018' },
    { limit: 10, found: 10, last: 'k0019' },
    { limit: 11, found: 10, last: undefined },
  ])('are $found of 10 with a limit of $limit, which ends at $last', async ({ limit, found, last }) => {
    const engine = await open(30);
    await withSnapshot(engine, async (snapshot) => {
      const numbers = Array.from({ length: found }, (_, i) => 10 + i);
      expect(await read(snapshot, range(10, 20), { limit })).toEqual({
        values: numbers.map((i) => `value ${i}`),
        keys: numbers.map((i) => key(i).toString()),
        last,
      });
    });
  });

  it.each([
    { limit: 9, found: 9, last: 'k0011' },
    { limit: 11, found: 10, last: undefined },
  ])('come from the end to the start when asked to, $found of 10 with a limit of $limit', async (wanted) => {
    const { limit, found, last } = wanted;
    const engine = await open(30);
    await withSnapshot(engine, async (snapshot) => {
      const numbers = Array.from({ length: found }, (_, i) => 19 - i);
      expect(await read(snapshot, range(10, 20), { limit, reverse: true })).toEqual({
        values: numbers.map((i) => `value ${i}`),
        keys: numbers.map((i) => key(i).toString()),
        last,
      });
    });
  });

  it('end where the callback says so', async () => {
    const engine = await open(30);
    await withSnapshot(engine, async (snapshot) => {
      let left = 3;
      expect(await snapshot.scanInPlace(range(10, 20), { limit: 9 }, () => --left > 0)).toEqual(key(12));
      expect(left).toBe(0);
    });
  });

  it('are those of the snapshot, whatever is written meanwhile', async () => {
    const engine = await open(3);
    await withSnapshot(engine, async (snapshot) => {
      await engine.commit((tx) => {
        tx.put(key(1), Buffer.from('changed'));
        tx.remove(key(2));
      });
      expect((await read(snapshot, range(0, 9), { limit: 9 })).values).toEqual([
        'value 0',
        'value 1',
        'value 2',
      ]);
      const later = engine.snapshot();
      expect((await read(later, range(0, 9), { limit: 9 })).values).toEqual(['value 0', 'changed']);
      later.close();
    });
  });

  it('may be empty, short or long, one after the other', async () => {
    const engine = await open(0);
    const lengths = [3, 0, 100_000, 5, 9_000, 0, 1];
    await engine.commit((tx) => {
      for (const [i, length] of lengths.entries()) tx.put(key(i), Buffer.alloc(length, i + 1));
    });
    await withSnapshot(engine, async (snapshot) => {
      const seen: number[] = [];
      const isRight = (bytes: Uint8Array, byte: number): boolean => {
        for (let i = 0; i < bytes.length; i++) if (bytes[i] !== byte) return false;
        return true;
      };
      const last = await snapshot.scanInPlace(range(0, 9), { limit: lengths.length }, (bytes) => {
        expect(isRight(bytes, seen.length + 1)).toBe(true);
        seen.push(bytes.length);
        return true;
      });
      expect(seen).toEqual(lengths);
      expect(last).toEqual(key(lengths.length - 1));
    });
  });

  it('end with what the callback throws, and can be read again', async () => {
    const engine = await open(5);
    await withSnapshot(engine, async (snapshot) => {
      const stop = (): boolean => {
        throw new RangeError('enough');
      };
      await expect(async () => snapshot.scanInPlace(range(0, 9), { limit: 9 }, stop)).rejects.toThrow(
        'enough',
      );
      expect((await read(snapshot, range(3, 9), { limit: 9 })).values).toEqual(['value 3', 'value 4']);
      expect(await snapshot.scan(range(4, 9), { limit: 9 })).toEqual([{ key: key(4), value: value(4) }]);
    });
  });

  it('can be read where nothing can be written', async () => {
    const directory = temporaryDirectory();
    const writer = await openLmdb(directory);
    await writer.commit((tx) => tx.put(key(1), value(1)));
    const reader = await openLmdb(directory, { readOnly: true });
    await withSnapshot(reader, async (snapshot) => {
      expect((await read(snapshot, range(0, 9), { limit: 9 })).values).toEqual(['value 1']);
    });
    await writer.close();
  });
});
