import { describe, expect, it } from 'vitest';
import { formatDuration, formatSize, parseDuration, parseSize } from '../../src/lib/time/duration.js';

describe('durations', () => {
  it.each<[string, number]>([
    ['250ms', 250],
    ['30s', 30_000],
    ['5m', 300_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
    ['1h30m', 5_400_000],
    ['1.5s', 1500],
    ['0', 0],
    ['0s', 0],
  ])('reads %s', (text, ms) => expect(parseDuration(text)).toBe(ms));

  it.each(['', '5', '-5s', 's', '5 s', '5S', '5w', '1e3s', '5s,', `${'9'.repeat(30)}d`])(
    'refuses %j',
    (text) => {
      expect(() => parseDuration(text)).toThrow('write it like 250ms, 30s, 5m, 24h or 7d');
    },
  );

  it('are written in the greatest unit that is exact', () => {
    expect([0, 250, 1500, 30_000, 90_000, 86_400_000].map(formatDuration)).toEqual([
      '0ms',
      '250ms',
      '1500ms',
      '30s',
      '90s',
      '1d',
    ]);
  });
});

describe('sizes', () => {
  it.each<[string, number]>([
    ['1MiB', 1_048_576],
    ['512KiB', 524_288],
    ['1GiB', 1_073_741_824],
    ['1MB', 1_000_000],
    ['2kB', 2000],
    ['1024', 1024],
    ['1B', 1],
    ['1.5KiB', 1536],
    ['0', 0],
  ])('reads %s', (text, bytes) => expect(parseSize(text)).toBe(bytes));

  it.each(['', 'MiB', '-1', '1 MiB', '1mib', '1TB', '1e3', '1none', '9'.repeat(30)])('refuses %j', (text) => {
    expect(() => parseSize(text)).toThrow('write it like 1MiB, 512KiB, 1MB or 1024');
  });

  it('are written so that they read back the same', () => {
    expect([0, 1, 1000, 1024, 1536, 1_048_576, 1_000_000].map(formatSize)).toEqual([
      '0B',
      '1B',
      '1KB',
      '1KiB',
      '1536B',
      '1MiB',
      '1MB',
    ]);
  });
});
