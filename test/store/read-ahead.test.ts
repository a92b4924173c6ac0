import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { KeyRange, Snapshot } from '../../src/store/engine.js';
import { openLmdb } from '../../src/engines/lmdb/engine.js';
import type * as OpenRoot from '../../src/engines/lmdb/open-root.js';
import type * as LmdbDatabases from '../../src/engines/lmdb/databases.js';
import type * as LmdbSnapshots from '../../src/engines/lmdb/snapshot.js';
import type * as ReadAheads from '../../src/engines/lmdb/read-ahead.js';
import { Random, seedOfRun } from '../helpers/seed.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

// As it was built: the thread runs only that.
const BUILT = new URL('../../dist/engines/lmdb/', import.meta.url).href;
const { openAgainToRead } = (await import(`${BUILT}open-root.js`)) as typeof OpenRoot;
const { Databases } = (await import(`${BUILT}databases.js`)) as typeof LmdbDatabases;
const { KEYS_PART, LmdbSnapshot } = (await import(`${BUILT}snapshot.js`)) as typeof LmdbSnapshots;
const { ReadAhead } = (await import(`${BUILT}read-ahead.js`)) as typeof ReadAheads;

const PAIRS = 20 * KEYS_PART;
const numbers = Array.from({ length: PAIRS }, (_, i) => i);
/** A key of a family that has a separate database. */
const key = (i: number): Buffer => Buffer.from(`\x03${String(i).padStart(6, '0')}`);
/** Now and then one of many pages. */
const value = (i: number): Buffer => Buffer.alloc(i % KEYS_PART === 7 ? 50_000 : 20, `value ${i} `);
const numberIn = (bytes: Uint8Array): number => Number(Buffer.from(bytes).toString().slice(1));

let directory: string;

beforeAll(async () => {
  directory = temporaryDirectory();
  const engine = await openLmdb(directory, { relaxed: true });
  await engine.commit((tx) => {
    for (const i of numbers) tx.put(key(i), value(i));
  });
  await engine.close();
});

afterAll(removeDirectories);

/** Reads ahead whether the disk is slow or not. */
class ReadAlwaysAhead extends ReadAhead {
  fetches = 0;
  onFetch: (state: 'asked' | 'answered') => void = () => undefined;

  override get isWorthwhile(): boolean {
    return true;
  }

  override async fetch(wanted: ReadAheads.Wanted): Promise<void> {
    this.fetches++;
    this.onFetch('asked');
    await super.fetch(wanted);
    this.onFetch('answered');
  }
}

