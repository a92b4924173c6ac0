import { describe, expect, it } from 'vitest';
import { SYSTEM_CLOCK } from '../../src/lib/time/clock.js';

describe('the clock of the machine', () => {
  it('tells the time of day', () => {
    // A machine that stood still, or whose clock is being set, may be some seconds apart.
    expect(Math.abs(SYSTEM_CLOCK.now() - Date.now())).toBeLessThan(60_000);
  });

  it('calls once the time is over', async () => {
    const began = performance.now();
    await new Promise<void>((resolve) => void SYSTEM_CLOCK.setTimer(20, resolve));
    expect(performance.now() - began).toBeGreaterThan(18);
  });

  it('does not take a time that is too long for a timer for none', async () => {
    let called = false;
    const cancel = SYSTEM_CLOCK.setTimer(2 ** 40, () => (called = true));
    await new Promise((resolve) => setTimeout(resolve, 20));
    cancel();
    expect(called).toBe(false);
  });

  it('takes a timer back', async () => {
    let called = false;
    const cancel = SYSTEM_CLOCK.setTimer(1, () => (called = true));
    cancel();
    cancel();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(called).toBe(false);
  });
});
