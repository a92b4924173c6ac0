import { describe, expect, it } from 'vitest';
import { getNetwork } from '../../src/http/guards/network.js';
import { RateBudget } from '../../src/lib/work/rate-budget.js';

describe('a budget of uses', () => {
  it('is spent by a key alone, and comes back with time', () => {
    const budget = new RateBudget({ usesMax: 3, refillMs: 1_000 });
    const spend = (nowMs: number, address = '192.0.2.1'): number | undefined => budget.spend(address, nowMs);
    expect([spend(0), spend(0), spend(0)]).toEqual([undefined, undefined, undefined]);
    expect([spend(0), spend(0), spend(900)]).toEqual([1_000, 1_000, 100]);
    expect(spend(900, '192.0.2.2')).toBeUndefined();
    expect([spend(1_000), spend(1_000)]).toEqual([undefined, 1_000]);
    expect([4_000, 4_000, 4_000, 4_000].map((now) => spend(now))).toEqual([
      undefined,
      undefined,
      undefined,
      1_000,
    ]);
  });

  it('is spent by several uses at once, or by none of them', () => {
    const budget = new RateBudget({ usesMax: 10, refillMs: 100 });
    const spend = (nowMs: number, uses: number): number | undefined => budget.spend('a', nowMs, uses);
    expect([spend(0, 8), spend(0, 3), spend(0, 2), spend(0, 10)]).toEqual([undefined, 100, undefined, 1_000]);
    expect(spend(1_000, 10)).toBeUndefined();
  });

  it('remembers so many keys, and forgets those that were used longest ago', () => {
    const budget = new RateBudget({ usesMax: 1, refillMs: 1_000, keysMax: 2 });
    for (const address of ['a', 'b', 'a', 'c']) budget.spend(address, 0);
    expect(budget.size).toBe(2);
    expect(['a', 'c', 'b'].map((address) => budget.spend(address, 0))).toEqual([1_000, 1_000, undefined]);
  });
});

describe('the network of an address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:db8:1:2::', '2001:db8:1:2'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['', ''],
  ])('of %s is %s', (address, network) => {
    expect(getNetwork(address)).toBe(network);
  });
});