describe('a snapshot that is read by another thread first', () => {
  let databases: LmdbDatabases.Databases;
  let ahead: ReadAlwaysAhead;
  let snapshot: Snapshot;

  beforeEach(() => {
    databases = new Databases(openAgainToRead(directory));
    ahead = new ReadAlwaysAhead(directory, databases);
    snapshot = new LmdbSnapshot(databases, databases.root.useReadTransaction(), ahead);
  });

  afterEach(async () => {
    snapshot.close();
    await ahead.close();
    await databases.root.close();
  });

  it('answers for keys, also for those that are not there', async () => {
    const keys = numbers.map((i) => (i % 3 === 0 ? Buffer.from(`none${i}`) : key(i)));
    const values = numbers.map((i) => (i % 3 === 0 ? undefined : value(i)));
    expect(await snapshot.getMany(keys)).toEqual(values);
    expect(ahead.fetches).toBe(PAIRS / KEYS_PART);
    expect(await snapshot.get(key(7))).toEqual(value(7));
    expect(await snapshot.getMany([])).toEqual([]);
  });

  const seed = seedOfRun();
  it(`answers for parts of ranges, in both directions (SEED=${seed})`, async () => {
    const random = new Random(seed);
    for (let round = 0; round < 100; round++) {
      const from = random.below(PAIRS);
      const to = from + random.below(PAIRS - from + 10);
      const reverse = random.chance(0.5);
      const limit = random.chance(0.2) ? random.below(4) + 1 : random.below(PAIRS) + 1;
      const range: KeyRange = { start: key(from), end: key(to) };
      const inRange = numbers.slice(from, to);
      const expected = (reverse ? inRange.toReversed() : inRange).slice(0, limit);
      const where = `round ${round}: ${from} to ${to}, limit ${limit}, reverse ${reverse}`;

      const pairs = await snapshot.scan(range, { limit, reverse });
      expect(
        pairs.map((pair) => numberIn(pair.key)),
        where,
      ).toEqual(expected);
      expect(
        pairs.every((pair) => pair.value.equals(value(numberIn(pair.key)))),
        where,
      ).toBe(true);

      const stopAt = random.chance(0.5) ? expected[random.below(expected.length)] : undefined;
      const seen: number[] = [];
      const last = await snapshot.scanInPlace(range, { limit, reverse }, (_, { bytes, start, end }) => {
        const at = numberIn(bytes.subarray(start, end));
        seen.push(at);
        return at !== stopAt;
      });
      const wanted = stopAt === undefined ? expected : expected.slice(0, expected.indexOf(stopAt) + 1);
      expect(seen, where).toEqual(wanted);
      const isDone = stopAt === undefined && wanted.length < limit;
      expect(last && numberIn(last), where).toBe(isDone ? undefined : wanted.at(-1));
    }
  });

  it('lets others have their turn before the thread is asked again', async () => {
    let turns = 0;
    let answeredIn = -1;
    const waits: number[] = [];
    ahead.onFetch = (state) => {
      if (state === 'answered') answeredIn = turns;
      else waits.push(turns - answeredIn);
    };
    let counting = setImmediate(function count() {
      turns++;
      counting = setImmediate(count);
    });
    await snapshot.getMany(numbers.map(key));
    clearImmediate(counting);
    expect(waits).toHaveLength(PAIRS / KEYS_PART);
    expect(Math.min(...waits)).toBeGreaterThan(0);
  });

  it('goes on when the thread has ended', async () => {
    const reading = snapshot.getMany(numbers.map(key));
    const closing = ahead.close();
    expect(await reading).toEqual(numbers.map(value));
    await closing;
    expect(await snapshot.get(key(1))).toEqual(value(1));
  });

  it('fails when it is closed meanwhile', async () => {
    const other = new LmdbSnapshot(databases, databases.root.useReadTransaction(), ahead);
    const read = other.getMany(numbers.map(key));
    other.close();
    await expect(async () => read).rejects.toThrow('closed while it was read');
  });
});

describe('reading ahead', () => {
  let databases: LmdbDatabases.Databases;
  beforeEach(() => (databases = new Databases(openAgainToRead(directory))));
  afterEach(() => databases.root.close());

  it('is given up where the thread cannot open the store', async () => {
    const ahead = new ReadAhead(path.join(directory, 'none'), databases);
    await ahead.fetch({ keys: [key(1)] });
    await ahead.fetch({ keys: [key(1)] });
    expect(ahead.isWorthwhile).toBe(false);
    await ahead.close();
  });

  it('is not worthwhile before the disk was waited for', () => {
    const ahead = new ReadAhead(directory, databases);
    ahead.noteRead();
    expect(ahead.isWorthwhile).toBe(false);
  });

  const READER = `
    import { readdirSync } from 'node:fs';
    import { ReadAhead } from '${BUILT}read-ahead.js';
    const threads = () => readdirSync('/proc/self/task').length;
    const before = threads();
    const ahead = new ReadAhead(process.argv[1], undefined);
    await ahead.fetch({ keys: [Buffer.from('\\x03000001')] });
    console.log(threads() > before);
    if (process.argv[2] === 'close') await ahead.close();`;

  it.each(['close', 'leave'])('does not keep the process alive (%s)', (end) => {
    const args = ['--input-type=module', '-e', READER, directory, end];
    const said = execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 15_000 });
    expect(said).toBe('true\n');
  });
});
