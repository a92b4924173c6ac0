import { describe, expect, it } from 'vitest';
import { encodeValue } from '../../src/model/key-type.js';
import { KEY_TYPES, type ValueType } from '../../src/model/resource.js';
import type { IndexValue } from '../../src/model/declare/scheme.js';
import type { KeyRange } from '../../src/store/engine.js';
import {
  getEntries,
  entriesStartingWith,
  entriesWith,
  entryKey,
  entryPrefix,
  type EntryObject,
  isCut,
  isInRun,
  logKey,
  idInEntry,
  idInKey,
  nameInKey,
  nameKey,
  getNames,
  objectKey,
  getObjects,
  revisionInLogKey,
  rangeOfRun,
  valueGroup,
  VALUE_BYTES_MAX as MAX,
} from '../../src/store/index/keys.js';

const INDEX = 7;
/** The engine's limit. */
const KEY_BYTES_MAX = 1_978;
const LONGEST_NAME = 'n'.repeat(253);
/** Of objects: the first, some whose bytes are zeros and marks, and the last. */
const IDS = [1, 0xff, 0x1_00ff, 0xfe_0000, 0xffff_ffff, 0x3f_0000_0000];

/** The entry of the only value of an object. */
const only = (id: number): EntryObject => ({ id, isSmallest: true, isLargest: true });

function keyOf(type: ValueType, value: IndexValue | undefined, id = 1): Buffer {
  return entryKey(INDEX, type, value === undefined ? undefined : encodeValue(type, value), only(id));
}

function has(range: KeyRange | undefined, key: Buffer): boolean {
  return range !== undefined && Buffer.compare(key, range.start) >= 0 && Buffer.compare(key, range.end) < 0;
}

const x = (length: number): string => 'x'.repeat(length);

/** In order of their code points. */
const TEXTS = [
  '',
  '\0',
  '\0\0',
  '\0a',
  '\u0001',
  'a',
  'a\0',
  'a\0b',
  'a\u0001',
  'aa',
  'b',
  x(MAX - 2),
  `${x(MAX - 2)}\0`,
  `${x(MAX - 2)}\0y`,
  x(MAX - 1),
  `${x(MAX - 1)}\0`,
  x(MAX),
  'y',
  '\uffff',
  '\u{10000}',
  '😀',
];

const SORTED: Record<ValueType, readonly IndexValue[]> = {
  string: TEXTS,
  boolean: [false, true],
  integer: [-2147483648, -1, 0, 1, 254, 255, 256, 2147483647],
  long: [-(2n ** 63n), -1n, 0n, 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n],
  number: [-1e300, -1.5, -5e-324, 0, 5e-324, 1.5, 1e300],
  instant: [
    '0001-01-01T00:00:00Z',
    '1969-12-31T23:59:59.999Z',
    '1970-01-01T00:00:00Z',
    '2000-01-01T00:00:00.001Z',
  ],
};

describe('keys of index entries', () => {
  it.each(KEY_TYPES)('stand in the order of the values, absent ones first: %s', (type) => {
    const keys = [undefined, ...SORTED[type]].flatMap((value) => [
      keyOf(type, value, 1),
      keyOf(type, value, 256),
    ]);
    expect(keys.map((key) => key.toString('hex'))).toEqual(
      keys.toSorted((a, b) => Buffer.compare(a, b)).map((key) => key.toString('hex')),
    );
  });

  it.each(KEY_TYPES)('tell the id whatever the value: %s', (type) => {
    for (const value of [undefined, ...SORTED[type]]) {
      for (const id of IDS) expect(idInEntry(keyOf(type, value, id))).toBe(id);
    }
  });

  it.each(KEY_TYPES)('are found by exactly their own value: %s', (type) => {
    const values = [undefined, ...SORTED[type]];
    for (const wanted of values) {
      const range = entriesWith(INDEX, type, wanted === undefined ? undefined : encodeValue(type, wanted));
      for (const value of values) {
        for (const id of IDS) {
          expect(has(range, keyOf(type, value, id)), `${String(value)} as ${String(wanted)}`).toBe(
            value === wanted,
          );
        }
      }
    }
  });

  it('are the same whether made in one piece or from prefix and id', () => {
    for (const type of KEY_TYPES) {
      for (const value of [undefined, ...SORTED[type]]) {
        const bytes = value === undefined ? undefined : encodeValue(type, value);
        const whole = Buffer.concat([entryPrefix(INDEX, type, bytes), Buffer.from([0, 0, 0, 4, 11])]);
        expect(entryKey(INDEX, type, bytes, only(258))).toEqual(whole);
      }
    }
  });

  it('of one index lie outside the range of its neighbours', () => {
    const key = keyOf('string', 'a');
    expect(has(getEntries(INDEX), key)).toBe(true);
    expect(has(getEntries(INDEX - 1), key)).toBe(false);
    expect(has(getEntries(INDEX + 1), key)).toBe(false);
    expect(
      has(getEntries(0xffffffff), entryKey(0xffffffff, 'string', encodeValue('string', 'a'), only(1))),
    ).toBe(true);
  });

  it('of texts are found by a beginning', () => {
    for (const start of TEXTS) {
      const range = entriesStartingWith(INDEX, encodeValue('string', start));
      for (const text of TEXTS) {
        if (range === undefined) continue;
        expect(has(range, keyOf('string', text)), JSON.stringify([start.slice(-4), text.slice(-4)])).toBe(
          text.startsWith(start),
        );
      }
    }
  });
});

