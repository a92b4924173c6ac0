import { describe, expect, it } from 'vitest';
import {
  CHANGE_TYPES,
  decodeEntryHead,
  decodeLogEntry,
  encodeLogEntry,
  WRITE_VERBS,
  type LogEntry,
} from '../../src/store/log/log.js';
import {
  decodeIndexValues,
  encodeIndexValues,
  type IndexValues,
  keysInValues,
  sameValues,
} from '../../src/store/index/index-record.js';
import {
  encodeRecord,
  indexRecordIn,
  isSound,
  bodyIn,
  nameIn,
  revisionIn,
} from '../../src/store/object-record.js';

const bytes = (text: string): Buffer => Buffer.from(text);

const VALUES: IndexValues = new Map([
  [1, []],
  [2, [bytes('')]],
  [0xffffffff, [bytes('a'), bytes('x'.repeat(5_000)), Buffer.from([0, 255, 0])]],
]);

describe('records of objects', () => {
  const json = '{"text":"é😀"}';

  it.each(['a', 'n'.repeat(253)])('come back as they were written', (name) => {
    for (const values of [VALUES, new Map()]) {
      for (const text of [json, bytes(json), `"${'é'.repeat(100_000)}"`]) {
        const record = encodeRecord({ revision: 2 ** 47, name, values, json: text });
        expect(isSound(record)).toBe(true);
        expect(revisionIn(record)).toBe(2 ** 47);
        expect(nameIn(record)).toBe(name);
        expect(bodyIn(record).toString()).toBe(text.toString());
        expect(indexRecordIn(7, record)).toEqual({ id: 7, name, values });
      }
    }
  });

  it('are not sound when any bit of them is another', () => {
    const record = encodeRecord({ revision: 1, name: 'ann', values: new Map([[3, [bytes('v')]]]), json });
    for (let at = 0; at < record.length; at++) {
      const other = Buffer.from(record);
      other[at] = (other[at] ?? 0) ^ (1 << (at % 8));
      expect(isSound(other)).toBe(false);
    }
    for (let length = 0; length < record.length; length++)
      expect(isSound(record.subarray(0, length))).toBe(false);
  });
});

describe('values of indexes', () => {
  it('come back as they were written', () => {
    expect(decodeIndexValues(encodeIndexValues(VALUES))).toEqual(VALUES);
  });

  it('tell an index without values from one that they do not know', () => {
    const values = decodeIndexValues(encodeIndexValues(new Map([[4, []]])));
    expect(values.get(4)).toEqual([]);
    expect(values.get(5)).toBeUndefined();
  });

  it('tell what places their object, without being decoded', () => {
    const values = new Map([
      [1, []],
      [2, [bytes('b')]],
      [3, [bytes(''), bytes('é'), Buffer.from([0, 255]), bytes('x'.repeat(300))]],
      [0xffffffff, [bytes('last')]],
    ]);
    const encoded = encodeIndexValues(values);
    const order = [3, 0xffffffff, 3, 1, 2, 77].map((indexId, i) => ({
      indexId,
      direction: i < 2 ? ('asc' as const) : ('desc' as const),
    }));
    expect(keysInValues(encoded, order)).toEqual(['', 'last', 'x'.repeat(300), undefined, 'b', undefined]);
    const second = encodeIndexValues(new Map([[3, [bytes('é')]]]));
    expect(keysInValues(second, [{ indexId: 3, direction: 'asc' }])).toEqual([bytes('é').toString('latin1')]);
    expect(keysInValues(encoded, [])).toEqual([]);
  });

  it('that are cut off are refused', () => {
    const encoded = encodeIndexValues(new Map([[4, [bytes('abc')]]]));
    expect(() => decodeIndexValues(encoded.subarray(0, encoded.length - 1))).toThrow(RangeError);
  });

  it('compare their values one by one', () => {
    expect(sameValues([bytes('a'), bytes('b')], [bytes('a'), bytes('b')])).toBe(true);
    expect(sameValues([bytes('a')], [bytes('a'), bytes('b')])).toBe(false);
    expect(sameValues([bytes('a')], [bytes('b')])).toBe(false);
    expect(sameValues([], [])).toBe(true);
  });
});

describe('log entries', () => {
  const ENTRY: LogEntry = {
    type: 'ADDED',
    verb: 'create',
    modelId: 9,
    id: 2 ** 40,
    stamp: { timeMs: 1_800_000_000_000, user: 'ann' },
    previous: 2 ** 47,
    previousRecord: bytes('old record'),
    next: 7,
    record: bytes('record'),
  };

  it.each(CHANGE_TYPES)('come back as they were written: %s', (type) => {
    const entry = { ...ENTRY, type };
    expect(decodeLogEntry(encodeLogEntry(entry))).toEqual(entry);
    const last = { ...entry, next: undefined, stamp: undefined };
    expect(decodeLogEntry(encodeLogEntry(last))).toEqual(last);
    const bare = { ...last, previous: undefined, previousRecord: bytes(''), record: bytes('') };
    expect(decodeLogEntry(encodeLogEntry(bare))).toEqual(bare);
  });

  it.each(CHANGE_TYPES.flatMap((type) => WRITE_VERBS.map((verb) => ({ type, verb }))))(
    'keep the verb of the request: $type by $verb',
    ({ type, verb }) => {
      const entry = { ...ENTRY, type, verb };
      expect(decodeLogEntry(encodeLogEntry(entry))).toEqual(entry);
      expect(decodeEntryHead(encodeLogEntry(entry))).toEqual({
        type,
        modelId: entry.modelId,
        previous: entry.previous,
      });
    },
  );

  it('that were written before verbs were kept have the verb of their type', () => {
    const entry = encodeLogEntry({ ...ENTRY, type: 'MODIFIED', verb: 'patch' });
    entry[0] = 1 | 4;
    expect(decodeLogEntry(entry).verb).toBe('update');
  });

  it('of an unknown type or verb are refused', () => {
    const entry = encodeLogEntry(ENTRY);
    for (const first of [3, 77]) {
      entry[0] = first;
      expect(() => decodeLogEntry(entry)).toThrow(RangeError);
    }
  });
});
