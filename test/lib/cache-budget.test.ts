import { describe, expect, it } from 'vitest';
import { CacheBudget } from '../../src/lib/cache-budget.js';

describe('the budget of caches', () => {
  it('drops the least recently used entry, whichever cache it is in', () => {
    const budget = new CacheBudget(100);
    const [one, two] = [budget.cache<string>('one'), budget.cache<number>('two')];
    one.set('a', 'A', 40);
    two.set('a', 1, 40);
    expect([one.get('a'), two.get('a')]).toEqual(['A', 1]);
    one.get('a');
    two.set('b', 2, 40);
    expect([one.get('a'), two.get('a'), two.get('b')]).toEqual(['A', undefined, 2]);
    expect(budget.bytes).toBe(80);
    expect(budget.bytesByName()).toEqual(
      new Map([
        ['one', 40],
        ['two', 40],
      ]),
    );
  });

  it('counts a replacement instead of the old entry, and releases deleted and cleared entries', () => {
    const budget = new CacheBudget(100);
    const cache = budget.cache<string>('one');
    cache.set('a', 'small', 10);
    cache.set('a', 'large', 90);
    expect([cache.get('a'), budget.bytes, budget.bytesByName().get('one')]).toEqual(['large', 90, 90]);
    cache.delete('a');
    cache.set('b', 'B', 50);
    cache.set('c', 'C', 50);
    expect(budget.bytes).toBe(100);
    cache.clear();
    expect([cache.get('b'), cache.has('c'), budget.bytes]).toEqual([undefined, false, 0]);
    expect(budget.bytesByName().get('one')).toBe(0);
  });

  it('does not keep an entry larger than the whole budget, nor the entry that it would have replaced', () => {
    const cache = new CacheBudget(100).cache<string>('one');
    cache.set('a', 'A', 10);
    cache.set('a', 'too large', 101);
    expect(cache.get('a')).toBeUndefined();
  });
});