describe('values too long for a key', () => {
  it.each([
    [MAX - 1, false],
    [MAX, false],
    [MAX + 1, true],
    [5000, true],
  ])('of %i bytes, cut: %s', (length, cut) => {
    const key = keyOf('string', x(length), 7);
    expect(isCut(key, 'string')).toBe(cut);
    expect(key.length).toBeLessThanOrEqual(KEY_BYTES_MAX);
    expect(idInEntry(key)).toBe(7);
  });

  it('are measured with their zero bytes escaped, and never torn within an escape', () => {
    expect(isCut(keyOf('string', '\0'.repeat(MAX / 2)), 'string')).toBe(false);
    expect(isCut(keyOf('string', '\0'.repeat(MAX / 2 + 1)), 'string')).toBe(true);
    expect(isCut(keyOf('string', `${x(MAX - 1)}\0`), 'string')).toBe(false);
    const torn = keyOf('string', `${x(MAX - 1)}\0y`);
    expect(isCut(torn, 'string')).toBe(true);
    expect(Buffer.compare(keyOf('string', x(MAX - 1), 99), torn)).toBe(-1);
    expect(Buffer.compare(keyOf('string', `${x(MAX - 1)}\0`, 99), torn)).toBe(-1);
    expect(Buffer.compare(torn, keyOf('string', `${x(MAX - 1)}\u0001`, 1))).toBe(-1);
  });

  it('stay below the limit of the engine even when they are zero bytes only', () => {
    expect(keyOf('string', '\0'.repeat(5000)).length).toBeLessThanOrEqual(KEY_BYTES_MAX);
  });

  it('are still distinguished by equality', () => {
    const values = [
      x(MAX),
      x(MAX + 1),
      `${x(MAX)}a`,
      `${x(MAX)}b`,
      `${x(MAX)}\0`,
      `${x(3 * MAX)}a`,
      `${x(3 * MAX)}b`,
    ];
    for (const wanted of values) {
      const range = entriesWith(INDEX, 'string', encodeValue('string', wanted));
      expect(values.filter((value) => has(range, keyOf('string', value)))).toEqual([wanted]);
    }
  });

  it('that begin alike are one run, which the whole value of those bytes is no part of', () => {
    const cut = ['a', 'b', '\0', x(2000)].map((end) => keyOf('string', `${x(MAX)}${end}`));
    const runs = new Set(cut.map((key) => valueGroup(key, 'string').toString('hex')));
    expect(runs.size).toBe(1);
    const range = rangeOfRun(valueGroup(cut[0] ?? Buffer.alloc(0), 'string'));
    for (const key of cut) expect(has(range, key)).toBe(true);
    const whole = keyOf('string', x(MAX));
    expect(has(range, whole)).toBe(false);
    for (const key of cut) expect(has(rangeOfRun(valueGroup(whole, 'string')), key)).toBe(false);
    expect(Buffer.compare(whole, cut[0] ?? Buffer.alloc(0))).toBe(-1);
  });

  it.each(KEY_TYPES)('tell by their key alone whether they are of a run, for %s', (type) => {
    const longer = ['a', 'b', '\0'].map((end) => `${x(MAX)}${end}`);
    const values = type === 'string' ? [undefined, ...TEXTS, ...longer] : [undefined, ...SORTED[type]];
    const keys = values.flatMap((value) => IDS.map((id) => keyOf(type, value, id)));
    for (const key of keys) {
      const bytes = Buffer.concat([Buffer.from('xy'), key, Buffer.from([0, 255])]);
      const place = { bytes, start: 2, end: 2 + key.length };
      const own = valueGroup(key, type);
      for (const other of keys) {
        const run = valueGroup(other, type);
        expect(isInRun(place, run, type)).toBe(run.equals(own));
      }
    }
  });

  it('have no range of a beginning that is longer than what is kept', () => {
    expect(entriesStartingWith(INDEX, encodeValue('string', x(MAX)))).toBeDefined();
    expect(entriesStartingWith(INDEX, encodeValue('string', x(MAX + 1)))).toBeUndefined();
    const range = entriesStartingWith(INDEX, encodeValue('string', x(MAX)));
    expect(has(range, keyOf('string', x(4000)))).toBe(true);
  });

  it('are only strings: keys of other types never count as cut', () => {
    for (const type of KEY_TYPES.filter((one) => one !== 'string')) {
      for (const value of SORTED[type]) expect(isCut(keyOf(type, value), type)).toBe(false);
    }
  });
});

describe('keys of objects, names and log entries', () => {
  it('tell what they are of and lie in the range of their model only', () => {
    for (const name of ['a', LONGEST_NAME]) {
      expect(nameInKey(nameKey(3, name))).toBe(name);
      expect(has(getNames(3), nameKey(3, name))).toBe(true);
      expect(has(getNames(2), nameKey(3, name))).toBe(false);
    }
    for (const id of [1, 2 ** 46]) {
      expect(idInKey(objectKey(3, id))).toBe(id);
      expect(has(getObjects(3), objectKey(3, id))).toBe(true);
      expect(has(getObjects(2), objectKey(3, id))).toBe(false);
      expect(has(getNames(3), objectKey(3, id))).toBe(false);
    }
  });

  it('of the log stand in the order of revisions', () => {
    const keys = [logKey(1), logKey(2), logKey(256), logKey(2 ** 40)];
    expect(keys.toSorted((a, b) => Buffer.compare(a, b))).toEqual(keys);
    expect(revisionInLogKey(logKey(2 ** 40))).toBe(2 ** 40);
  });
});
