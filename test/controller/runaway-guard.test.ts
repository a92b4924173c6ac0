import { describe, expect, it } from 'vitest';
import { RunawayGuard } from '../../src/controller/runaway-guard.js';
import { FakeClock } from './helpers.js';

describe('the guard against endless reconciles', () => {
  /** Each reconcile changes the object again, a moment later. */
  function loop(clock: FakeClock, guard: RunawayGuard, isEnded: () => boolean) {
    const count = { reconciles: 0 };
    const reconcile = (): void => {
      guard.note('ann');
      count.reconciles++;
      if (!isEnded()) clock.setTimer(1, () => guard.admit('ann', reconcile));
    };
    guard.admit('ann', reconcile);
    return count;
  }

  it('slows down a name whose reconciles change it each time, reports it once, and lets the others pass', () => {
    const clock = new FakeClock();
    const reported: string[] = [];
    const guard = new RunawayGuard(clock, (name, count, seconds) =>
      reported.push(`${name} ${count} ${seconds}`),
    );
    const looping = loop(clock, guard, () => false);
    clock.advance(60_000);
    expect(looping.reconciles).toBeLessThan(110);
    expect(looping.reconciles).toBeGreaterThan(100);
    expect(reported).toEqual(['ann 100 10']);
    let others = 0;
    for (let i = 0; i < 50; i++) guard.admit('bob', () => others++);
    expect(others).toBe(50);
  });

  it('reconciles a slowed name at once again when it has been quiet, and no change is lost before', () => {
    const clock = new FakeClock();
    const guard = new RunawayGuard(clock, () => undefined);
    let isEnded = false;
    loop(clock, guard, () => isEnded);
    clock.advance(5_000);
    isEnded = true;
    let late = 0;
    guard.admit('ann', () => late++);
    guard.admit('ann', () => late++);
    clock.advance(20_000);
    expect(late).toBeLessThanOrEqual(1);
    clock.advance(600_000);
    let now = 0;
    guard.admit('ann', () => now++);
    expect(now).toBe(1);
  });
});
