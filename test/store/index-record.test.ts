import { describe, expect, it } from 'vitest';
import { CHANGE_TYPES, decodeLogEntry, encodeLogEntry } from '../../src/store/log.js';
import {
  decodeIndexRecord,
  encodeIndexRecord,
  keysInRecord,
  sameValues,
} from '../../src/store/index-record.js';

const bytes = (text: string): Buffer => Buffer.from(text);

describe('index records', () => {
  it('come back as they were written', () => {
    const row = {
      id: 2 ** 45,
      revision: 2 ** 47,
      values: new Map([
        [1, []],
        [2, [bytes('')]],
        [0xffffffff, [bytes('a'), bytes('x'.repeat(5_000)), Buffer.from([0, 255, 0])]],
      ]),
    };
    expect(decodeIndexRecord(encodeIndexRecord(row))).toEqual(row);
  });

  it('tell an index without values from one that they do not know', () => {
    const { values } = decodeIndexRecord(
      encodeIndexRecord({ id: 1, revision: 1, values: new Map([[4, []]]) }),
    );
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
    const row = encodeIndexRecord({ id: 2 ** 45, revision: 2 ** 47, values });
    const order = [3, 0xffffffff, 3, 1, 2, 77].map((indexId, i) => ({
      indexId,
      direction: i < 2 ? ('asc' as const) : ('desc' as const),
    }));
    expect(keysInRecord(row, order)).toEqual(['', 'last', 'x'.repeat(300), undefined, 'b', undefined]);
    const second = encodeIndexRecord({
      id: 1,
      revision: 1,
      values: new Map([[3, [bytes('é')]]]),
    });
    expect(keysInRecord(second, [{ indexId: 3, direction: 'asc' }])).toEqual([bytes('é').toString('latin1')]);
    expect(keysInRecord(row, [])).toEqual([]);
  });

  it('that are cut off are refused', () => {
    const row = encodeIndexRecord({
      id: 1,
      revision: 1,
      values: new Map([[4, [bytes('abc')]]]),
    });
    expect(() => decodeIndexRecord(row.subarray(0, row.length - 1))).toThrow(RangeError);
  });

  it('compare their values one by one', () => {
    expect(sameValues([bytes('a'), bytes('b')], [bytes('a'), bytes('b')])).toBe(true);
    expect(sameValues([bytes('a')], [bytes('a'), bytes('b')])).toBe(false);
    expect(sameValues([bytes('a')], [bytes('b')])).toBe(false);
    expect(sameValues([], [])).toBe(true);
  });
});

describe('log entries', () => {
  it.each(CHANGE_TYPES)('come back as they were written: %s', (type) => {
    const entry = {
      type,
      modelId: 9,
      name: 'ann',
      timeMs: 1_800_000_000_000,
      previousRecord: bytes('row'),
      previousObject: bytes('{"old":1}'),
      next: 7,
      object: bytes('{}'),
    };
    expect(decodeLogEntry(encodeLogEntry(entry))).toEqual(entry);
    const last = { ...entry, next: undefined };
    expect(decodeLogEntry(encodeLogEntry(last))).toEqual(last);
    const bare = { ...last, previousRecord: bytes(''), previousObject: bytes(''), object: bytes('') };
    expect(decodeLogEntry(encodeLogEntry(bare))).toEqual(bare);
  });

  it('of an unknown type are refused', () => {
    const entry = encodeLogEntry({
      type: 'ADDED',
      modelId: 9,
      name: 'ann',
      timeMs: 1,
      previousRecord: bytes(''),
      previousObject: bytes(''),
      next: undefined,
      object: bytes(''),
    });
    entry[0] = 77;
    expect(() => decodeLogEntry(entry)).toThrow(RangeError);
  });
});
