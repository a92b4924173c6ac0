import { expect, it } from 'vitest';
import { parseInstant } from '../../src/lib/time/instant.js';
import { checkExpiration, EXPIRES_AT, findExpiration, TTL } from '../../src/model/expiration.js';
import { Random, seedOfRun } from '../helpers/seed.js';

const CREATED = '2026-01-31T08:00:00.000Z';

const expiration = (annotations: unknown, creationTimestamp = CREATED): string | undefined =>
  findExpiration({ creationTimestamp, annotations });

const fields = (annotations: object): string[] =>
  checkExpiration({ metadata: { annotations: annotations as Record<string, string> } }).map(
    ({ field }) => field,
  );

it.each([
  ['2026-02-01T00:00:00Z', '2026-02-01T00:00:00.000Z'],
  ['2026-02-01T01:30:00+01:30', '2026-02-01T00:00:00.000Z'],
  ['2026-02-01T00:00:00.000000001z', '2026-02-01T00:00:00.000000001Z'],
  ['1969-12-31T23:59:59.5Z', '1969-12-31T23:59:59.500Z'],
  ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
])('%s is the time at which an object expires', (at, expected) => {
  expect(fields({ [EXPIRES_AT]: at })).toEqual([]);
  expect(expiration({ [EXPIRES_AT]: at })).toBe(expected);
});

it.each([
  '',
  ' ',
  'soon',
  '2026-02-01',
  '2026-02-01T00:00:00',
  '2026-02-01 00:00:00Z',
  ' 2026-02-01T00:00:00Z',
  '2026-02-01T00:00:00Z\n',
  '2026-02-30T00:00:00Z',
  '2026-06-30T23:59:60Z',
  '2026-02-01T24:00:00Z',
  '2026-02-01T00:00:00+24:00',
  '10000-01-01T00:00:00Z',
  '+010000-01-01T00:00:00Z',
  '9999-12-31T23:59:59-00:01',
  '-0001-01-01T00:00:00Z',
  '1769846400',
  '٢٠٢٦-02-01T00:00:00Z',
  '2026‑02‑01T00:00:00Z',
  '\ud800',
])('%j is no time at which an object expires', (at) => {
  expect(fields({ [EXPIRES_AT]: at })).toEqual([`metadata.annotations.${EXPIRES_AT}`]);
  expect(expiration({ [EXPIRES_AT]: at })).toBeUndefined();
});

it.each([
  ['30s', '2026-01-31T08:00:30.000Z'],
  ['30000ms', '2026-01-31T08:00:30.000Z'],
  ['0.5m', '2026-01-31T08:00:30.000Z'],
  ['1h30m', '2026-01-31T09:30:00.000Z'],
  ['7d', '2026-02-07T08:00:00.000Z'],
  ['10000h', '2027-03-24T00:00:00.000Z'],
])('a ttl of %s counts from the creation', (ttl, expected) => {
  expect(fields({ [TTL]: ttl })).toEqual([]);
  expect(expiration({ [TTL]: ttl })).toBe(expected);
});

it.each([
  '',
  '0',
  '30',
  '29999ms',
  '29s',
  '10000h1ms',
  '10001h',
  '417d',
  '-1h',
  '+1h',
  '1 h',
  '1h ',
  '1w',
  '1H',
  'P1D',
  'NaNs',
  'Infinityh',
  '1e3s',
  '٣٠s',
  '1'.repeat(400) + 'h',
  '1s'.repeat(100_000),
])('%j is no ttl', (ttl) => {
  expect(fields({ [TTL]: ttl })).toEqual([`metadata.annotations.${TTL}`]);
  expect(expiration({ [TTL]: ttl })).toBeUndefined();
});

it('of both annotations the earlier one counts, to the nanosecond', () => {
  const at = (time: string): string | undefined => expiration({ [EXPIRES_AT]: time, [TTL]: '1m' });
  expect(at('2026-01-31T08:00:59Z')).toBe('2026-01-31T08:00:59.000Z');
  expect(at('2026-01-31T08:01:00.000000001Z')).toBe('2026-01-31T08:01:00.000Z');
  expect(at('2026-01-31T08:00:59.999999999Z')).toBe('2026-01-31T08:00:59.999999999Z');
  expect(at('2026-01-31T08:01:01Z')).toBe('2026-01-31T08:01:00.000Z');
});

it('a wrong value, from before values were checked, means nothing, and the other annotation counts', () => {
  expect(expiration({ [EXPIRES_AT]: 'soon', [TTL]: '1m' })).toBe('2026-01-31T08:01:00.000Z');
  expect(expiration({ [EXPIRES_AT]: '2026-02-01T00:00:00Z', [TTL]: 7 })).toBe('2026-02-01T00:00:00.000Z');
  for (const wrong of [null, 7, true, ['1h'], { a: 1 }]) {
    expect(expiration({ [EXPIRES_AT]: wrong, [TTL]: wrong })).toBeUndefined();
    expect(expiration(wrong)).toBeUndefined();
  }
});

it('a ttl that ends after the year 9999, or begins at no time, is no end', () => {
  expect(expiration({ [TTL]: '1m' }, '9999-12-31T23:59:00Z')).toBeUndefined();
  expect(expiration({ [TTL]: '1m' }, 'never')).toBeUndefined();
});

it('any text is a time or a fault, and never an error', () => {
  const random = new Random(seedOfRun());
  console.log(`SEED=${random.seed}`);
  const parts = [
    '2026',
    '-',
    '02',
    ':',
    'T',
    'Z',
    '+',
    '.',
    '9',
    's',
    'm',
    'h',
    'd',
    'ms',
    ' ',
    '\u0000',
    'é',
    '\ud83d',
  ];
  for (let i = 0; i < 5_000; i++) {
    const text = Array.from({ length: random.below(14) }, () => random.pick(parts)).join('');
    for (const key of [EXPIRES_AT, TTL]) {
      const time = expiration({ [key]: text });
      expect(fields({ [key]: text }).length).toBe(time === undefined ? 1 : 0);
      if (time !== undefined) expect(parseInstant(time)).toBeDefined();
    }
  }
});
