import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AdaptiveBatch } from '../../src/lib/work/adaptive-batch.js';

const THINGS = Array.from({ length: 1_000 }, (_, i) => i);

describe('a pace', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  /** Sizes of the goes when a thing costs so many milliseconds, which may depend on which thing it is. */
  function sizes(pace: AdaptiveBatch, costMs: (thing: number) => number): number[] {
    const parts: (readonly number[])[] = [];
    for (const part of pace.iterateParts(THINGS)) {
      parts.push(part);
      pace.go(part.length, () => part.forEach((thing) => vi.advanceTimersByTime(costMs(thing))));
    }
    expect(parts.flat()).toEqual(THINGS);
    return parts.map(({ length }) => length);
  }

  it('does at most so many things in a go, when they cost next to nothing', () => {
    expect(sizes(new AdaptiveBatch(10, 100), () => 0)).toEqual(Array.from({ length: 10 }, () => 100));
  });

  it('does as many as fit its time, when they cost more', () => {
    expect(sizes(new AdaptiveBatch(10, 100), () => 2).slice(0, 8)).toEqual([100, 50, 25, 13, 7, 5, 5, 5]);
  });

  it('does one at a time, when each costs more than the time of a go', () => {
    expect(sizes(new AdaptiveBatch(10, 4), () => 30).slice(0, 5)).toEqual([4, 2, 1, 1, 1]);
  });

  it('is back soon after the machine stood still', () => {
    expect(sizes(new AdaptiveBatch(10, 100), (thing) => (thing === 150 ? 5_000 : 0)).slice(0, 5)).toEqual([
      100, 100, 50, 100, 100,
    ]);
  });
});
